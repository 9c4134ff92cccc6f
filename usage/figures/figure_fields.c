#include "usage/figures/figure_fields.h"

/* Columns of curves: the value is of another kind in each. */
#define CURVE_FIELDS(key, heading, kind, what)                                                    \
	{                                                                                         \
		{"series", "of", VALUE_NAME, .meaning = "What the distribution is of"},           \
			{key, heading, kind, .meaning = what},                                    \
			{"jobs", "jobs", VALUE_COUNT, .meaning = "Jobs with exactly this value"}, \
			{"cdf", "at most", VALUE_SHARE, FIELD_NULL_SHARE,                         \
			 .meaning =                                                               \
				 "Share of the jobs, by their weight, with this value or less"},  \
			{"ccdf", "at least", VALUE_SHARE, FIELD_NULL_SHARE,                       \
			 .meaning =                                                               \
				 "Share of the jobs, by their weight, with this value or more"},  \
			{"n", "n", VALUE_COUNT, .meaning = "Jobs of the distribution"}, {0},      \
	}
#define FIELD_NULL_SHARE .flags = FIELD_NULL

const struct report_field fraction_curve[] = CURVE_FIELDS("fraction", "fraction", VALUE_SHARE,
							  "Fraction of the runtime");
const struct report_field seconds_curve[] = CURVE_FIELDS("seconds", "seconds", VALUE_NUMBER,
							 "Runtime of a job in s");
const struct report_field bytes_curve[] = CURVE_FIELDS("bytes_per_call", "B/call", VALUE_NUMBER,
						       "Bytes of a job by its calls");
const struct report_field tolerance_curve[] = CURVE_FIELDS(
	"tolerance_ns", "tolerance", VALUE_NS, "Rise of the latency that costs 1 % of the runtime");
const struct report_field imbalance_curve[] = CURVE_FIELDS(
	"imbalance", "imbalance", VALUE_SHARE, "(max - mean) / max of the ranks' times in MPI");

#define QUARTILE_FIELDS(key, heading, what)                                       \
	{                                                                         \
		{key, heading, VALUE_NAME, .meaning = what},                      \
			{"domain", "domain", VALUE_NAME, .flags = FIELD_NULL,     \
			 .meaning = "Science domain of the application"},         \
			{"n", "jobs", VALUE_COUNT, .meaning = "Jobs"},            \
			{"core_hours", "core-hours", .kind = VALUE_NUMBER},       \
			{"quartile_1", "1st quartile", VALUE_SHARE,               \
			 .meaning = "Of the MPI fraction"},                       \
			{"median", "median", .kind = VALUE_SHARE},                \
			{"quartile_3", "3rd quartile", .kind = VALUE_SHARE}, {0}, \
	}

const struct report_field application_quartiles[] = QUARTILE_FIELDS("application", "application",
								    "Name of the executable");
const struct report_field class_quartiles[] = QUARTILE_FIELDS("class", "class",
							      "What the jobs have in common");

