-- Tables and views of an index (doc/usage.md says what the columns mean).
--
-- Times are ns, sizes bytes, what is not known is NULL.  Names that end in _data are of tables that are
-- smaller than they are handy: texts that many rows share are numbers of `texts`, and the view beside
-- the table has the texts.  SQLite leaves out a LEFT JOIN whose columns a query does not use.

CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
CREATE TABLE texts(id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);
-- plain: the name without _c.
CREATE TABLE functions(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, class TEXT NOT NULL,
	form TEXT, mode TEXT, plain TEXT NOT NULL);

-- Files that were found.  state: 0 the log of a job, 1 one of several logs of a job, 2 a copy of
-- another log, 3 damaged.
CREATE TABLE folders(id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE);
CREATE TABLE files(id INTEGER PRIMARY KEY, folder INTEGER NOT NULL, name TEXT NOT NULL,
	mtime_ns INTEGER NOT NULL, bytes INTEGER NOT NULL, state INTEGER NOT NULL, job INTEGER,
	missing INTEGER NOT NULL DEFAULT 0, reason TEXT);
CREATE INDEX partial_files ON files(job) WHERE state IN (1, 2);
CREATE VIEW damaged AS
	SELECT d.path || '/' || f.name AS path, f.reason
	FROM files AS f JOIN folders AS d ON d.id = f.folder WHERE f.state = 3;
CREATE VIEW partials AS
	SELECT f.job, d.path || '/' || f.name AS path
	FROM files AS f JOIN folders AS d ON d.id = f.folder WHERE f.state = 1;

-- Jobs that have a log.  average_ns and the classes are of the average rank; record: the scheduler's;
-- quantiles: packed numbers (usage/index/database.h), the least time and 16 differences; exposure: usage/model/exposure.h,
-- of the rank with a role that has most.
CREATE TABLE job_data(id INTEGER PRIMARY KEY, system INTEGER NOT NULL, job TEXT NOT NULL,
	step TEXT NOT NULL, start_ns INTEGER NOT NULL, user INTEGER, program INTEGER,
	application INTEGER, build_id INTEGER, args_hash INTEGER, "end" INTEGER, reason INTEGER,
	mpi_ns INTEGER, process_ns INTEGER, ranks INTEGER, nodes INTEGER, ranks_seen INTEGER,
	nodes_seen INTEGER, ranks_per_node INTEGER, threads INTEGER, level_asked INTEGER,
	level_given INTEGER, library INTEGER, clock INTEGER, overflow INTEGER, mean_ns INTEGER,
	deviation_ns INTEGER, least_ns INTEGER, most_ns INTEGER, quantiles BLOB, file INTEGER,
	parent INTEGER, average_ns INTEGER, local_ns INTEGER, p2p_ns INTEGER,
	completion_ns INTEGER, collective_ns INTEGER, io_ns INTEGER, rma_ns INTEGER,
	exposure REAL, record INTEGER, core_hours REAL,
	UNIQUE(system, job, step, start_ns));
CREATE INDEX job_records ON job_data(record) WHERE record IS NOT NULL;
CREATE VIEW jobs AS
	SELECT j.id, nullif(s.text, '') AS system, j.job, j.step, nullif(j.start_ns, 0) AS start_ns,
		u.text AS user, p.text AS program, a.text AS application, b.text AS build_id,
		printf('%016x', j.args_hash) AS args_hash, e.text AS "end", r.text AS reason,
		j.mpi_ns, j.process_ns, j.ranks, j.nodes, j.ranks_seen, j.nodes_seen,
		j.ranks_per_node, j.threads, la.text AS level_asked, lg.text AS level_given,
		l.text AS library, c.text AS clock, j.overflow, j.mean_ns, j.deviation_ns, j.least_ns,
		j.most_ns, j.quantiles, d.path || '/' || f.name AS path, f.mtime_ns AS mtime,
		y.text AS parent, j.average_ns, j.local_ns, j.p2p_ns, j.completion_ns,
		j.collective_ns, j.io_ns, j.rma_ns, j.exposure, j.record, j.core_hours
	FROM job_data AS j
	LEFT JOIN texts AS s ON s.id = j.system
	LEFT JOIN texts AS u ON u.id = j.user
	LEFT JOIN texts AS p ON p.id = j.program
	LEFT JOIN texts AS a ON a.id = j.application
	LEFT JOIN texts AS b ON b.id = j.build_id
	LEFT JOIN texts AS e ON e.id = j."end"
	LEFT JOIN texts AS r ON r.id = j.reason
	LEFT JOIN texts AS la ON la.id = j.level_asked
	LEFT JOIN texts AS lg ON lg.id = j.level_given
	LEFT JOIN texts AS l ON l.id = j.library
	LEFT JOIN texts AS c ON c.id = j.clock
	LEFT JOIN texts AS y ON y.id = j.parent
	LEFT JOIN files AS f ON f.id = j.file
	LEFT JOIN folders AS d ON d.id = f.folder;

