/*
 * Output of the commands of llamp as text, JSON (schemas in doc/) and CSV.
 *
 * Text has seven significant digits and is the same from both engines.  JSON and CSV have all
 * digits.  In CSV "inf" means unbounded, or no S, "-inf" means that no value of a parameter is small
 * enough, and an empty field means unknown.
 */
#ifndef LLAMP_REPORT_H
#define LLAMP_REPORT_H

#include "common/report/report.h"
#include "common/units.h"
#include "llamp/analysis/analysis.h"
#include "llamp/analysis/overlap.h"
#include "llamp/analysis/sweep.h"

/* `with_basis`: a text also has the basis range, which is no property of the program. */
void report_analysis(struct report *report, const struct model *model,
		     const struct analysis *analysis, const struct overlap *overlap, bool with_basis);

void report_sweep(struct report *report, const struct model *model,
		  const struct sweep_range *range, const struct sweep *sweep);

/* ------------------------------------------------- parts of all reports */

/* Format a number or a time in ns with the digits of all texts.  Both return `text`. */
enum { REPORT_DIGITS = 7 };
const char *report_number(double value, char text[static UNIT_TEXT_BYTES]);
const char *report_time(double ns, char text[static UNIT_TEXT_BYTES]);

/* Format a tolerance, "2.5 %".  Returns `text`. */
const char *report_percent(double percent, char text[static UNIT_TEXT_BYTES]);

/* Put a time as a share of the runtime. */
void report_put_share(struct report_row *row, int128 as, int128 runtime_as);

/* Convert attoseconds to ns. */
double report_ns(int128 as);

enum { REPORT_NAME_BYTES = 80 };

/* Names of the quantities that belong to a variable. */
struct report_variable {
	char lambda[REPORT_NAME_BYTES], rho[REPORT_NAME_BYTES];
	char value[REPORT_NAME_BYTES], delta[REPORT_NAME_BYTES];	/* "L_ns", "delta_L_ns" */
	const char *unit;		/* "ns" */
	const char *slope_unit;		/* of the slope in a text */
	const char *slope_csv_unit;
	enum value_kind kind;		/* of its values */
	/* Its name; or, if it is any variable of a network, those that it cannot have. */
	const char *vary[LOGGPS_COUNT + 1];
	bool is_any;
};

struct report_variable report_variable(const struct variable *variable);

/* Field "vary" of a report about this variable, and a field with one of the names above, which any variable lacks. */
#define REPORT_VARY_FIELD(names)                                                                \
	"vary", NULL, VALUE_NAME, .values = (names)->vary,                                      \
	.flags = (names)->is_any ? FIELD_OTHER_VALUES : 0
#define REPORT_KEY(names, key) ((names)->is_any ? NULL : (names)->key)

typedef void report_form(struct report *report, const struct report_variable *names,
			 const void *data);

/*
 * Write the schema of a report whose keys depend on the varied variable: a form of it for each variable of
 * LogGPS, and for any variable of a network with one of the units.
 */
void report_variable_forms(struct report *report, const struct variables *variables,
			   report_form *write, const void *data);

/* Format a value of a variable as report_time does, a time per byte as "0.018 ns/B". */
const char *report_value(const struct variable *variable, double value_ns,
			 char text[static UNIT_TEXT_BYTES]);

/*
 * Begin a report with the size of the graph, parameters and engine.  `values` tells those of the
 * varied variable in a text.  If it is NULL, the variable's value in the model is written.
 */
void report_begin_model(struct report *report, const char *schema, const struct model *model,
			uint32_t varied, const char *values, enum engine engine);

/* Write the fact "parameters". */
void report_model_parameters(struct report *report, const struct loggps *loggps);

/* The order of service that tolerances hold for: "resimulated", "frozen", or NULL without resources. */
const char *report_tolerance_order(const struct model *model, bool resimulated);

/* Its field. */
extern const char *const report_orders[];
#define REPORT_TOLERANCE_ORDER                                                                  \
	"tolerance_order", NULL, VALUE_NAME, .values = report_orders,                           \
	.meaning = "With resources: the order of service was decided again at each tolerance (resimulated), or is" \
		   " that at the given parameters (frozen)", .flags = FIELD_NULL

/* Write the lines of parameters and resources only. */
void report_parameters(FILE *stream, const struct model *model, uint32_t varied,
		       const char *values);

/* ------------------------------------------------- overlap */

/* Field of T without deferral, and a text that says how much less it is.  Returns `text`. */
#define REPORT_ASYNC                                                                            \
	.flags = FIELD_OPTIONAL,                                                                \
	.meaning = "T if messages moved also while ranks compute. Only of graphs with deferred messages" \
		   " (schedgen --progress)"
enum { REPORT_ASYNC_BYTES = 100 };
const char *report_async_text(const struct overlap *overlap, double runtime_ns,
			      char text[static REPORT_ASYNC_BYTES]);

/* ------------------------------------------------- the traced run time */

/* Format the length of the traced run, "14.47 ms", and T divided by it, "0.9312".  The traced run must be known. */
enum { REPORT_TRACED_DIGITS = 4 };
const char *report_traced(const struct model *model, char text[static UNIT_TEXT_BYTES]);
const char *report_ratio_text(const struct model *model, double runtime_ns,
			      char text[static UNIT_TEXT_BYTES]);

/*
 * Tell whether T is less than half the traced run, or more than twice.  Of a T that varies between
 * two values both must be.  If so, set `text` to a warning that names the reason.
 */
enum { REPORT_WARNING_BYTES = 512 };
bool report_far_from_traced(const struct model *model, double least_ns, double most_ns,
			    char text[static REPORT_WARNING_BYTES]);

/* First columns of CSV: file, engine, parameters. */
struct report_columns {
	const struct model *model;
	enum engine engine;
	uint32_t varied;
	const double *at_ns;	/* value of the varied parameter, or NULL for the model's */
	const struct variables *variables;	/* those that have a column; NULL: those of the model */
};

/* Write the names of these columns, or their values; `first_columns` of a struct report. */
void report_first_columns(FILE *stream, const void *data, bool names);

/* Let the report have a line of CSV for each fact, with these columns and the variable, so that runs can be joined. */
void report_csv_facts(struct report *report, const struct report_columns *columns);

#endif
