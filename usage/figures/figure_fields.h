/* Columns of the answers of figures.  Each list ends with {0}. */
#ifndef USAGE_FIGURES_FIGURE_FIELDS_H
#define USAGE_FIGURES_FIGURE_FIELDS_H

#include "common/report/report.h"

/* Of curves (FIGURE_CURVES): of a fraction of the runtime, of seconds, bytes per call, ... */
extern const struct report_field fraction_curve[];
extern const struct report_field seconds_curve[];
extern const struct report_field bytes_curve[];
extern const struct report_field tolerance_curve[];
extern const struct report_field imbalance_curve[];

/* Of quartiles (FIGURE_QUARTILES): of applications, of other classes of jobs. */
extern const struct report_field application_quartiles[];
extern const struct report_field class_quartiles[];

/* Of bars, lines and tables. */
extern const struct report_field coverage_fields[];
extern const struct report_field reason_fields[];
extern const struct report_field executable_fields[];
extern const struct report_field headline_fields[];
extern const struct report_field job_size_fields[];
extern const struct report_field total_fields[];
extern const struct report_field calls_fields[];
extern const struct report_field hours_fields[];
extern const struct report_field bytes_fields[];
extern const struct report_field message_size_fields[];
extern const struct report_field part_fields[];
extern const struct report_field mode_fields[];
extern const struct report_field level_fields[];
extern const struct report_field density_fields[];
extern const struct report_field io_fields[];
extern const struct report_field tolerance_fields[];
extern const struct report_field calibration_fields[];
extern const struct report_field next_fields[];
extern const struct report_field network_fields[];
extern const struct report_field least_time_fields[];
extern const struct report_field latency_fields[];

#endif
