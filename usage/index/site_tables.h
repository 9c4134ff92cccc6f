/*
 * Tables of a site, as CSV with headings, which replace those of the index:
 *
 *	programmes	project,programme	programmes that count; others do not
 *	domains		application,domain	domains of science
 *	states		state,class		exit states that are "normal" or "failed"
 *	systems		system,cores_per_node	cores of a node
 *	traced		job,lambda		jobs that were also traced ("4711", or of one step "4711.0"), and
 *						lambda_L of their graphs
 *	ping_pong	run,bytes,latency_ns	latency of a ping-pong "alone" or "profiled"; of several rows of a run
 *						and size the least counts
 */
#ifndef USAGE_INDEX_SITE_TABLES_H
#define USAGE_INDEX_SITE_TABLES_H

#include "usage/index/database.h"

enum site_table {
	SITE_PROGRAMMES,
	SITE_DOMAINS,
	SITE_STATES,
	SITE_SYSTEMS,
	SITE_TRACED,
	SITE_PING_PONG,
	SITE_TABLES
};

enum { SITE_COLUMNS = 3 }; /* most of a table */

struct site_form {
	const char *name, *columns[SITE_COLUMNS]; /* the last may be NULL: it has none */
	/* Returns what is wrong with the values of a row, or NULL. */
	const char *(*wrong)(const char *const *values);
};
extern const struct site_form site_forms[SITE_TABLES];

int site_columns(const struct site_form *form);

/* Pass the values of each row of a file to `take`. */
typedef int site_table_take(void *context, const char *const *values, struct error *err);
int site_table_each(enum site_table table, const char *path, site_table_take *take, void *context,
		    struct error *err);

/* Replace a table by a file, in a transaction that the caller has begun. */
int site_table_read(struct usage_db *db, enum site_table table, const char *path,
		    struct error *err);

#endif
