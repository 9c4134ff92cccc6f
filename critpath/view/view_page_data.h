/* The data of the page of `critpath view`: elements "run", "path", "calls" ... that its script reads. */
#ifndef CRITPATH_VIEW_PAGE_DATA_H
#define CRITPATH_VIEW_PAGE_DATA_H

#include "common/draw/html.h"
#include "critpath/view/view_calls.h"
#include "critpath/view/view_page.h"

struct view_page {
	struct html html;
	const struct findings *findings;
	const struct run_part *part;
	struct view_rows rows;
	uint64_t calls;	   /* in the part */
	uint32_t tiles;	   /* of a row; 0: the page has all calls */
	uint64_t least_ns; /* shortest segment that the page has */
};

/* Whether the page shows calls below MPI: pages of tiles do not. */
static inline bool view_page_has_below(const struct view_page *page)
{
	return page->findings->run->world->has_below && !page->tiles;
}

/*
 * Write "run", names and numbers as JSON; "path"; and "calls" and "collectives", or "tiles".  Sets
 * least_ns.
 */
int view_page_write_data(struct view_page *page, struct error *err);

#endif
