/* Records of the scheduler and tables of a site without names. */
#ifndef USAGE_PUBLISH_TABLES_H
#define USAGE_PUBLISH_TABLES_H

#include "usage/index/bad_logs.h"
#include "usage/index/site_tables.h"
#include "usage/publish/pseudonym.h"

struct anonymise_from {
	const char *folder;		 /* of logs */
	const char *accounting;		 /* records as the index reads them, or NULL */
	const char *tables[SITE_TABLES]; /* or NULL */
};

struct anonymised {
	uint64_t logs, records;
	struct bad_logs bad;
};

/*
 * Write what is given into a folder, in the form that the index reads: accounting.csv, with the columns that it uses and no others,
 * and programmes.csv, domains.csv and traced.csv.  Users, projects, programs, domains and ids get names as in logs; systems,
 * programmes and states stay.
 */
int anonymise_tables(const struct anonymise_from *from, const char *folder,
		     const struct pseudonym_key *key, struct anonymised *done, struct error *err);

#endif
