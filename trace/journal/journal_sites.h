/*
 * Call sites of the calls that a journal records; internal to trace/journal/.
 *
 * A site is the return address of a call in this process.  The journal numbers sites from 1 in the
 * order in which they are first seen, and has the text of each (common/source/call_site.h): addresses mean
 * nothing in another process, as modules are loaded elsewhere in each.
 */
#ifndef TRACE_JOURNAL_SITES_H
#define TRACE_JOURNAL_SITES_H

#include "common/source/call_site.h"
#include "common/number_map.h"

enum { RECENT_SITES = 256 };

struct journal_sites {
	struct {
		uintptr_t address;
		uint32_t number;   /* 0: no entry */
	} recent[RECENT_SITES];	   /* by bits of the address */
	struct number_map numbers; /* of all addresses */
	/* Of the site that is looked up: threads of the program may have small stacks. */
	struct call_site site;
	char text[CALL_SITE_BYTES];
};

int journal_sites_make(struct journal_sites **sites, struct error *err);
void journal_sites_free(struct journal_sites *sites);

/* Find the number of a site that is not recent. */
bool journal_sites_look_up(struct journal_sites *sites, uintptr_t address, uint32_t *number);

static inline size_t journal_sites_slot(uintptr_t address)
{
	return (address ^ address >> 8) % RECENT_SITES;
}

/* Find the number of a site.  False if it is new. */
static inline bool journal_sites_find(struct journal_sites *sites, uintptr_t address,
				      uint32_t *number)
{
	const size_t slot = journal_sites_slot(address);

	*number = sites->recent[slot].number;
	return (*number && sites->recent[slot].address == address) ||
	       journal_sites_look_up(sites, address, number);
}

/* Number a new site. */
int journal_sites_add(struct journal_sites *sites, uintptr_t address, uint32_t *number,
		      struct error *err);

/*
 * Make the text of an address by the module of this process that holds it, as sites->text, and return
 * it.  Takes little of the stack.
 */
const char *journal_site_text(struct journal_sites *sites, uintptr_t address);

#endif
