#include "usage/figures/figure_network.h"

#include "common/array.h"
#include "usage/log/cell.h"
#include "usage/model/network.h"

#include <math.h>

/* Calls are those of enum network_call.  A communicator of one rank (class 1) has no network. */
static const char make_tables[] =
	"CREATE TEMP TABLE least_times(place INTEGER, call INTEGER, bytes INTEGER, ns INTEGER, "
	"calls INTEGER, jobs INTEGER); "
	"CREATE TEMP TABLE network(place INTEGER, overhead_ns REAL, latency_ns REAL, least_ns REAL, "
	"most_ns REAL, gap_ns_per_byte REAL, threshold INTEGER, residual REAL, sizes INTEGER); "
	"WITH names(name, call) AS (VALUES('MPI_Send', 0), ('MPI_Recv', 1), "
	"('MPI_Ssend', 2)), "
	"kinds AS MATERIALIZED (SELECT f.id AS function, n.call AS call FROM functions AS f "
	"JOIN names AS n ON n.name = f.plain) "
	"INSERT INTO temp.least_times SELECT c.key >> 1 & 3 AS place, k.call AS call, "
	"1 << ((c.key >> 8 & 127) - 1) / 2 AS bytes, min(c.least_ns), sum(c.calls), "
	"count(DISTINCT c.job) FROM temp.log AS l CROSS JOIN kinds AS k "
	"CROSS JOIN cell_data AS c ON c.job = l.job AND c.key BETWEEN k.function << 15 AND "
	"k.function << 15 | 32767 WHERE (c.key & 1) = 0 AND (c.key >> 3 & 31) <> 1 AND "
	"(c.key >> 8 & 1) = 1 AND c.least_ns > 0 GROUP BY 1, 2, 3";
static const char each_time[] = "SELECT call, bytes, ns FROM temp.least_times WHERE place = ? "
				"ORDER BY call, bytes";

typedef ARRAY(struct least_time) least_times;

static int read_times(least_times *times, struct usage_db *db, int place, struct error *err)
{
	sqlite3_stmt *each;
	int status;

	TRY(usage_db_prepare(db, &each, each_time, err));
	sqlite3_bind_int(each, 1, place);
	while ((status = usage_db_step(db, each, err)) > 0) {
		const struct least_time time = {
			(enum network_call)sqlite3_column_int(each, 0),
			(uint64_t)sqlite3_column_int64(each, 1),
			sqlite3_column_double(each, 2),
		};

		status = array_push(times, time, err);
		if (status < 0)
			break;
	}
	sqlite3_finalize(each);
	return status;
}

static int insert_estimate(struct usage_db *db, int place, const struct network_estimate *estimate,
			   size_t sizes, struct error *err)
{
	const double values[] = {estimate->o_ns, estimate->L_ns, estimate->least_L_ns,
				 estimate->most_L_ns, estimate->G_ns_per_byte};
	sqlite3_stmt *insert;
	int status;

	TRY(usage_db_prepare(db, &insert,
			     "INSERT INTO temp.network VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)", err));
	sqlite3_bind_int(insert, 1, place);
	/* SQLite stores NAN as NULL. */
	for (int i = 0; i < 5; i++)
		sqlite3_bind_double(insert, i + 2, values[i]);
	if (estimate->S != UINT64_MAX)
		sqlite3_bind_int64(insert, 7, (sqlite3_int64)estimate->S);
	sqlite3_bind_double(insert, 8, estimate->residual);
	sqlite3_bind_int64(insert, 9, (sqlite3_int64)sizes);
	status = usage_db_step(db, insert, err);
	sqlite3_finalize(insert);
	return status < 0 ? -1 : 0;
}

static int estimate_place(struct usage_db *db, int place, struct error *err)
{
	least_times times = {0};
	int status = read_times(&times, db, place, err);

	if (status == 0 && times.count) {
		const struct network_estimate estimate = network_estimate(times.items, times.count);

		status = insert_estimate(db, place, &estimate, times.count, err);
	}
	array_release(&times);
	return status;
}

int figure_find_network(struct usage_db *db, struct error *err)
{
	TRY(usage_db_run(db, make_tables, err));
	for (int place = 0; place < USAGE_PLACES; place++)
		TRY(estimate_place(db, place, err));
	return 0;
}
