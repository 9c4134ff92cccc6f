/*
 * What the commands of llamp print: for people, as JSON (schemas in doc/), and as
 * CSV.
 *
 * Text has seven significant digits and is the same from both engines; JSON and CSV
 * have all digits.  In CSV "inf" stands for unbounded and none, an empty field for
 * what is not known.
 */
#ifndef LLAMP_REPORT_H
#define LLAMP_REPORT_H

#include "common/json.h"
#include "common/units.h"
#include "llamp/analysis.h"
#include "llamp/path_calls.h"
#include "llamp/sweep.h"

enum report_format { REPORT_TEXT, REPORT_JSON, REPORT_CSV };

/* For option tables: text, json or csv into an enum report_format. */
int option_report_format(const char *text, void *target, struct error *err);

void report_analysis(FILE *stream, enum report_format format, const struct model *model,
		     const struct analysis *analysis);

/* What was swept: samples with a step, or the breakpoints if the step is 0. */
struct sweep_range {
	int64_t from_as, to_as, step_as;
};

void report_sweep(FILE *stream, enum report_format format, const struct model *model,
		  const struct sweep_range *range, const struct sweep *sweep);

/* `calls` may be NULL: they are not known. */
int report_path(FILE *stream, enum report_format format, const struct model *model,
		const struct critical_path *path, const struct path_calls *calls,
		struct error *err);

/* ------------------------------------------------- parts of all reports */

/* A number and a time for people; "unbounded" for INFINITY; both return `text`. */
const char *report_number(double value, char text[static UNIT_TEXT_BYTES]);
const char *report_time(double ns, char text[static UNIT_TEXT_BYTES]);

/*
 * The value rounded to the ten digits on which both engines agree.  All texts are,
 * so that a number half way between two of them is not printed differently.
 */
double report_rounded(double value);

/* Attoseconds in ns. */
double report_ns(int128 as);

/* The first lines of a text: size of the program, parameters (`latency` as L), engine. */
void report_heading(FILE *stream, const struct model *model, const char *latency,
		    enum engine engine);

/* The first members of a JSON object: schema ... parameters. */
void report_json_heading(struct json *json, const char *schema, const struct model *model,
			 enum engine engine);

/* A field of a CSV line, quoted where it must be (RFC 4180). */
void report_csv_text(FILE *stream, const char *text);

#endif
