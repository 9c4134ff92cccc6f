#include "llamp/placement/placement_hosts.h"

#include "common/array.h"
#include "llamp/network/network.h"

#include <stdlib.h>

enum { MOST_NEAR = 16, MOST_IN_TABLE = 2048 };

static double find_distance(const struct loggps *loggps, uint32_t from, uint32_t to)
{
	const struct network *network = loggps->network;
	const struct message_class class = network_class(network, from, to, 0);
	double sum = 0;

	for (uint32_t i = 0; i < class.term_count; i++)
		if (class.terms[i].symbol == VARIABLE_L &&
		    class.terms[i].variable != network->rows[0].L)
			sum += (double)class.terms[i].count *
			       (double)loggps_value(loggps, class.terms[i].variable);
	return sum;
}

double placement_distance_as(const struct placement_hosts *hosts, uint32_t from, uint32_t to)
{
	const size_t a = hosts->place[from], b = hosts->place[to];

	return hosts->as && a < hosts->count && b < hosts->count
		       ? hosts->as[a * hosts->count + b]
		       : find_distance(hosts->loggps, from, to);
}

struct far_host {
	double as;
	uint32_t place, host;
};

static int compare_hosts(const void *left, const void *right)
{
	const struct far_host *a = left, *b = right;

	if (a->as != b->as)
		return a->as < b->as ? -1 : 1;
	return a->place < b->place ? -1 : a->place > b->place;
}

static void order_hosts(struct placement_hosts *hosts, struct far_host *far, uint32_t host_count)
{
	for (uint32_t host = 0; host < host_count; host++)
		far[host] = (struct far_host){host ? find_distance(hosts->loggps, 0, host) : -1,
					      host, host};
	qsort(far, host_count, sizeof *far, compare_hosts);
	for (uint32_t i = 0; i < host_count; i++) {
		hosts->order[i] = far[i].host;
		hosts->place[far[i].host] = i;
	}
}

/* Move the nearest hosts to the start of the list. */
static void select_near(struct far_host *far, uint32_t count, uint32_t each)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < count; i++) {
		const struct far_host host = far[i];
		uint32_t at;

		if (kept == each && compare_hosts(&host, &far[kept - 1]) > 0)
			continue;
		for (at = kept == each ? kept - 1 : kept++;
		     at > 0 && compare_hosts(&host, &far[at - 1]) < 0; at--)
			far[at] = far[at - 1];
		far[at] = host;
	}
}

static void find_near(struct placement_hosts *hosts, struct far_host *far, uint32_t place)
{
	for (uint32_t to = 0; to < hosts->count; to++) {
		const double as = find_distance(hosts->loggps, hosts->order[place],
						hosts->order[to]);

		if (hosts->as)
			hosts->as[(size_t)place * hosts->count + to] = as;
		far[to] = (struct far_host){to == place ? -1 : as, to, hosts->order[to]};
	}
	select_near(far, hosts->count, hosts->each);
	for (uint32_t i = 0; i < hosts->each; i++)
		hosts->near[(size_t)place * hosts->each + i] = far[i].host;
}

static int hosts_find_all(struct placement_hosts *hosts, struct far_host *far, uint32_t host_count,
			  struct error *err)
{
	const uint32_t count = hosts->count;

	TRY(allocate(&hosts->order, host_count, sizeof *hosts->order, err));
	TRY(allocate(&hosts->place, host_count, sizeof *hosts->place, err));
	TRY(allocate(&hosts->near, (size_t)count * hosts->each, sizeof *hosts->near, err));
	if (count <= MOST_IN_TABLE)
		TRY(allocate(&hosts->as, (size_t)count * count, sizeof *hosts->as, err));
	order_hosts(hosts, far, host_count);
	for (uint32_t place = 0; place < count; place++)
		find_near(hosts, far, place);
	return 0;
}

int placement_hosts_find(struct placement_hosts *hosts, const struct loggps *loggps,
			 uint32_t host_count, uint32_t count, struct error *err)
{
	struct far_host *far;
	int result;

	*hosts = (struct placement_hosts){.loggps = loggps,
					  .count = count,
					  .each = count < MOST_NEAR ? count : MOST_NEAR};
	TRY(allocate(&far, host_count, sizeof *far, err));
	result = hosts_find_all(hosts, far, host_count, err);
	free(far);
	if (result < 0)
		placement_hosts_release(hosts);
	return result;
}

void placement_hosts_release(struct placement_hosts *hosts)
{
	free(hosts->order);
	free(hosts->place);
	free(hosts->near);
	free(hosts->as);
	*hosts = (struct placement_hosts){0};
}
