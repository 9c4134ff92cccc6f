#include "critpath/tables/path_sites.h"

#include "common/number_map.h"

static int find_place(struct path_sites *sites, struct number_map *places, uint32_t site,
		      uint32_t *place, struct error *err)
{
	*place = number_map_get(places, site, 0);
	if (*place != NUMBER_MAP_EMPTY)
		return 0;
	*place = (uint32_t)sites->list.count;
	TRY(array_push(&sites->list, (struct path_site){.site = site}, err));
	return number_map_add(places, site, 0, *place, err);
}

/* Add a segment; `same_call`: the one before it is of the same call. */
static void add_segment(struct path_site *site, const struct walk_segment *segment, bool same_call)
{
	const uint64_t ns = segment->end_ns - segment->start_ns;

	if (segment->category == WALK_CALL) {
		site->call_ns += ns;
		site->calls += !same_call;
	} else if (segment->category == WALK_COMPUTE) {
		site->compute_ns += ns;
	}
}

static int add_segments(struct path_sites *sites, struct number_map *places,
			const struct walk *walk, struct error *err)
{
	const struct walk_segment *last = NULL;

	for (size_t i = 0; i < walk->segments.count; i++) {
		const struct walk_segment *segment = &walk->segments.items[i];
		uint32_t place;

		if (segment->site == NO_SITE)
			continue;
		TRY(find_place(sites, places, segment->site, &place, err));
		add_segment(&sites->list.items[place], segment,
			    last && last->rank == segment->rank && last->call == segment->call);
		if (segment->category == WALK_CALL)
			last = segment;
	}
	return 0;
}

static int compare_sites(const void *a, const void *b)
{
	const struct path_site *x = a, *y = b;
	const uint64_t x_ns = x->call_ns + x->compute_ns, y_ns = y->call_ns + y->compute_ns;

	if (x_ns != y_ns)
		return x_ns > y_ns ? -1 : 1;
	return x->site < y->site ? -1 : x->site > y->site;
}

int path_sites_find(struct path_sites *sites, const struct walk *walk, struct error *err)
{
	struct number_map places = {0};
	int result;

	*sites = (struct path_sites){0};
	result = add_segments(sites, &places, walk, err);
	number_map_release(&places);
	if (sites->list.count)
		qsort(sites->list.items, sites->list.count, sizeof *sites->list.items,
		      compare_sites);
	if (result < 0)
		path_sites_release(sites);
	return result;
}

void path_sites_release(struct path_sites *sites)
{
	array_release(&sites->list);
}
