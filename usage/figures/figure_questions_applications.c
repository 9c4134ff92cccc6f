/* Questions about applications: their time in MPI, by function, and what a latency costs them. */
#include "usage/figures/figure_questions.h"

/* Rows of quartiles: label, domain, fraction, weight, core-hours. */
#define FRACTIONS(label, domain, which)                                                        \
	"SELECT " label ", " domain ", l.fraction, l.weight, l.core_hours FROM temp.log AS l " \
	"LEFT JOIN texts AS t ON t.id = l.application "                                        \
	"LEFT JOIN domains AS d ON d.application = t.text" which

const char question_application_fraction[] = FRACTIONS("t.text", "d.domain", "");
const char question_domain_fraction[] = FRACTIONS("d.domain", "NULL",
						  " WHERE d.domain IS NOT NULL");

#define APPLICATION_PARTS                                                              \
	"parts AS (SELECT application, count(*) AS jobs, total(core_hours) AS hours, " \
	"total(core_hours * (1 - fraction)) AS compute, "                              \
	"total(core_hours * p2p_ns / time_ns) AS messages, "                           \
	"total(core_hours * collective_ns / time_ns) AS collectives, "                 \
	"total(core_hours * (mpi_ns - p2p_ns - collective_ns) / time_ns) AS other, "   \
	"total(core_hours * fraction) AS mpi "                                         \
	"FROM temp.log WHERE fraction IS NOT NULL GROUP BY application)"

const char question_time[] =
	"WITH " APPLICATION_PARTS ", names(number, name) AS (VALUES(1, 'compute'), "
	"(2, 'point-to-point'), (3, 'collectives'), (4, 'other MPI')), "
	"rows AS (SELECT application, jobs, hours, number, name, CASE number WHEN 1 THEN compute "
	"WHEN 2 THEN messages WHEN 3 THEN collectives ELSE other "
	"END AS part FROM parts, names) "
	"SELECT " QUESTION_APPLICATION ", name, part / nullif(hours, 0), part, jobs FROM rows "
	"LEFT JOIN texts AS t ON t.id = application ORDER BY hours DESC, t.text, number";

const char question_communication[] =
	"WITH " APPLICATION_PARTS ", names(number, name) AS (VALUES(1, 'point-to-point'), "
	"(2, 'collectives'), (3, 'other MPI')), "
	"rows AS (SELECT application, jobs, hours, mpi, number, name, CASE number "
	"WHEN 1 THEN messages WHEN 2 THEN collectives ELSE other "
	"END AS part FROM parts, names) "
	"SELECT " QUESTION_APPLICATION ", name, part / nullif(mpi, 0), part, jobs FROM rows "
	"LEFT JOIN texts AS t ON t.id = application ORDER BY hours DESC, t.text, number";

const char question_functions[] =
	"WITH a AS (SELECT application, count(*) AS jobs, total(core_hours) AS hours "
	"FROM temp.log GROUP BY application) "
	"SELECT " QUESTION_APPLICATION ", f.name, s.core_hours / nullif(total(s.core_hours) OVER "
	"(PARTITION BY s.application), 0), s.core_hours, a.jobs FROM temp.sums AS s "
	"JOIN functions AS f ON f.id = s.function JOIN a ON a.application IS s.application "
	"LEFT JOIN texts AS t ON t.id = s.application WHERE s.core_hours > 0 "
	"ORDER BY a.hours DESC, t.text, s.core_hours DESC, f.name";

const char question_tolerance[] =
	"SELECT 'tolerance', 0.01 * e.runtime_ns, e.exposure, l.core_hours, l.job "
	"FROM temp.exposure AS e JOIN temp.log AS l ON l.job = e.job";

const char question_tolerance_shares[] =
	"WITH rises(rise) AS (VALUES(100), (1000), (10000), (100000), (1000000)), "
	"jobs AS MATERIALIZED (SELECT l.core_hours, 0.01 * e.runtime_ns / nullif(e.exposure, 0) AS "
	"tolerance_ns FROM temp.exposure AS e JOIN temp.log AS l ON l.job = e.job) SELECT rise, "
	"total(core_hours * coalesce(tolerance_ns <= rise, 0)) / nullif(total(core_hours), 0), "
	"count(*) FROM rises, jobs GROUP BY rise ORDER BY rise";

const char question_calibration[] =
	"SELECT iif(c.application IS NULL, '(all)', " QUESTION_APPLICATION
	"), c.factor, c.least, c.most, c.jobs "
	"FROM temp.calibration AS c LEFT JOIN texts AS t ON t.id = c.application "
	"ORDER BY c.application IS NULL, 1";

const char question_trace_next[] =
	"SELECT " QUESTION_APPLICATION ", j.job, l.core_hours, 0.01 * e.runtime_ns / e.exposure, "
	"trace_line(p.text, l.ranks) FROM (SELECT e.job AS job, max(l.core_hours * e.exposure / "
	"e.runtime_ns) AS cost FROM temp.exposure AS e JOIN temp.log AS l ON l.job = e.job "
	"JOIN job_data AS o ON o.id = e.job WHERE e.exposure > 0 AND NOT EXISTS (SELECT * FROM "
	"temp.calibration AS a WHERE a.application = l.application) "
	"AND NOT EXISTS (SELECT * FROM texts AS k WHERE k.id = o.clock AND k.text = 'trace') "
	"GROUP BY l.application ORDER BY cost DESC, e.job LIMIT 10) AS c "
	"JOIN temp.exposure AS e ON e.job = c.job JOIN temp.log AS l ON l.job = c.job "
	"JOIN job_data AS j ON j.id = c.job LEFT JOIN texts AS t ON t.id = l.application "
	"LEFT JOIN texts AS p ON p.id = j.program ORDER BY c.cost DESC, c.job";