-- Ranks that have roles: 1 first, 2 most, 4 least, 8 average, added.
CREATE TABLE rank_data(job INTEGER, rank INTEGER, roles INTEGER, host INTEGER, mpi_ns INTEGER,
	local_ns INTEGER, instructions INTEGER, cycles INTEGER, floating_point INTEGER,
	rss_bytes INTEGER, user_ns INTEGER, system_ns INTEGER, voluntary_switches INTEGER,
	involuntary_switches INTEGER,
	PRIMARY KEY(job, rank)) WITHOUT ROWID;
CREATE VIEW job_ranks AS
	SELECT k.job, k.rank, k.roles, h.text AS host, k.mpi_ns, k.local_ns, k.instructions,
		k.cycles, k.floating_point, k.rss_bytes, k.user_ns, k.system_ns,
		k.voluntary_switches, k.involuntary_switches
	FROM rank_data AS k
	LEFT JOIN texts AS h ON h.id = k.host;

-- Calls of the average rank, and of the three others where they differ from it (NULL: they do not).
CREATE TABLE job_calls(job INTEGER, function INTEGER, calls INTEGER, bytes INTEGER, moved INTEGER,
	ns INTEGER,
	first_calls INTEGER, first_bytes INTEGER, first_moved INTEGER, first_ns INTEGER,
	most_calls INTEGER, most_bytes INTEGER, most_moved INTEGER, most_ns INTEGER,
	least_calls INTEGER, least_bytes INTEGER, least_moved INTEGER, least_ns INTEGER,
	PRIMARY KEY(job, function)) WITHOUT ROWID;
CREATE VIEW rank_calls AS
	SELECT job, 'average' AS role, function, calls, bytes, moved, ns FROM job_calls
	WHERE calls > 0
	UNION ALL
	SELECT job, 'first', function, coalesce(first_calls, calls), coalesce(first_bytes, bytes),
		coalesce(first_moved, moved), coalesce(first_ns, ns) FROM job_calls
	WHERE coalesce(first_calls, calls) > 0
	UNION ALL
	SELECT job, 'most', function, coalesce(most_calls, calls), coalesce(most_bytes, bytes),
		coalesce(most_moved, moved), coalesce(most_ns, ns) FROM job_calls
	WHERE coalesce(most_calls, calls) > 0
	UNION ALL
	SELECT job, 'least', function, coalesce(least_calls, calls), coalesce(least_bytes, bytes),
		coalesce(least_moved, moved), coalesce(least_ns, ns) FROM job_calls
	WHERE coalesce(least_calls, calls) > 0;

-- Sums of all ranks: two thirds of an index.  key: 10 bits of the function, 7 of size_class, 5 of
-- comm_class, 2 of place, 1 of failed.  moved: NULL is the same as bytes; bins: usage/index/database.h.
CREATE TABLE cell_data(job INTEGER, key INTEGER, calls INTEGER, bytes INTEGER, moved INTEGER,
	ns INTEGER, least_ns INTEGER, most_ns INTEGER, rank_most_ns INTEGER, ranks INTEGER,
	bins BLOB,
	PRIMARY KEY(job, key)) WITHOUT ROWID;
CREATE VIEW cells AS
	SELECT job, key >> 15 AS function, key >> 8 & 127 AS size_class,
		key >> 3 & 31 AS comm_class, key >> 1 & 3 AS place, key & 1 AS failed, calls, bytes,
		coalesce(moved, bytes) AS moved, ns, least_ns, most_ns, rank_most_ns, ranks, bins
	FROM cell_data;

