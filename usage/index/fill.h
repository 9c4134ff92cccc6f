/* All that a call of `llamp-usage index` does with an index. */
#ifndef USAGE_INDEX_FILL_H
#define USAGE_INDEX_FILL_H

#include "usage/index/accounting.h"
#include "usage/index/index_logs.h"
#include "usage/index/site_tables.h"

struct fill_from {
	char **folders; /* of logs */
	uint32_t folder_count;
	const char *accounting;		 /* or NULL */
	const char *tables[SITE_TABLES]; /* or NULL */
};

struct filled {
	struct indexed_logs logs;
	struct accounting_read accounting;
	/* In the index, afterwards. */
	uint64_t jobs, records, jobs_with_record;
};

/*
 * Fill an index that is open for writing.  The caller releases filled->logs.bad, also after an
 * error.
 */
int fill_index(struct filled *filled, struct usage_db *db, const struct fill_from *from,
	       struct error *err);

#endif
