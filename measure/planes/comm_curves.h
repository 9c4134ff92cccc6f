/* T_comm by message size as curves: of the benchmarks of a file, or of several files. */
#ifndef MEASURE_COMM_CURVES_H
#define MEASURE_COMM_CURVES_H

#include "measure/planes/planes.h"

struct comm_curves {
	struct heatmap_plane plane;
	struct heatmap_row row;
	ARRAY(struct heatmap_curve) curves;
	ARRAY(char *) labels;
};

/*
 * Find the curves of planes: of one file those of all benchmarks whose T_comm differs, of several files
 * that of contiguous messages.  Markers are where a file's rendezvous threshold is.  `plane` has no curves
 * if there is no T_comm.  On success end with comm_curves_release.
 */
int comm_curves_build(struct comm_curves *curves, const struct planes *planes,
		      const struct cells_file *const *files, struct error *err);
void comm_curves_release(struct comm_curves *curves);

#endif