-- Calls of jobs that a figure about sizes of messages asks for (usage/index/sizes.h).
CREATE TABLE job_sizes(job INTEGER PRIMARY KEY,
	reduction_calls INTEGER, reduction_bytes INTEGER, reduction_all INTEGER,
	reduction_256 INTEGER, reduction_16k INTEGER,
	allreduce_calls INTEGER, allreduce_bytes INTEGER, allreduce_all INTEGER,
	allreduce_512k INTEGER,
	bcast_calls INTEGER, bcast_bytes INTEGER, bcast_all INTEGER, bcast_16m INTEGER);

-- The scheduler's records.  in_programme, in_filter, normal: the sets of the coverage table.
-- logs: number of logs; coverage: 'log', or why there is none.  cpus: what the scheduler counted.
CREATE TABLE record_data(id INTEGER PRIMARY KEY, system INTEGER NOT NULL, job TEXT NOT NULL,
	step TEXT NOT NULL, user INTEGER, project INTEGER, program INTEGER, executable INTEGER,
	nodes INTEGER, cpus INTEGER, tasks INTEGER, cores_per_node INTEGER,
	start_ns INTEGER NOT NULL, end_ns INTEGER, seconds REAL, state INTEGER, exit_status INTEGER, core_hours REAL, normal INTEGER,
	in_programme INTEGER, in_filter INTEGER, logs INTEGER NOT NULL DEFAULT 0,
	coverage INTEGER,
	UNIQUE(system, job, step, start_ns));
CREATE TABLE programmes(project TEXT PRIMARY KEY, programme TEXT) WITHOUT ROWID;
CREATE TABLE domains(application TEXT PRIMARY KEY, domain TEXT) WITHOUT ROWID;
CREATE TABLE states(state TEXT PRIMARY KEY, class TEXT) WITHOUT ROWID;
CREATE TABLE systems(system TEXT PRIMARY KEY, cores_per_node INTEGER) WITHOUT ROWID;
-- Jobs that were also traced: id, or id.step, and lambda_L of the graph of the trace.
CREATE TABLE traced(job TEXT PRIMARY KEY, lambda REAL) WITHOUT ROWID;
-- Half round trips of messages, measured alone and with the profile (figure 1).
CREATE TABLE ping_pong(run TEXT NOT NULL, bytes INTEGER NOT NULL, latency_ns REAL NOT NULL);
CREATE VIEW accounting AS
	SELECT k.id, nullif(s.text, '') AS system, k.job, k.step, u.text AS user, j.text AS project,
		g.programme, p.text AS program, x.text AS executable, k.nodes, k.cores_per_node,
		nullif(k.start_ns, 0) AS start_ns, k.end_ns, k.seconds, t.text AS state,
		k.exit_status, k.core_hours, k.normal, k.in_programme, k.in_filter, k.logs,
		c.text AS coverage
	FROM record_data AS k
	LEFT JOIN texts AS s ON s.id = k.system
	LEFT JOIN texts AS u ON u.id = k.user
	LEFT JOIN texts AS j ON j.id = k.project
	LEFT JOIN texts AS p ON p.id = k.program
	LEFT JOIN texts AS x ON x.id = k.executable
	LEFT JOIN texts AS t ON t.id = k.state
	LEFT JOIN texts AS c ON c.id = k.coverage
	LEFT JOIN programmes AS g ON g.project = j.text;

-- Weight of a job, and its share of time in MPI: of its threads that called MPI together.
CREATE VIEW job_weights AS
	SELECT j.id AS job, j.core_hours,
		j.average_ns * 1.0 / (nullif(j.mpi_ns, 0) * max(coalesce(j.threads, 1), 1)) AS fraction,
		j.average_ns AS mpi_ns, j.mpi_ns AS runtime_ns, a.text AS application, d.domain,
		j.nodes, j.ranks, j.ranks_per_node, k.in_programme, k.in_filter, k.normal,
		j.record IS NOT NULL AS in_accounting
	FROM job_data AS j
	LEFT JOIN texts AS a ON a.id = j.application
	LEFT JOIN domains AS d ON d.application = a.text
	LEFT JOIN record_data AS k ON k.id = j.record;
