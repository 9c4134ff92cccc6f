/* Questions about the scheduler's records and about jobs: coverage, sizes, runtimes, settings. */
#include "usage/figures/figure_questions.h"

const char question_coverage[] =
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

const char question_reasons[] =
	"SELECT coalesce(t.text, 'unknown'), count(*), total(r.core_hours) AS hours, "
	"total(r.core_hours) / (SELECT nullif(total(core_hours), 0) FROM temp.record WHERE "
	"filtered), count(DISTINCT r.executable) FROM temp.record AS r "
	"JOIN record_data AS k ON k.id = r.id LEFT JOIN texts AS t ON t.id = k.coverage "
	"WHERE r.filtered GROUP BY k.coverage ORDER BY hours DESC, 1";

const char question_executables[] =
	"SELECT t.text, count(*), sum(logged), total(core_hours) AS hours, "
	"total(core_hours * logged) / nullif(total(core_hours), 0) FROM temp.record AS r "
	"LEFT JOIN texts AS t ON t.id = r.executable WHERE filtered "
	"GROUP BY r.executable ORDER BY hours DESC, 1";

const char question_headlines[] =
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

const char question_core_hours_in_mpi[] =
	"SELECT total(core_hours), total(core_hours * fraction), total(core_hours * fraction) / "
	"nullif(total(core_hours), 0), count(*) FROM temp.log WHERE fraction IS NOT NULL "
	"HAVING count(*)";

/* The three sets of jobs, as series: jobs with a log are those of the filter, if there are records. */
#define SETS                                                                               \
	"sets(number, name, nodes, seconds, core_hours, id) AS ("                          \
	"SELECT 1, 'all', nodes, seconds, core_hours, id FROM temp.record "                \
	"UNION ALL SELECT 2, 'filtered', nodes, seconds, core_hours, id FROM temp.record " \
	"WHERE filtered "                                                                  \
	"UNION ALL SELECT 3, 'with log', nodes, seconds, core_hours, job FROM temp.log)"

const char question_job_sizes[] =
	"WITH " SETS " SELECT name, node_class(nodes) AS class, total(core_hours) / "
	"nullif(total(total(core_hours)) OVER (PARTITION BY number), 0), total(core_hours), "
	"count(*) FROM sets WHERE nodes > 0 GROUP BY number, class ORDER BY number, class";

const char question_runtimes[] = "WITH " SETS " SELECT name, seconds, 1, core_hours, id FROM sets "
				 "WHERE core_hours IS NOT NULL ORDER BY number";

/* Names are looked up for groups, not for jobs. */
const char question_modes[] =
	"SELECT " QUESTION_APPLICATION
	", printf('%016x', args_hash), nodes, n, hours, least, mean, "
	"most FROM (SELECT application, args_hash, nodes, count(*) AS n, "
	"total(core_hours) AS hours, min(fraction) AS least, avg(fraction) AS mean, "
	"max(fraction) AS most FROM temp.log WHERE fraction IS NOT NULL "
	"GROUP BY application, args_hash, nodes) LEFT JOIN texts AS t ON t.id = application "
	"ORDER BY hours DESC, 1, 2, 3";

const char question_levels[] =
	"SELECT t.text, count(*) * 1.0 / (SELECT nullif(count(*), 0) FROM temp.log) AS share, "
	"total(core_hours) / (SELECT nullif(total(core_hours), 0) FROM temp.log), "
	"count(DISTINCT application), count(*) FROM temp.log LEFT JOIN texts AS t ON t.id = level "
	"GROUP BY level ORDER BY CASE t.text WHEN 'single' THEN 1 WHEN 'funneled' THEN 2 "
	"WHEN 'serialized' THEN 3 WHEN 'multiple' THEN 4 ELSE 5 END";

const char question_densities[] =
	"SELECT ranks_per_node, count(*) * 1.0 / (SELECT nullif(count(*), 0) FROM temp.log), "
	"total(core_hours) / (SELECT nullif(total(core_hours), 0) FROM temp.log), count(*) "
	"FROM temp.log GROUP BY ranks_per_node ORDER BY ranks_per_node";
