/* The figures: what each of them asks, and how it is shown. */
#include "usage/figures/figure.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

const struct figure_section figure_sections[] = {
	{"coverage", "Which jobs are known"},
	{"summary", "In short"},
	{"jobs", "Sizes and runtimes of jobs"},
	{"mpi", "Time in MPI"},
	{"collectives", "Collectives"},
	{"messages", "Point-to-point"},
	{"applications", "Applications"},
	{"settings", "Threads, ranks per node, files"},
	{"latency", "Latency: an estimate"},
	{"tool", "The profile itself"},
	{NULL, NULL},
};

/* --------------------------------------------------------------------- columns */

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

static const struct report_field fraction_curve[] = CURVE_FIELDS("fraction", "fraction",
								 VALUE_SHARE,
								 "Fraction of the runtime");
static const struct report_field seconds_curve[] = CURVE_FIELDS("seconds", "seconds", VALUE_NUMBER,
								"Runtime of a job in s");
static const struct report_field bytes_curve[] = CURVE_FIELDS("bytes_per_call", "B/call",
							      VALUE_NUMBER,
							      "Bytes of a job by its calls");
static const struct report_field tolerance_curve[] = CURVE_FIELDS(
	"tolerance_ns", "tolerance", VALUE_NS, "Rise of the latency that costs 1 % of the runtime");
