/* Questions about functions: calls, core-hours, bytes, and sizes of messages. */
#include "usage/figures/figure_questions.h"

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

const char question_collective_calls[] =
	FUNCTIONS("f.form, f.name, total(s.calls) AS calls, sum(s.jobs)",
		  COLLECTIVES) " ORDER BY calls DESC, f.name";

const char question_collective_core_hours[] = FUNCTIONS(
	"f.form, f.name, total(s.core_hours) AS hours, total(s.core_hours) / " HOURS_IN_MPI
	", sum(s.jobs)",
	COLLECTIVES) " ORDER BY hours DESC, f.name";

const char question_collective_bytes[] = BYTES(COLLECTIVE_FORM, COLLECTIVES);

const char question_message_calls[] = CALLS(FORM, MESSAGES);
const char question_message_core_hours[] = CORE_HOURS(FORM, MESSAGES);
const char question_message_bytes[] = BYTES(FORM, MESSAGES);

/*
 * Functions that a question is about, in a table that is read for each row of calls or cells: far fewer rows than those of
 * `functions`.  They are near each other in the table of functions, so that those of a job are found in one go.
 */
#define LEAST_KIND "(SELECT min(function) FROM kinds)"
#define MOST_KIND "(SELECT max(function) FROM kinds)"
#define CALLS_OF_KINDS                                                                  \
	"FROM temp.log AS l CROSS JOIN job_calls AS c ON c.job = l.job AND c.function " \
	"BETWEEN " LEAST_KIND " AND " MOST_KIND " JOIN kinds AS k ON k.function = c.function "
#define CELLS_OF_KINDS                                                                                \
	"FROM temp.log AS l CROSS JOIN cell_data AS c ON c.job = l.job AND c.key BETWEEN " LEAST_KIND \
	" << 15 AND " MOST_KIND " << 15 | 32767 JOIN kinds AS k ON k.function = "                     \
	"c.key >> 15 "
#define IS_FAILED "c.key & 1"

const char question_mean_sizes[] =
	"WITH kinds AS MATERIALIZED (SELECT id AS function, plain FROM functions WHERE "
	"class = 'collective' AND plain NOT IN ('MPI_Barrier', 'MPI_Ibarrier', "
	"'MPI_Barrier_init')) SELECT k.plain, c.bytes, c.calls, l.weight, l.job " CALLS_OF_KINDS
	"WHERE c.calls > 0";

/* The share of jobs whose mean size is so, and that of jobs that have calls of a size, of jobs with such calls. */
#define SIZES(number, kind, mean, fit)                                                             \
	"SELECT " number " AS number, total(weight * (" kind "_bytes * 1.0 / " kind "_calls " mean \
	")) / nullif(total(weight * (" kind "_calls > 0)), 0) AS mean, "                           \
	"total(" kind "_calls > 0) AS n, total(weight * (" fit " > 0)) / "                         \
	"nullif(total(weight * (" kind "_all > 0)), 0) AS exact, total(" fit ") / "                \
	"nullif(total(" kind "_all), 0) AS calls, total(" kind "_all > 0) AS all_n FROM sizes"

#define REDUCTIONS_256 SIZES("1", "reduction", "<= 256", "reduction_256")
#define REDUCTIONS_16K SIZES("2", "reduction", "<= 16384", "reduction_16k")
#define ALLREDUCES_512K SIZES("3", "allreduce", ">= 524288", "allreduce_512k")
#define BCASTS_16M SIZES("4", "bcast", ">= 16777216", "bcast_16m")

const char question_message_sizes[] =
	"WITH question(number, name, mira, cetus) AS (VALUES"
	"(1, 'reductions, at most 256 B', '40 %', '85 %'), "
	"(2, 'reductions, at most 16 KiB', '70 %', NULL), "
	"(3, 'MPI_Allreduce, at least 512 KiB', '20 %', NULL), "
	"(4, 'MPI_Bcast, at least 16 MiB', '5 %', NULL)), "
	"sizes AS (SELECT l.weight, s.* FROM temp.log AS l JOIN job_sizes AS s ON s.job = l.job), "
	"answer AS (" REDUCTIONS_256 " UNION ALL " REDUCTIONS_16K " UNION ALL " ALLREDUCES_512K
	" UNION ALL " BCASTS_16M ") SELECT name, mean, n, exact, calls, all_n, mira, cetus "
	"FROM question JOIN answer USING(number) WHERE (SELECT count(*) FROM temp.log) "
	"ORDER BY number";

/* The first rows are those of the paper, also without calls. */
const char question_files[] =
	"WITH paper(number, name) AS (VALUES(1, 'MPI_File_iread'), (2, 'MPI_File_iwrite'), "
	"(3, 'MPI_File_open, collective'), (4, 'MPI_File_open, independent'), (5, 'MPI_File_read'), "
	"(6, 'MPI_File_read_all'), (7, 'MPI_File_read_all_begin'), (8, 'MPI_File_set_view'), "
	"(9, 'MPI_File_write'), (10, 'MPI_File_write_all'), (11, 'MPI_File_write_all_begin')), "
	"kinds AS MATERIALIZED (SELECT id AS function, plain FROM functions WHERE class = 'io'), "
	"used AS (SELECT CASE WHEN k.plain = 'MPI_File_open' THEN k.plain || CASE c.key >> 3 & 31 "
	"WHEN 1 THEN ', independent' ELSE ', collective' END "
	"WHEN k.plain LIKE '%atomicity' THEN k.plain ELSE replace(k.plain, '_at', '') END AS name, "
	"c.calls, l.job " CELLS_OF_KINDS "WHERE NOT " IS_FAILED "), "
	"sums AS (SELECT name, total(calls) AS calls, count(DISTINCT job) AS jobs FROM used "
	"GROUP BY name) "
	"SELECT p.name, coalesce(calls, 0), coalesce(jobs, 0) FROM paper AS p LEFT JOIN sums AS s "
	"ON s.name = p.name WHERE (SELECT count(*) FROM temp.log) "
	"UNION ALL SELECT * FROM (SELECT name, calls, jobs FROM sums "
	"WHERE name NOT IN (SELECT name FROM paper) ORDER BY calls DESC, name)";

#define PLACE "CASE place WHEN 1 THEN 'same node' WHEN 2 THEN 'other node' ELSE 'unknown' END"

const char question_network[] = "SELECT " PLACE ", latency_ns, least_ns, most_ns, overhead_ns, "
				"gap_ns_per_byte, threshold, residual, sizes FROM temp.network "
				"WHERE latency_ns IS NOT NULL OR overhead_ns IS NOT NULL "
				"ORDER BY place = 0, place";

const char question_least_times[] =
	"SELECT " PLACE ", CASE call WHEN 0 THEN 'MPI_Send' WHEN 1 THEN 'MPI_Recv' "
	"ELSE 'MPI_Ssend' END, bytes, ns, calls, jobs FROM temp.least_times "
	"ORDER BY place = 0, place, call, bytes";

const char question_ping_pong[] =
	"WITH least AS (SELECT run, bytes, min(latency_ns) AS latency_ns, count(*) AS n FROM ping_pong GROUP BY run, bytes) "
	"SELECT l.run, l.bytes, l.latency_ns, l.latency_ns / a.latency_ns - 1, l.n FROM least AS l "
	"LEFT JOIN least AS a ON a.bytes = l.bytes AND a.run = 'alone' AND l.run <> 'alone' ORDER BY l.run, l.bytes";