const struct report_field coverage_fields[] = {
	{"set", "jobs", VALUE_NAME, .meaning = "Which of the scheduler's records"},
	{"jobs", "number", .kind = VALUE_COUNT},
	{"jobs_share", "share", VALUE_SHARE, .flags = FIELD_NULL, .meaning = "Of all jobs"},
	{"core_hours", "core-hours", .kind = VALUE_NUMBER},
	{"core_hours_share", "share", VALUE_SHARE, .flags = FIELD_NULL,
	 .meaning = "Of the core-hours of all jobs"},
	{"executables", "executables", .kind = VALUE_COUNT},
	{0},
};
const struct report_field reason_fields[] = {
	{"reason", "log, or why there is none", .kind = VALUE_NAME},
	{"jobs", "jobs", .kind = VALUE_COUNT},
	{"core_hours", "core-hours", .kind = VALUE_NUMBER},
	{"core_hours_share", "share", VALUE_SHARE, .flags = FIELD_NULL,
	 .meaning = "Of the core-hours of the filtered jobs"},
	{"executables", "executables", .kind = VALUE_COUNT},
	{0},
};
const struct report_field executable_fields[] = {
	{"executable", "executable", VALUE_NAME, .flags = FIELD_NULL},
	{"jobs", "jobs", .kind = VALUE_COUNT},
	{"logs", "with log", .kind = VALUE_COUNT},
	{"core_hours", "core-hours", .kind = VALUE_NUMBER},
	{"core_hours_share", "with log", VALUE_SHARE, .flags = FIELD_NULL,
	 .meaning = "Share of the executable's core-hours whose jobs have a log"},
	{0},
};
const struct report_field headline_fields[] = {
	{"what", "what", .kind = VALUE_NAME},
	{"share", "share", VALUE_SHARE, .flags = FIELD_NULL},
	{"n", "n", VALUE_COUNT, .meaning = "Jobs, or applications, that the share is of"},
	{"mira", "Mira", VALUE_NAME, .flags = FIELD_NULL,
	 .meaning = "The same in the paper, 2016 and 2017"},
	{"cetus", "Cetus", VALUE_NAME, .flags = FIELD_NULL,
	 .meaning = "The same of its development system"},
	{0},
};
const struct report_field job_size_fields[] = {
	{"set", "jobs", .kind = VALUE_NAME},
	{"nodes", "nodes up to", VALUE_COUNT,
	 .meaning = "Jobs with so many nodes or less, and more than half"},
	{"share", "core-hours", VALUE_SHARE, .flags = FIELD_NULL,
	 .meaning = "Share of the set's core-hours"},
	{"core_hours", "core-hours", .kind = VALUE_NUMBER},
	{"n", "jobs", .kind = VALUE_COUNT},
	{0},
};
const struct report_field total_fields[] = {
	{"core_hours", "core-hours", .kind = VALUE_NUMBER},
	{"mpi_core_hours", "in MPI", .kind = VALUE_NUMBER},
	{"share", "share", VALUE_SHARE, .flags = FIELD_NULL},
	{"n", "jobs", .kind = VALUE_COUNT},
	{0},
};
const struct report_field calls_fields[] = {
	{"form", "form", VALUE_NAME, .flags = FIELD_NULL},
	{"function", "function", .kind = VALUE_NAME},
	{"calls", "calls", VALUE_NUMBER, .meaning = "Sum over the jobs"},
	{"n", "jobs", VALUE_COUNT, .meaning = "Jobs that call the function"},
	{0},
};
const struct report_field hours_fields[] = {
	{"form", "form", VALUE_NAME, .flags = FIELD_NULL},
	{"function", "function", .kind = VALUE_NAME},
	{"core_hours", "core-hours", VALUE_NUMBER, .meaning = "Sum over the jobs"},
	{"share", "of MPI", VALUE_SHARE, .flags = FIELD_NULL,
	 .meaning = "Share of all core-hours in MPI"},
	{"n", "jobs", VALUE_COUNT, .meaning = "Jobs that call the function"},
	{0},
};
const struct report_field bytes_fields[] = {
	{"form", "form", VALUE_NAME, .flags = FIELD_NULL},
	{"function", "function", .kind = VALUE_NAME},
	{"bytes", "bytes", VALUE_NUMBER, .meaning = "Sum over the jobs"},
	{"bytes_per_call", "B/call", VALUE_NUMBER, .flags = FIELD_NULL,
	 .meaning = "All bytes by all calls"},
	{"n", "jobs", VALUE_COUNT, .meaning = "Jobs that call the function"},
	{0},
};
const struct report_field message_size_fields[] = {
	{"calls", "calls", .kind = VALUE_NAME},
	{"by_mean", "by mean", VALUE_SHARE, .flags = FIELD_NULL,
	 .meaning = "Share of the jobs whose mean size is so, as in the paper"},
	{"n_mean", "of jobs", VALUE_COUNT, .meaning = "Jobs that have such calls"},
	{"exact", "any call", VALUE_SHARE, .flags = FIELD_NULL,
	 .meaning = "Share of the jobs of which some rank makes a call of that size"},
	{"calls_share", "of calls", VALUE_SHARE, .flags = FIELD_NULL,
	 .meaning = "Share of the calls of all ranks"},
	{"n", "of jobs", VALUE_COUNT, .meaning = "Jobs with cells of such calls"},
	{"mira", "Mira", VALUE_NAME, .flags = FIELD_NULL, .meaning = "By mean size, in the paper"},
	{"cetus", "Cetus", VALUE_NAME, .flags = FIELD_NULL},
	{0},
};
const struct report_field part_fields[] = {
	{"application", "application", .kind = VALUE_NAME},
	{"part", "part", .kind = VALUE_NAME},
	{"share", "share", VALUE_SHARE, .flags = FIELD_NULL},
	{"core_hours", "core-hours", .kind = VALUE_NUMBER},
	{"n", "jobs", VALUE_COUNT, .meaning = "Jobs of the application"},
	{0},
};
const struct report_field mode_fields[] = {
	{"application", "application", .kind = VALUE_NAME},
	{"args_hash", "arguments", VALUE_NAME, .flags = FIELD_NULL,
	 .meaning = "Hash of the arguments"},
	{"nodes", "nodes", VALUE_COUNT, .flags = FIELD_NULL},
	{"n", "jobs", .kind = VALUE_COUNT},
	{"core_hours", "core-hours", .kind = VALUE_NUMBER},
	{"least", "least", VALUE_SHARE, .flags = FIELD_NULL, .meaning = "MPI fraction"},
	{"mean", "mean", VALUE_SHARE, .flags = FIELD_NULL},
	{"most", "most", VALUE_SHARE, .flags = FIELD_NULL},
	{0},
};
const struct report_field level_fields[] = {
	{"level", "thread level", VALUE_NAME, .flags = FIELD_NULL,
	 .meaning = "That the program asks for"},
	{"jobs_share", "jobs", VALUE_SHARE, .flags = FIELD_NULL},
	{"core_hours_share", "core-hours", VALUE_SHARE, .flags = FIELD_NULL},
	{"executables", "executables", .kind = VALUE_COUNT},
	{"n", "jobs", .kind = VALUE_COUNT},
	{0},
};
const struct report_field density_fields[] = {
	{"ranks_per_node", "ranks per node", VALUE_COUNT, .flags = FIELD_NULL},
	{"jobs_share", "jobs", VALUE_SHARE, .flags = FIELD_NULL},
	{"core_hours_share", "core-hours", VALUE_SHARE, .flags = FIELD_NULL},
	{"n", "jobs", .kind = VALUE_COUNT},
	{0},
};
const struct report_field io_fields[] = {
	{"function", "function", .kind = VALUE_NAME},
	{"calls", "calls", VALUE_NUMBER, .meaning = "Of all ranks"},
	{"n", "jobs", .kind = VALUE_COUNT},
	{0},
};
const struct report_field tolerance_fields[] = {
	{"rise_ns", "rise of the latency", VALUE_NS, .meaning = "In ns"},
	{"share", "core-hours", VALUE_SHARE, .flags = FIELD_NULL,
	 .meaning = "Share of all core-hours whose jobs lose 1 % or more"},
	{"n", "jobs", .kind = VALUE_COUNT},
	{0},
};
const struct report_field calibration_fields[] = {
	{"application", "application", .kind = VALUE_NAME},
	{"factor", "factor", VALUE_NUMBER, .meaning = "Median of lambda_L / Lambda"},
	{"least", "least", .kind = VALUE_NUMBER},
	{"most", "most", .kind = VALUE_NUMBER},
	{"n", "traced jobs", .kind = VALUE_COUNT},
	{0},
};
const struct report_field next_fields[] = {
	{"application", "application", .kind = VALUE_NAME},
	{"job", "job", .kind = VALUE_NAME},
	{"core_hours", "core-hours", .kind = VALUE_NUMBER},
	{"tolerance_ns", "tolerance", VALUE_NS,
	 .meaning = "Rise of the latency that costs 1 %, in ns"},
	{"line", "to trace it", VALUE_NAME, .flags = FIELD_NULL,
	 .meaning = "Without the program's arguments"},
	{0},
};
const struct report_field network_fields[] = {
	{"place", "ranks", VALUE_NAME, .meaning = "Where sender and receiver are"},
	{"L_ns", "L", VALUE_NS, .flags = FIELD_NULL, .meaning = "In ns"},
	{"least_L_ns", "least", VALUE_NS, .flags = FIELD_NULL,
	 .meaning = "L of the line that has the least, in ns"},
	{"most_L_ns", "most", VALUE_NS, .flags = FIELD_NULL},
	{"o_ns", "o", VALUE_NS, .flags = FIELD_NULL, .meaning = "In ns"},
	{"G_ns_per_byte", "G", VALUE_NS_PER_BYTE, .flags = FIELD_NULL},
	{"S_bytes", "S", VALUE_COUNT, .flags = FIELD_NULL,
	 .meaning = "Largest message whose send does not wait; null: not seen"},
	{"residual", "residual", VALUE_SHARE, .flags = FIELD_NULL,
	 .meaning = "Root of the mean square of the relative errors of all lines"},
	{"times", "times", VALUE_COUNT, .meaning = "Number of the least times"},
	{0},
};
const struct report_field least_time_fields[] = {
	{"place", "ranks", VALUE_NAME, .meaning = "Where sender and receiver are"},
	{"function", "function", .kind = VALUE_NAME},
	{"bytes", "bytes", .kind = VALUE_COUNT},
	{"least_ns", "least time", VALUE_NS, .meaning = "In ns"},
	{"calls", "calls", VALUE_NUMBER, .meaning = "Of all ranks"},
	{"n", "jobs", .kind = VALUE_COUNT},
	{0},
};
const struct report_field latency_fields[] = {
	{"run", "run", VALUE_NAME, .meaning = "alone, or profiled"},
	{"bytes", "bytes", .kind = VALUE_COUNT},
	{"latency_ns", "latency", VALUE_NS, .meaning = "Half a round trip, the least measured"},
	{"extra", "more than alone", VALUE_SHARE, .flags = FIELD_NULL | FIELD_SIGNED,
	 .meaning = "Its difference to the latency alone, by that"},
	{"n", "n", VALUE_COUNT, .meaning = "Measurements"},
	{0},
};
