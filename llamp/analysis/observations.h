/*
 * Measured runtimes beside the model's: a CSV file of two columns, `L_ns,seconds`, and the error
 * of the model.
 *
 * The first line names the columns, in any order.  Rows with the same L are runs of one
 * experiment, which count as one point: their mean.  With m_i the mean of the n points and T(L_i)
 * the model's runtime there
 *
 *	RMSE  = sqrt(sum (T(L_i) - m_i)^2 / n)
 *	RRMSE = RMSE / (sum m_i / n)
 *
 * as in the LLAMP paper (section III-C, table II; Despotovic et al. 2016).
 */
#ifndef LLAMP_OBSERVATIONS_H
#define LLAMP_OBSERVATIONS_H

#include "common/array.h"
#include "llamp/analysis/model.h"

#include <stdbool.h>

/* Runs at one value of the varied variable. */
struct observation {
	int64_t value_as;
	uint32_t runs;
	double mean_ns, least_ns, most_ns;
	double modelled_ns; /* T there, set by observations_compare */
};

struct observations {
	ARRAY(struct observation) points; /* by ascending value */
	bool compared;			  /* the rest is set */
	double rmse_ns, rrmse;		  /* rrmse: 0.01 is 1 % */
};

/* Bytes of a file, and rows, from which a file is refused as STATUS_LIMIT. */
enum { OBSERVATIONS_MOST_ROWS = 1000 * 1000 };

/*
 * Read the measurements of a variable from `path` ("-": stdin).  Its column is "L_ns", and
 * "G_ns_per_byte" for a time per byte.  Lines may end with CR LF.  Empty lines are skipped.
 * Everything else that is not two numbers, a negative value, a runtime of 0 or less, and a file
 * without a row are STATUS_DATA with file and line.  On failure there is nothing to release.
 */
int observations_read(struct observations *measured, const char *path,
		      const struct variable *varied, struct error *err);

/* Find T at all points, exactly, and the errors. */
int observations_compare(struct observations *measured, const struct model *model, uint32_t varied,
			 struct error *err);

void observations_release(struct observations *measured);

#endif
