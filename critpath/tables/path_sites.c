#include "critpath/tables/path_sites.h"

#include "common/number_map.h"
#include "critpath/path/intervals.h"

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

/* -------------------------------------------------------------------- all ranks */

static int add_sums_of_rank(uint64_t *sums_ns, const struct waits *waits, uint32_t number,
			    struct error *err)
{
	const struct measured_run *run = waits->run;
	const struct measured_rank *rank = &run->ranks[number];
	const struct time_span slice = measured_slice(run);
	struct compute_intervals intervals = {0};
	int result;

	for (uint32_t c = 0; c < rank->calls.count; c++) {
		const struct measured_call *call = &rank->calls.items[c];
		const struct time_span works = {call->enter_ns + wait_ns(waits, number, c),
						call->leave_ns};

		sums_ns[measured_site(rank, c)] += time_span_common_ns(works, slice);
	}
	result = compute_intervals_add(&intervals, rank, 0, err);
	for (size_t i = 0; result == 0 && i < intervals.list.count; i++) {
		const struct compute_interval *interval = &intervals.list.items[i];
		const struct time_span computes = {interval->start_ns, interval->end_ns};

		sums_ns[interval->site] += time_span_common_ns(computes, slice);
	}
	compute_intervals_release(&intervals);
	return result;
}

static int add_sums(uint64_t *sums_ns, const struct waits *waits, struct error *err)
{
	for (uint32_t r = waits->run->own_first; r < waits->run->own_end; r++)
		TRY(add_sums_of_rank(sums_ns, waits, r, err));
	return 0;
}

/* Find the sums of the sites of the path. */
static int find_sums(struct path_sites *sites, const struct waits *waits, struct dist *dist,
		     struct error *err)
{
	const uint32_t count = waits->run->site_count;
	uint64_t *sums_ns;
	int result = allocate(&sums_ns, count, sizeof *sums_ns, err);

	if (result == 0)
		result = add_sums(sums_ns, waits, err);
	result = dist_agree(dist, result, err);
	if (result == 0)
		result = dist_allreduce(dist, sums_ns, count, DIST_SUM, err);
	for (size_t i = 0; result == 0 && i < sites->list.count; i++)
		sites->list.items[i].sum_ns = sums_ns[sites->list.items[i].site];
	free(sums_ns);
	return result;
}

int path_sites_find(struct path_sites *sites, const struct waits *waits, const struct walk *walk,
		    struct dist *dist, struct error *err)
{
	struct number_map places = {0};
	int result;

	*sites = (struct path_sites){0};
	result = dist_agree(dist, add_segments(sites, &places, walk, err), err);
	number_map_release(&places);
	if (result == 0 && waits->run->site_count)
		result = find_sums(sites, waits, dist, err);
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