static const struct report_field imbalance_curve[] = CURVE_FIELDS(
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

static const struct report_field application_quartiles[] =
	QUARTILE_FIELDS("application", "application", "Name of the executable");
static const struct report_field class_quartiles[] =
	QUARTILE_FIELDS("class", "class", "What the jobs have in common");

static const struct report_field coverage_fields[] = {
	{"set", "jobs", VALUE_NAME, .meaning = "Which of the scheduler's records"},
	{"jobs", "number", .kind = VALUE_COUNT},
	{"jobs_share", "share", VALUE_SHARE, .flags = FIELD_NULL, .meaning = "Of all jobs"},
	{"core_hours", "core-hours", .kind = VALUE_NUMBER},
	{"core_hours_share", "share", VALUE_SHARE, .flags = FIELD_NULL,
	 .meaning = "Of the core-hours of all jobs"},
	{"executables", "executables", .kind = VALUE_COUNT},
	{0},
};
static const struct report_field reason_fields[] = {
	{"reason", "log, or why there is none", .kind = VALUE_NAME},
	{"jobs", "jobs", .kind = VALUE_COUNT},
	{"core_hours", "core-hours", .kind = VALUE_NUMBER},
	{"core_hours_share", "share", VALUE_SHARE, .flags = FIELD_NULL,
	 .meaning = "Of the core-hours of the filtered jobs"},
	{"executables", "executables", .kind = VALUE_COUNT},
	{0},
};
static const struct report_field executable_fields[] = {
	{"executable", "executable", VALUE_NAME, .flags = FIELD_NULL},
	{"jobs", "jobs", .kind = VALUE_COUNT},
	{"logs", "with log", .kind = VALUE_COUNT},
	{"core_hours", "core-hours", .kind = VALUE_NUMBER},
	{"core_hours_share", "with log", VALUE_SHARE, .flags = FIELD_NULL,
	 .meaning = "Share of the executable's core-hours whose jobs have a log"},
	{0},
};
static const struct report_field headline_fields[] = {
	{"what", "what", .kind = VALUE_NAME},
	{"share", "share", VALUE_SHARE, .flags = FIELD_NULL},
	{"n", "n", VALUE_COUNT, .meaning = "Jobs, or applications, that the share is of"},
	{"mira", "Mira", VALUE_NAME, .flags = FIELD_NULL,
	 .meaning = "The same in the paper, 2016 and 2017"},
	{"cetus", "Cetus", VALUE_NAME, .flags = FIELD_NULL,
	 .meaning = "The same of its development system"},
	{0},
};
static const struct report_field job_size_fields[] = {
	{"set", "jobs", .kind = VALUE_NAME},
	{"nodes", "nodes up to", VALUE_COUNT,
	 .meaning = "Jobs with so many nodes or less, and more than half"},
	{"share", "core-hours", VALUE_SHARE, .flags = FIELD_NULL,
	 .meaning = "Share of the set's core-hours"},
	{"core_hours", "core-hours", .kind = VALUE_NUMBER},
	{"n", "jobs", .kind = VALUE_COUNT},
	{0},
};
static const struct report_field total_fields[] = {
	{"core_hours", "core-hours", .kind = VALUE_NUMBER},
	{"mpi_core_hours", "in MPI", .kind = VALUE_NUMBER},
	{"share", "share", VALUE_SHARE, .flags = FIELD_NULL},
	{"n", "jobs", .kind = VALUE_COUNT},
	{0},
};
static const struct report_field calls_fields[] = {
	{"form", "form", VALUE_NAME, .flags = FIELD_NULL},
	{"function", "function", .kind = VALUE_NAME},
	{"calls", "calls", VALUE_NUMBER, .meaning = "Sum over the jobs"},
	{"n", "jobs", VALUE_COUNT, .meaning = "Jobs that call the function"},
	{0},
};
static const struct report_field hours_fields[] = {
	{"form", "form", VALUE_NAME, .flags = FIELD_NULL},
	{"function", "function", .kind = VALUE_NAME},
	{"core_hours", "core-hours", VALUE_NUMBER, .meaning = "Sum over the jobs"},
	{"share", "of MPI", VALUE_SHARE, .flags = FIELD_NULL,
	 .meaning = "Share of all core-hours in MPI"},
	{"n", "jobs", VALUE_COUNT, .meaning = "Jobs that call the function"},
	{0},
};
static const struct report_field bytes_fields[] = {
	{"form", "form", VALUE_NAME, .flags = FIELD_NULL},
	{"function", "function", .kind = VALUE_NAME},
	{"bytes", "bytes", VALUE_NUMBER, .meaning = "Sum over the jobs"},
	{"bytes_per_call", "B/call", VALUE_NUMBER, .flags = FIELD_NULL,
	 .meaning = "All bytes by all calls"},
	{"n", "jobs", VALUE_COUNT, .meaning = "Jobs that call the function"},
	{0},
};
static const struct report_field message_size_fields[] = {
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
static const struct report_field part_fields[] = {
	{"application", "application", .kind = VALUE_NAME},
	{"part", "part", .kind = VALUE_NAME},
	{"share", "share", VALUE_SHARE, .flags = FIELD_NULL},
	{"core_hours", "core-hours", .kind = VALUE_NUMBER},
	{"n", "jobs", VALUE_COUNT, .meaning = "Jobs of the application"},
	{0},
};
static const struct report_field mode_fields[] = {
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
static const struct report_field level_fields[] = {
	{"level", "thread level", VALUE_NAME, .flags = FIELD_NULL,
	 .meaning = "That the program asks for"},
	{"jobs_share", "jobs", VALUE_SHARE, .flags = FIELD_NULL},
	{"core_hours_share", "core-hours", VALUE_SHARE, .flags = FIELD_NULL},
	{"executables", "executables", .kind = VALUE_COUNT},
	{"n", "jobs", .kind = VALUE_COUNT},
	{0},
};
static const struct report_field density_fields[] = {
	{"ranks_per_node", "ranks per node", VALUE_COUNT, .flags = FIELD_NULL},
	{"jobs_share", "jobs", VALUE_SHARE, .flags = FIELD_NULL},
	{"core_hours_share", "core-hours", VALUE_SHARE, .flags = FIELD_NULL},
	{"n", "jobs", .kind = VALUE_COUNT},
	{0},
};
static const struct report_field io_fields[] = {
	{"function", "function", .kind = VALUE_NAME},
	{"calls", "calls", VALUE_NUMBER, .meaning = "Of all ranks"},
	{"n", "jobs", .kind = VALUE_COUNT},
	{0},
};
static const struct report_field tolerance_fields[] = {
	{"rise_ns", "rise of the latency", VALUE_NS, .meaning = "In ns"},
	{"share", "core-hours", VALUE_SHARE, .flags = FIELD_NULL,
	 .meaning = "Share of all core-hours whose jobs lose 1 % or more"},
	{"n", "jobs", .kind = VALUE_COUNT},
	{0},
};
static const struct report_field calibration_fields[] = {
	{"application", "application", .kind = VALUE_NAME},
	{"factor", "factor", VALUE_NUMBER, .meaning = "Median of lambda_L / Lambda"},
	{"least", "least", .kind = VALUE_NUMBER},
	{"most", "most", .kind = VALUE_NUMBER},
	{"n", "traced jobs", .kind = VALUE_COUNT},
	{0},
};
static const struct report_field next_fields[] = {
	{"application", "application", .kind = VALUE_NAME},
	{"job", "job", .kind = VALUE_NAME},
	{"core_hours", "core-hours", .kind = VALUE_NUMBER},
	{"tolerance_ns", "tolerance", VALUE_NS,
	 .meaning = "Rise of the latency that costs 1 %, in ns"},
	{"line", "to trace it", VALUE_NAME, .flags = FIELD_NULL,
	 .meaning = "Without the program's arguments"},
	{0},
};
static const struct report_field latency_fields[] = {
	{"series", "run", .kind = VALUE_NAME},
	{"bytes", "bytes", .kind = VALUE_COUNT},
	{"latency_ns", "latency", .kind = VALUE_NUMBER},
	{0},
};

/* ------------------------------------------------------------------- questions */

/* The three sets of jobs, as series: jobs with a log are those of the filter, if there are records. */
#define SETS                                                                               \
	"sets(number, name, nodes, seconds, core_hours, id) AS ("                          \
	"SELECT 1, 'all', nodes, seconds, core_hours, id FROM temp.record "                \
	"UNION ALL SELECT 2, 'filtered', nodes, seconds, core_hours, id FROM temp.record " \
	"WHERE filtered "                                                                  \
	"UNION ALL SELECT 3, 'with log', nodes, seconds, core_hours, job FROM temp.log)"

#define HOURS_IN_MPI "(SELECT nullif(total(core_hours * fraction), 0) FROM temp.log)"

/* Sums of functions that `which` selects. */
#define FUNCTIONS(columns, which)                                                          \
	"SELECT " columns " FROM temp.sums AS s JOIN functions AS f ON f.id = s.function " \
	"WHERE " which " GROUP BY f.id"
#define COLLECTIVES "f.class = 'collective'"
#define MESSAGES \
	"(f.class IN ('p2p', 'completion') OR (f.class = 'request' AND f.form IS NOT NULL))"
#define FORM "CASE f.class WHEN 'completion' THEN 'completion' ELSE f.form END"
#define COLLECTIVE_FORM "f.form"

#define CALLS(form, which)                                                              \
	FUNCTIONS(form " AS form, f.name, total(s.calls) AS calls, sum(s.jobs)", which) \
	" ORDER BY f.class = 'completion', form, calls DESC, f.name"
#define CORE_HOURS(form, which)                                                                       \
	FUNCTIONS(                                                                                    \
		form                                                                                  \
		" AS form, f.name, total(s.core_hours) AS hours, total(s.core_hours) / " HOURS_IN_MPI \
		", sum(s.jobs)",                                                                      \
		which)                                                                                \
	" ORDER BY f.class = 'completion', form, hours DESC, f.name"
#define BYTES(form, which)                                                            \
	FUNCTIONS(form " AS form, f.name, total(s.bytes) AS bytes, total(s.bytes) / " \
		       "nullif(total(s.calls), 0), sum(s.jobs)",                      \
		  which " AND s.bytes > 0")                                           \
	" ORDER BY f.class = 'completion', form, bytes DESC, f.name"

#define APPLICATION "coalesce(t.text, '(unknown)')"
#define APPLICATION_PARTS                                                              \
	"parts AS (SELECT application, count(*) AS jobs, total(core_hours) AS hours, " \
	"total(core_hours * (1 - fraction)) AS compute, "                              \
	"total(core_hours * p2p_ns / time_ns) AS messages, "                           \
	"total(core_hours * collective_ns / time_ns) AS collectives, "                 \
	"total(core_hours * (mpi_ns - p2p_ns - collective_ns) / time_ns) AS other, "   \
	"total(core_hours * fraction) AS mpi "                                         \
	"FROM temp.log WHERE fraction IS NOT NULL GROUP BY application)"

static const char coverage_sql[] =
	"WITH sets(number, name) AS (VALUES(1, 'all'), (2, 'of the programmes'), (3, 'filtered'), "
	"(4, 'filtered, normal end'), (5, 'filtered, other end'), (6, 'filtered, with log')), "
	"g AS MATERIALIZED (SELECT executable, programme, filtered, normal, logged, "
	"count(*) AS jobs, total(core_hours) AS hours FROM temp.record GROUP BY 1, 2, 3, 4, 5), "
	"whole AS (SELECT nullif(sum(jobs), 0) AS jobs, nullif(total(hours), 0) AS hours FROM g) "
	"SELECT name, sum(g.jobs), sum(g.jobs) * 1.0 / whole.jobs, total(g.hours), "
	"total(g.hours) / whole.hours, count(DISTINCT executable) FROM sets, whole JOIN g ON "
	"CASE number WHEN 1 THEN 1 WHEN 2 THEN programme WHEN 3 THEN filtered "
	"WHEN 4 THEN filtered AND normal WHEN 5 THEN filtered AND NOT normal "
	"ELSE filtered AND logged END GROUP BY number ORDER BY number";

static const char reasons_sql[] =
	"SELECT coalesce(t.text, 'unknown'), count(*), total(r.core_hours) AS hours, "
	"total(r.core_hours) / (SELECT nullif(total(core_hours), 0) FROM temp.record WHERE "
	"filtered), count(DISTINCT r.executable) FROM temp.record AS r "
	"JOIN record_data AS k ON k.id = r.id LEFT JOIN texts AS t ON t.id = k.coverage "
	"WHERE r.filtered GROUP BY k.coverage ORDER BY hours DESC, 1";

static const char executables_sql[] =
	"SELECT t.text, count(*), sum(logged), total(core_hours) AS hours, "
	"total(core_hours * logged) / nullif(total(core_hours), 0) FROM temp.record AS r "
	"LEFT JOIN texts AS t ON t.id = r.executable WHERE filtered "
	"GROUP BY r.executable ORDER BY hours DESC, 1";

static const char headlines_sql[] =
	"WITH a AS (SELECT count(*) AS n, nullif(total(weight), 0) AS w, "
	"total(weight * (fraction >= 0.3)) AS f30, total(weight * (fraction >= 0.5)) AS f50, "
	"total(weight * (fraction > 0.6)) AS f60, total(weight * (fraction > 0.8)) AS f80, "
	"total(weight * (fraction < 0.01)) AS f0, total(weight * (p2p_ns = 0)) AS collective_only, "
	"total(weight * (collective_ns > 0.5 * time_ns)) AS collective, "
	"total(weight * (level = (SELECT id FROM texts WHERE text = 'multiple'))) AS multiple, "
	"total(weight * (ranks_per_node <= 2)) AS few, total(weight * (nodes <= 2048)) AS small, "
	"nullif(total(core_hours), 0) AS hours, total(core_hours * (nodes <= 2048)) AS small_hours, "
	"total(core_hours * (seconds > 1000)) AS long_hours, "
	"total(core_hours * fraction) AS mpi, "
	"total(core_hours * collective_ns / time_ns) AS collective_hours "
	"FROM temp.log WHERE fraction IS NOT NULL), "
	"m AS (SELECT sum(fraction > 0.6) * 2 > count(*) AS above6, "
	"sum(fraction > 0.4) * 2 > count(*) AS above4 FROM temp.log WHERE fraction IS NOT NULL "
	"GROUP BY application), "
	"b AS (SELECT count(*) AS n, total(above6) AS above6, total(above4) AS above4 FROM m), "
	"c AS (SELECT total(core_hours * (f.name = 'MPI_Allreduce')) AS allreduce, "
	"total(calls * (f.mode = 'nonblocking' AND f.class = 'p2p')) AS nonblocking, "
	"nullif(total(calls * (f.class = 'p2p')), 0) AS messages, "
	"total(core_hours * (f.class = 'completion')) AS completion, "
	"nullif(total(core_hours * (f.class IN ('p2p', 'completion'))), 0) AS message_hours "
	"FROM temp.sums AS s JOIN functions AS f ON f.id = s.function) "
	"SELECT 'jobs with an MPI fraction of 0.3 or more', f30 / w, n, '50 %', NULL FROM a "
	"UNION ALL SELECT 'jobs with an MPI fraction of 0.5 or more', f50 / w, n, NULL, '50 %' FROM a "
	"UNION ALL SELECT 'jobs with an MPI fraction above 0.6', f60 / w, n, '15 %', NULL FROM a "
	"UNION ALL SELECT 'jobs with an MPI fraction above 0.8', f80 / w, n, NULL, '10 %' FROM a "
	"UNION ALL SELECT 'jobs with an MPI fraction below 0.01', f0 / w, n, '20 %', NULL FROM a "
	"UNION ALL SELECT 'core-hours in MPI', mpi / hours, n, '34 %', NULL FROM a "
	"UNION ALL SELECT 'collectives in the time in MPI', collective_hours / nullif(mpi, 0), n, "
	"'66 %', NULL FROM a "
	"UNION ALL SELECT 'MPI_Allreduce in the time in MPI', allreduce / nullif(mpi, 0), n, "
	"'19.4 %', '30.4 %' FROM a, c "
	"UNION ALL SELECT 'jobs mostly in collectives', collective / w, n, '10 %', NULL FROM a "
	"UNION ALL SELECT 'jobs without point-to-point', collective_only / w, n, '50 %', NULL FROM a "
	"UNION ALL SELECT 'non-blocking calls among those for messages', nonblocking / messages, n, "
	"'most', 'most' FROM a, c "
	"UNION ALL SELECT 'Wait and Test in the time of point-to-point', completion / "
	"message_hours, n, 'most', 'most' FROM a, c "
	"UNION ALL SELECT 'applications with a median fraction above 0.6', "
	"above6 / nullif(n, 0), n, '23 %', NULL FROM b "
	"UNION ALL SELECT 'applications with a median fraction above 0.4', "
	"above4 / nullif(n, 0), n, '50 %', NULL FROM b "
	"UNION ALL SELECT 'jobs with MPI_THREAD_MULTIPLE', multiple / w, n, '30 %', NULL FROM a "
	"UNION ALL SELECT 'jobs with one or two ranks per node', few / w, n, '60 %', NULL FROM a "
	"UNION ALL SELECT 'jobs on 2048 nodes or less', small / w, n, '90 %', NULL FROM a "
	"UNION ALL SELECT 'core-hours of jobs on 2048 nodes or less', small_hours / hours, n, "
	"'50 %', NULL FROM a "
	"UNION ALL SELECT 'core-hours of jobs longer than 1000 s', long_hours / hours, n, '80 %', "
	"NULL FROM a";

static const char job_sizes_sql[] =
	"WITH " SETS " SELECT name, node_class(nodes) AS class, total(core_hours) / "
	"nullif(total(total(core_hours)) OVER (PARTITION BY number), 0), total(core_hours), "
	"count(*) FROM sets WHERE nodes > 0 GROUP BY number, class ORDER BY number, class";

/* The share of jobs whose mean size is so, and that of jobs that have calls of a size, of jobs with such calls. */
#define BY_MEAN(number, bytes, calls, condition)                                            \
	"SELECT " number " AS number, total(weight * (" bytes " / " calls condition ")) / " \
	"nullif(total(weight * (" calls " > 0)), 0) AS share, sum(" calls " > 0) AS n FROM means"
#define EXACT(number, fit, calls)                                                \
	"SELECT " number " AS number, total(weight * (" fit " > 0)) / "          \
	"nullif(total(weight * (" calls " > 0)), 0) AS share, total(" fit ") / " \
	"nullif(total(" calls "), 0) AS calls, sum(" calls " > 0) AS n FROM sizes"
/* The functions are neighbours in the table of functions, too. */
#define OF_KINDS(table)                                                                    \
	"FROM temp.log AS l CROSS JOIN " table " AS c ON c.job = l.job AND c.function "    \
	"BETWEEN (SELECT min(function) FROM kinds) AND (SELECT max(function) FROM kinds) " \
	"JOIN kinds AS k ON k.function = c.function "

static const char message_sizes_sql[] =
	"WITH question(number, name, mira, cetus) AS (VALUES"
	"(1, 'reductions, at most 256 B', '40 %', '85 %'), "
	"(2, 'reductions, at most 16 KiB', '70 %', NULL), "
	"(3, 'MPI_Allreduce, at least 512 KiB', '20 %', NULL), "
	"(4, 'MPI_Bcast, at least 16 MiB', '5 %', NULL)), "
	"kinds AS MATERIALIZED (SELECT id AS function, plain <> 'MPI_Bcast' AS reduction, "
	"plain = 'MPI_Allreduce' AS allreduce, plain = 'MPI_Bcast' AS bcast FROM functions WHERE "
	"plain IN ('MPI_Allreduce', 'MPI_Reduce', 'MPI_Iallreduce', 'MPI_Ireduce', 'MPI_Bcast')), "
	"means AS MATERIALIZED (SELECT l.weight, total(c.bytes * reduction) AS rb, "
	"total(c.calls * reduction) AS rc, total(c.bytes * allreduce) AS ab, "
	"total(c.calls * allreduce) AS ac, total(c.bytes * bcast) AS bb, "
	"total(c.calls * bcast) AS bc " OF_KINDS(
		"job_calls") "WHERE c.calls > 0 GROUP BY l.job), "
			     "sizes AS MATERIALIZED (SELECT l.weight, total(c.calls * reduction) AS rc, "
			     "total(c.calls * reduction * (size_class <= 17)) AS r256, "
			     "total(c.calls * reduction * (size_class <= 29)) AS r16k, "
			     "total(c.calls * allreduce) AS ac, total(c.calls * allreduce * (size_class >= 39)) AS a512k, "
			     "total(c.calls * bcast) AS bc, total(c.calls * bcast * (size_class >= 49)) AS b16m " OF_KINDS(
				     "cells") "WHERE c.failed = 0 GROUP BY l.job), "
					      "by_mean AS (" BY_MEAN("1", "rb", "rc", " <= 256") " UNION ALL " BY_MEAN("2", "rb", "rc", " <= 16384") " UNION ALL " BY_MEAN("3", "ab", "ac", " >= 524288") " UNION ALL " BY_MEAN(
						      "4", "bb", "bc",
						      " >= 16777216") "), "
								      "exact AS (" EXACT("1", "r256", "rc") " UNION ALL " EXACT(
									      "2", "r16k",
									      "rc") " UNION ALL " EXACT("3",
													"a512k",
													"ac") " UNION ALL " EXACT("4",
																  "b16m",
																  "bc") ") "
																	"SELECT name, m.share, coalesce(m.n, 0), e.share, e.calls, coalesce(e.n, 0), mira, cetus "
																	"FROM question LEFT JOIN by_mean AS m USING(number) LEFT JOIN exact AS e USING(number) "
																	"WHERE (SELECT count(*) FROM temp.log) ORDER BY number";

static const char mean_sizes_sql[] =
	"SELECT f.plain, c.bytes, c.calls, l.weight, l.job FROM temp.log AS l "
	"CROSS JOIN job_calls AS c ON c.job = l.job CROSS JOIN functions AS f ON f.id = c.function "
	"WHERE f.class = 'collective' AND f.plain NOT IN "
	"('MPI_Barrier', 'MPI_Ibarrier', 'MPI_Barrier_init') AND c.calls > 0";

static const char time_sql[] =
	"WITH " APPLICATION_PARTS ", names(number, name) AS (VALUES(1, 'compute'), "
	"(2, 'point-to-point'), (3, 'collectives'), (4, 'other MPI')), "
	"rows AS (SELECT application, jobs, hours, number, name, CASE number WHEN 1 THEN compute "
	"WHEN 2 THEN messages WHEN 3 THEN collectives ELSE other "
	"END AS part FROM parts, names) "
	"SELECT " APPLICATION ", name, part / nullif(hours, 0), part, jobs FROM rows "
	"LEFT JOIN texts AS t ON t.id = application ORDER BY hours DESC, t.text, number";

static const char communication_sql[] =
	"WITH " APPLICATION_PARTS ", names(number, name) AS (VALUES(1, 'point-to-point'), "
	"(2, 'collectives'), (3, 'other MPI')), "
	"rows AS (SELECT application, jobs, hours, mpi, number, name, CASE number "
	"WHEN 1 THEN messages WHEN 2 THEN collectives ELSE other "
	"END AS part FROM parts, names) "
	"SELECT " APPLICATION ", name, part / nullif(mpi, 0), part, jobs FROM rows "
	"LEFT JOIN texts AS t ON t.id = application ORDER BY hours DESC, t.text, number";

static const char functions_sql[] =
	"WITH a AS (SELECT application, count(*) AS jobs, total(core_hours) AS hours "
	"FROM temp.log GROUP BY application) "
	"SELECT " APPLICATION ", f.name, s.core_hours / nullif(total(s.core_hours) OVER "
	"(PARTITION BY s.application), 0), s.core_hours, a.jobs FROM temp.sums AS s "
	"JOIN functions AS f ON f.id = s.function JOIN a ON a.application IS s.application "
	"LEFT JOIN texts AS t ON t.id = s.application WHERE s.core_hours > 0 "
	"ORDER BY a.hours DESC, t.text, s.core_hours DESC, f.name";

static const char modes_sql[] =
	"SELECT " APPLICATION
	", printf('%016x', args_hash), nodes, count(*), total(core_hours) AS hours, "
	"min(fraction), avg(fraction), max(fraction) FROM temp.log "
	"LEFT JOIN texts AS t ON t.id = application WHERE fraction IS NOT NULL "
	"GROUP BY application, args_hash, nodes ORDER BY hours DESC, 1, 2, 3";

static const char levels_sql[] =
	"SELECT t.text, count(*) * 1.0 / (SELECT nullif(count(*), 0) FROM temp.log) AS share, "
	"total(core_hours) / (SELECT nullif(total(core_hours), 0) FROM temp.log), "
	"count(DISTINCT application), count(*) FROM temp.log LEFT JOIN texts AS t ON t.id = level "
	"GROUP BY level ORDER BY CASE t.text WHEN 'single' THEN 1 WHEN 'funneled' THEN 2 "
	"WHEN 'serialized' THEN 3 WHEN 'multiple' THEN 4 ELSE 5 END";

static const char densities_sql[] =
	"SELECT ranks_per_node, count(*) * 1.0 / (SELECT nullif(count(*), 0) FROM temp.log), "
	"total(core_hours) / (SELECT nullif(total(core_hours), 0) FROM temp.log), count(*) "
	"FROM temp.log GROUP BY ranks_per_node ORDER BY ranks_per_node";

/*
 * Functions of files are neighbours in the table of functions, so that each job's cells are found without a
 * search.  The first rows are those of the paper, also without calls.
 */
static const char files_sql[] =
	"WITH paper(number, name) AS (VALUES(1, 'MPI_File_iread'), (2, 'MPI_File_iwrite'), "
	"(3, 'MPI_File_open, collective'), (4, 'MPI_File_open, independent'), (5, 'MPI_File_read'), "
	"(6, 'MPI_File_read_all'), (7, 'MPI_File_read_all_begin'), (8, 'MPI_File_set_view'), "
	"(9, 'MPI_File_write'), (10, 'MPI_File_write_all'), (11, 'MPI_File_write_all_begin')), "
	"used AS (SELECT CASE WHEN f.plain = 'MPI_File_open' THEN f.plain || CASE c.comm_class "
	"WHEN 1 THEN ', independent' ELSE ', collective' END "
	"WHEN f.plain LIKE '%atomicity' THEN f.plain ELSE replace(f.plain, '_at', '') END AS name, "
	"c.calls, l.job FROM temp.log AS l CROSS JOIN cells AS c ON c.job = l.job AND c.function "
	"BETWEEN (SELECT min(id) FROM functions WHERE class = 'io') AND "
	"(SELECT max(id) FROM functions WHERE class = 'io') "
	"CROSS JOIN functions AS f ON f.id = c.function WHERE f.class = 'io' AND c.failed = 0), "
	"sums AS (SELECT name, total(calls) AS calls, count(DISTINCT job) AS jobs FROM used "
	"GROUP BY name) "
	"SELECT p.name, coalesce(calls, 0), coalesce(jobs, 0) FROM paper AS p LEFT JOIN sums AS s "
	"ON s.name = p.name WHERE (SELECT count(*) FROM temp.log) "
	"UNION ALL SELECT * FROM (SELECT name, calls, jobs FROM sums "
	"WHERE name NOT IN (SELECT name FROM paper) ORDER BY calls DESC, name)";

/* --------------------------------------------------------------------- figures */

#define FRACTION_QUARTILES(label)                                                         \
	"SELECT " label ", NULL, fraction, weight, core_hours FROM temp.log WHERE " label \
	" IS NOT NULL"

const struct figure figures[] = {
	{"table I", "II", "coverage", "Jobs, core-hours and executables by set",
	 "The scheduler's records: all, those of the programmes, those of executables that pass the "
	 "filter; of these those that ended normally (exit status 0 or above 255) or not, and "
	 "those with a log.",
	 "coverage", FIGURE_TABLE, FIGURE_RECORDS, .fields = coverage_fields, .sql = coverage_sql},
	{NULL, NULL, "coverage-reasons", "Why filtered jobs have a log or none",
	 "Filtered records by what is known of their log.", "coverage", FIGURE_TABLE,
	 FIGURE_RECORDS, .fields = reason_fields, .sql = reasons_sql},
	{NULL, NULL, "coverage-executables", "Coverage by executable",
	 "Filtered records of each executable, and the share of its core-hours with a log.",
	 "coverage", FIGURE_TABLE, FIGURE_RECORDS, .fields = executable_fields,
	 .sql = executables_sql},

	{NULL, NULL, "headlines", "Results beside those of the paper",
	 "Shares of jobs by their weight, of applications, or of core-hours. Empty: the paper does "
	 "not say.",
	 "summary", FIGURE_TABLE, FIGURE_SUMS, .fields = headline_fields, .sql = headlines_sql},
	{"IV-A", NULL, "core-hours-in-mpi", "Core-hours in MPI",
	 "The sum over jobs of core-hours times MPI fraction, by the sum of core-hours.", "summary",
	 FIGURE_TABLE, .fields = total_fields,
	 .sql = "SELECT total(core_hours), total(core_hours * fraction), total(core_hours * fraction) / "
		"nullif(total(core_hours), 0), count(*) FROM temp.log WHERE fraction IS NOT NULL "
		"HAVING count(*)"},

	{"2", "3", "job-sizes", "Core-hours by size of the job",
	 "Core-hours of jobs with so many nodes or less, and more than half, as a share of their set: all "
	 "jobs, those of the filter, and those of the filter with a log.",
	 "jobs", FIGURE_LINES, FIGURE_LOG | FIGURE_RECORDS, "nodes", QUANTITY_COUNT,
	 .fields = job_size_fields, .share = "share of core-hours", .sql = job_sizes_sql},
	{"4", "5", "runtimes", "Cumulative core-hours by runtime",
	 "Share of the core-hours whose jobs ran so long or less, always weighted by core-hours: all jobs, "
	 "those of the filter, and those of the filter with a log.",
	 "jobs", FIGURE_CURVES, FIGURE_LOG | FIGURE_RECORDS, "runtime (s)", QUANTITY_NUMBER,
	 .fields = seconds_curve, .share = "share of core-hours",
	 .sql = "WITH " SETS " SELECT name, seconds, 1, core_hours, id FROM sets "
		"WHERE core_hours IS NOT NULL ORDER BY number"},

	{"6", "7", "mpi-fraction", "MPI fraction of the runtime",
	 "M/T of each job: time in MPI of the rank nearest the mean, by the runtime of the threads that "
	 "call MPI.",
	 "mpi", FIGURE_CURVES, 0, "MPI fraction (%)", QUANTITY_PERCENT, .fields = fraction_curve,
	 .share = "share of jobs",
	 .sql = "SELECT 'MPI', mpi_ns, time_ns, weight, job FROM temp.log"},
	{NULL, NULL, "imbalance", "Imbalance of the time in MPI",
	 "(max - mean) / max of the times in MPI of all ranks of a job.", "mpi", FIGURE_CURVES, 0,
	 "imbalance (%)", QUANTITY_PERCENT, .fields = imbalance_curve, .share = "share of jobs",
	 .sql = "SELECT 'ranks', most_ns - mean_ns, most_ns, weight, job FROM temp.log"},
	{NULL, NULL, "mpi-fraction-by-nodes", "MPI fraction by size of the job",
	 "Median and quartiles over jobs with so many nodes or less, and more than half.", "mpi",
	 FIGURE_QUARTILES, FIGURE_IN_ORDER, "MPI fraction (%)", QUANTITY_PERCENT,
	 .fields = class_quartiles, .sql = FRACTION_QUARTILES("CAST(node_class(nodes) AS TEXT)")},
	{NULL, NULL, "mpi-fraction-by-ranks-per-node", "MPI fraction by ranks per node",
	 "Median and quartiles over jobs.", "mpi", FIGURE_QUARTILES, FIGURE_IN_ORDER,
	 "MPI fraction (%)", QUANTITY_PERCENT, .fields = class_quartiles,
	 .sql = FRACTION_QUARTILES("CAST(ranks_per_node AS TEXT)")},
	{NULL, NULL, "mpi-fraction-by-level", "MPI fraction by thread level",
	 "Median and quartiles over jobs.", "mpi", FIGURE_QUARTILES, 0, "MPI fraction (%)",
	 QUANTITY_PERCENT, .fields = class_quartiles,
	 .sql = FRACTION_QUARTILES("(SELECT text FROM texts WHERE id = level)")},
	{NULL, NULL, "mpi-fraction-by-domain", "MPI fraction by science domain",
	 "Median and quartiles over jobs whose application has a domain.", "mpi", FIGURE_QUARTILES,
	 0, "MPI fraction (%)", QUANTITY_PERCENT, .fields = class_quartiles,
	 .sql = FRACTION_QUARTILES("domain")},

	{"8", "11", "collective-calls", "Calls of collectives",
	 "Sum of the calls of each job's average rank.", "collectives", FIGURE_BARS,
	 FIGURE_SUMS | FIGURE_LOG, "calls", QUANTITY_COUNT, .fields = calls_fields, .label = 2,
	 .value = 3,
	 .sql = FUNCTIONS("f.form, f.name, total(s.calls) AS calls, sum(s.jobs)",
			  COLLECTIVES) " ORDER BY calls DESC, f.name"},
	{"9", "12", "collective-core-hours", "Core-hours in collectives",
	 "Sum over jobs of core-hours times m(x)/T, with its share of all core-hours in MPI.",
	 "collectives", FIGURE_BARS, FIGURE_SUMS, "core-hours", QUANTITY_NUMBER,
	 .fields = hours_fields, .label = 2, .value = 3, .note = 4,
	 .sql = FUNCTIONS(
		 "f.form, f.name, total(s.core_hours) AS hours, total(s.core_hours) / " HOURS_IN_MPI
		 ", sum(s.jobs)",
		 COLLECTIVES) " ORDER BY hours DESC, f.name"},
	{"10", "13", "collective-bytes", "Bytes of collectives",
	 "Sum of the bytes that each job's average rank passes as its own data, with the bytes per call.",
	 "collectives", FIGURE_BARS, FIGURE_SUMS | FIGURE_LOG, "bytes", QUANTITY_BYTES,
	 .fields = bytes_fields, .group = 1, .label = 2, .value = 3, .note = 4,
	 .sql = BYTES(COLLECTIVE_FORM, COLLECTIVES)},
	{"14", "15", "collective-fraction", "Collectives in the runtime",
	 "Time in collectives of the average rank, by the runtime.", "collectives", FIGURE_CURVES,
	 0, "fraction in collectives (%)", QUANTITY_PERCENT, .fields = fraction_curve,
	 .share = "share of jobs",
	 .sql = "SELECT 'collectives', collective_ns, time_ns, weight, job FROM temp.log"},
	{"16", "17", "collective-sizes", "Mean bytes of collectives",
	 "Bytes by calls of a job (\"normalised bytes\"), for each collective over the jobs that call it.",
	 "collectives", FIGURE_CURVES, FIGURE_LOG | FIGURE_BY_COUNT | FIGURE_COMPLEMENT,
	 "bytes per call", QUANTITY_BYTES, .fields = bytes_curve, .share = "share of jobs",
	 .sql = mean_sizes_sql},
	{NULL, NULL, "message-sizes", "Small and large collectives, by mean and exactly",
	 "By mean: jobs by their bytes per call, which hides mixtures. Any call: jobs that make a call "
	 "of that size. Both over jobs with such calls, by weight.",
	 "collectives", FIGURE_TABLE, .fields = message_size_fields, .sql = message_sizes_sql},

	{"18", "21", "message-calls", "Point-to-point calls",
	 "Sum of the calls of each job's average rank.", "messages", FIGURE_BARS,
	 FIGURE_SUMS | FIGURE_LOG, "calls", QUANTITY_COUNT, .fields = calls_fields, .group = 1,
	 .label = 2, .value = 3, .sql = CALLS(FORM, MESSAGES)},
	{"19", "22", "message-core-hours", "Core-hours in point-to-point calls",
	 "Sum over jobs of core-hours times m(x)/T, with its share of all core-hours in MPI.",
	 "messages", FIGURE_BARS, FIGURE_SUMS, "core-hours", QUANTITY_NUMBER,
	 .fields = hours_fields, .group = 1, .label = 2, .value = 3, .note = 4,
	 .sql = CORE_HOURS(FORM, MESSAGES)},
	{"20", "23", "message-bytes", "Bytes of point-to-point calls",
	 "Sum of the bytes of each job's average rank, with the bytes per call.", "messages",
	 FIGURE_BARS, FIGURE_SUMS | FIGURE_LOG, "bytes", QUANTITY_BYTES, .fields = bytes_fields,
	 .group = 1, .label = 2, .value = 3, .note = 4, .sql = BYTES(FORM, MESSAGES)},
	{"24", "25", "message-fraction", "Point-to-point in the runtime",
	 "Time of the average rank in calls for messages and in Wait and Test, by the runtime.",
	 "messages", FIGURE_CURVES, 0, "fraction in point-to-point (%)", QUANTITY_PERCENT,
	 .fields = fraction_curve, .share = "share of jobs",
	 .sql = "SELECT 'point-to-point', p2p_ns, time_ns, weight, job FROM temp.log"},

	{"26", "27", "application-fraction", "MPI fraction by application",
	 "Median over the jobs of each application, and its quartiles; the largest median first.",
	 "applications", FIGURE_QUARTILES, 0, "MPI fraction (%)", QUANTITY_PERCENT,
	 .fields = application_quartiles,
	 .sql = "SELECT t.text, l.domain, fraction, weight, core_hours FROM temp.log AS l "
		"LEFT JOIN texts AS t ON t.id = application"},
	{"28", "A.1", "application-fraction-by-core-hours",
	 "MPI fraction by application, by core-hours",
	 "The same; the application with most core-hours first.", "applications", FIGURE_QUARTILES,
	 FIGURE_BY_CORE_HOURS, "MPI fraction (%)", QUANTITY_PERCENT,
	 .fields = application_quartiles,
	 .sql = "SELECT t.text, l.domain, fraction, weight, core_hours FROM temp.log AS l "
		"LEFT JOIN texts AS t ON t.id = application"},
	{"29", "A.2", "application-time", "Time of applications",
	 "Shares of the core-hours of each application; that with most core-hours first.",
	 "applications", FIGURE_STACKED, 0, "core-hours (%)", QUANTITY_PERCENT,
	 .fields = part_fields, .sql = time_sql},
	{NULL, NULL, "application-communication", "Time of applications in MPI",
	 "The same without compute, as the caption of figure A.2 says.", "applications",
	 FIGURE_STACKED, 0, "core-hours in MPI (%)", QUANTITY_PERCENT, .fields = part_fields,
	 .sql = communication_sql},
	{"30", NULL, "application-functions", "Time of applications by MPI function",
	 "Shares of the core-hours in MPI of each application.", "applications", FIGURE_STACKED,
	 FIGURE_SUMS, "core-hours in MPI (%)", QUANTITY_PERCENT, .fields = part_fields,
	 .sql = functions_sql},
	{NULL, NULL, "modes", "Jobs of the same application, arguments and nodes",
	 "An application may run in several modes: jobs with the same hash of their arguments and the same "
	 "number of nodes, with their MPI fraction.",
	 "applications", FIGURE_TABLE, .fields = mode_fields, .sql = modes_sql},

	{"table A.1", NULL, "thread-levels", "Thread levels",
	 "What programs ask for with MPI_Init_thread.", "settings", FIGURE_TABLE,
	 .fields = level_fields, .sql = levels_sql},
	{"table A.2", NULL, "ranks-per-node", "Ranks per node", "Most ranks on a node of the job.",
	 "settings", FIGURE_TABLE, .fields = density_fields, .sql = densities_sql},
	{"table A.3", NULL, "files", "Calls of MPI-IO",
	 "Calls of all ranks. Forms with and without _at are one; an open on a communicator of one rank is "
	 "independent.",
	 "settings", FIGURE_TABLE, .fields = io_fields, .sql = files_sql},

	{NULL, NULL, "latency-tolerance", "Tolerance of latency",
	 "Rise of the latency that makes a job 1 % longer, estimated from the counts of its calls: 0.01 T / max Lambda, "
	 "with Lambda calibrated where jobs were traced. "
	 "Always weighted by core-hours, over the jobs that wait for some latency.",
	 "latency", FIGURE_CURVES, FIGURE_LOG | FIGURE_EXPOSURE, "rise of the latency",
	 QUANTITY_TIME, .fields = tolerance_curve, .share = "share of core-hours",
	 .sql = "SELECT 'tolerance', 0.01 * e.runtime_ns, e.exposure, l.core_hours, l.job "
		"FROM temp.exposure AS e JOIN temp.log AS l ON l.job = e.job"},
	{NULL, NULL, "latency-shares", "What a rise of the latency costs",
	 "Share of all core-hours whose jobs lose 1 % of their runtime or more, by the same estimate.",
	 "latency", FIGURE_TABLE, FIGURE_EXPOSURE, .fields = tolerance_fields,
	 .sql = "WITH rises(rise) AS (VALUES(100), (1000), (10000), (100000), (1000000)) "
		"SELECT rise, total(l.core_hours * (0.01 * e.runtime_ns <= rise * e.exposure)) / "
		"nullif(total(l.core_hours), 0), count(*) FROM rises, temp.exposure AS e "
		"JOIN temp.log AS l ON l.job = e.job GROUP BY rise ORDER BY rise"},
	{NULL, NULL, "latency-calibration", "Estimates and traces",
	 "lambda_L of the jobs that were also traced (llamp-usage index --traced), over Lambda of their logs. The estimates of "
	 "other jobs are multiplied by the median of their application, or of all.",
	 "latency", FIGURE_TABLE, FIGURE_EXPOSURE, .fields = calibration_fields,
	 .sql = "SELECT iif(c.application IS NULL, '(all)', " APPLICATION
		"), c.factor, c.least, c.most, c.jobs "
		"FROM temp.calibration AS c LEFT JOIN texts AS t ON t.id = c.application "
		"ORDER BY c.application IS NULL, 1"},
	{NULL, NULL, "trace-next", "Jobs to trace next",
	 "The job of each application with the largest core-hours times Lambda / T, which is what a rise of the latency "
	 "costs; the largest ten of the applications of which no job was traced.",
	 "latency", FIGURE_TABLE, FIGURE_EXPOSURE, .fields = next_fields,
	 .sql = "SELECT " APPLICATION ", j.job, l.core_hours, 0.01 * e.runtime_ns / e.exposure, "
		"trace_line(p.text, l.ranks) FROM (SELECT e.job AS job, max(l.core_hours * e.exposure / "
		"e.runtime_ns) AS cost FROM temp.exposure AS e JOIN temp.log AS l ON l.job = e.job "
		"WHERE e.exposure > 0 AND NOT EXISTS (SELECT * FROM temp.calibration AS a WHERE a.application = l.application) "
		"GROUP BY l.application ORDER BY cost DESC, e.job LIMIT 10) AS c "
		"JOIN temp.exposure AS e ON e.job = c.job JOIN temp.log AS l ON l.job = c.job "
		"JOIN job_data AS j ON j.id = c.job LEFT JOIN texts AS t ON t.id = l.application "
		"LEFT JOIN texts AS p ON p.id = j.program ORDER BY c.cost DESC, c.job"},

	{"1", NULL, "ping-pong", "Latency with and without the profile",
	 "No question to an index: measure it on the network at hand, with llamp-measure params alone and "
	 "with the profile preloaded (doc/usage.md, Cost).",
	 "tool", FIGURE_TABLE, .fields = latency_fields},
};
const size_t figure_count = sizeof figures / sizeof *figures;

/* ----------------------------------------------------------------------- names */

/* Skip the word that a number begins with. */
static const char *skip_word(const char *text)
{
	static const char *const words[] = {"figure", "fig.", "fig", "table"};

	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		const size_t length = strlen(words[i]);

		if (!strncasecmp(text, words[i], length)) {
			text += length;
			break;
		}
	}
	while (isspace((unsigned char)*text))
		text++;
	return text;
}

static bool is_table(const struct figure *figure)
{
	return figure->number && !strncmp(figure->number, "table", 5);
}

static bool has_number(const struct figure *figure, const char *text)
{
	const char *const number = skip_word(text);
	const bool figure_only = number != text && strncasecmp(text, "table", 5) != 0;
	const bool table_only = number != text && !figure_only;

	if (!figure->number || (is_table(figure) ? figure_only : table_only))
		return false;
	return !strcasecmp(skip_word(figure->number), number) ||
	       (figure->second && !strcasecmp(figure->second, number));
}

const struct figure *figure_find(const char *text, struct error *err)
{
	for (size_t i = 0; i < figure_count; i++)
		if (!strcmp(figures[i].name, text))
			return &figures[i];
	/* Of figure A.1 and table A.1 the word tells which is meant; without it, the figure is. */
	for (int tables = 0; tables < 2; tables++)
		for (size_t i = 0; i < figure_count; i++)
			if (is_table(&figures[i]) == tables && has_number(&figures[i], text))
				return &figures[i];
	error_set(
		err, STATUS_USAGE,
		"unknown figure '%s' (expected a number from 1 to 30, A.1, table I, table A.1 to A.3, IV-A, or a "
		"name, as the report lists them)",
		text);
	return NULL;
}

const char *figure_numbers(const struct figure *figure, bool compared,
			   char text[static FIGURE_NUMBER_BYTES])
{
	const char *const number = figure->number;

	*text = '\0';
	if (!number)
		return text;
	snprintf(text, FIGURE_NUMBER_BYTES, "%s%s%s%s",
		 is_table(figure) || !strcmp(number, "IV-A") ? "" : "figure ", number,
		 compared && figure->second ? ", " : "",
		 compared && figure->second ? figure->second : "");
	return text;
}
