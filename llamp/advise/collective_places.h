/*
 * Places where a program calls a collective: call sites and communicators.
 *
 * An algorithm can be chosen for a place only if all ranks of a communicator make the same of their calls there.  That
 * is taken as true where each rank that calls the collective on the communicator does so equally often at the
 * place.
 */
#ifndef LLAMP_COLLECTIVE_PLACES_H
#define LLAMP_COLLECTIVE_PLACES_H

#include "llamp/advise/advised_path.h"

/* One of the two is set.  Names are those of the model of the path. */
struct collective_place {
	const char *site, *communicator;
	int128 path_as; /* time on the critical path */
};

typedef ARRAY(struct collective_place) place_list;

enum { PLACES_MOST = 4 };

/*
 * List the call sites of a collective, if there are several, and its communicators, if there are several: of each the PLACES_MOST
 * that are on the critical path longest.
 */
int collective_places_find(place_list *places, const struct model *model,
			   const struct advised_path *path, const char *collective,
			   struct error *err);

#endif
