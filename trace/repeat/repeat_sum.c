#include "trace/repeat/repeat_sum.h"

#include <math.h>

/* Visits in buckets above the one that this share of them does not exceed are rare. */
#define COMMON_SHARE 0.9

void repeat_sum_record(struct repeat_sum *sum, uint64_t ns)
{
	flow_stat_add(&sum->inside, ns);
}

/* Take from a difference what it has of the other number. */
static void take_away(uint64_t *from, uint64_t number)
{
	*from -= number < *from ? number : *from;
}

/* Find the time from which on visits are rare, and their number. */
static void find_rare(struct repeat_sum *sum)
{
	uint64_t visits = 0;
	int bucket = 0;

	while (bucket < FLOW_BUCKETS - 1) {
		visits += sum->rest.buckets[bucket];
		if ((double)visits >= COMMON_SHARE * (double)sum->rest.count)
			break;
		bucket++;
	}
	sum->threshold_ns = bucket == FLOW_BUCKETS - 1 ? UINT64_MAX : (uint64_t)1 << bucket;
	for (int i = bucket + 1; i < FLOW_BUCKETS; i++)
		sum->rare_visits += sum->rest.buckets[i];
}

void repeat_sum_leave_rest(struct repeat_sum *sum, uint64_t seed)
{
	struct flow_stat *rest = &sum->rest;

	take_away(&rest->count, sum->inside.count);
	take_away(&rest->sum, sum->inside.sum);
	rest->squares = fmax(0, rest->squares - sum->inside.squares);
	for (unsigned i = 0; i < FLOW_BUCKETS; i++)
		rest->buckets[i] -= sum->inside.buckets[i] < rest->buckets[i]
					    ? sum->inside.buckets[i]
					    : rest->buckets[i];
	sum->seed = seed;
	find_rare(sum);
}

void repeat_sum_note(struct repeat_sum *sum, uint64_t ns, uint64_t uses)
{
	if (ns >= sum->threshold_ns) {
		sum->rare_templates += uses;
		return;
	}
	flow_stat_add(&sum->common_inside, ns);
	sum->common_templates += uses;
	sum->templates_ns += (double)ns * (double)uses;
}

/* Time of all rare visits: what common ones leave, but within the limits of their buckets. */
static double rare_time(const struct repeat_sum *sum, double common_visits)
{
	const struct flow_stat *rest = &sum->rest;
	double least = 0, most = 0, left;

	for (int i = FLOW_BUCKETS - 1; i > 0 && ldexp(1, i - 1) >= (double)sum->threshold_ns; i--) {
		const double number = (double)rest->buckets[i];

		least += number * ldexp(1, i - 1);
		most += number * (i == FLOW_BUCKETS - 1 ? (double)rest->most
							: fmin((double)rest->most, ldexp(1, i)));
	}
	if (!sum->common_templates)
		left = (least + most) / 2;
	else
		left = (double)rest->sum -
		       common_visits * sum->templates_ns / (double)sum->common_templates;
	return fmin((double)rest->sum, fmax(least, fmin(most, left)));
}

void repeat_sum_plan(struct repeat_sum *sum)
{
	const double common_visits = (double)(sum->rest.count - (sum->rare_visits < sum->rest.count
									 ? sum->rare_visits
									 : sum->rest.count));

	sum->rare.sum_ns = sum->rare_visits ? (uint64_t)rare_time(sum, common_visits) : 0;
	sum->common.sum_ns = sum->rest.sum - sum->rare.sum_ns;
	if (sum->rare_visits)
		sum->rare_ns = sum->rare.sum_ns / sum->rare_visits;
	if (sum->common_templates)
		sum->common_ns = (uint64_t)(sum->templates_ns / (double)sum->common_templates);
	else if (common_visits > 0)
		sum->common_ns = (uint64_t)((double)sum->common.sum_ns / common_visits);
}

static uint64_t mix(uint64_t number)
{
	number = (number ^ number >> 30) * 0xbf58476d1ce4e5b9;
	number = (number ^ number >> 27) * 0x94d049bb133111eb;
	return number ^ number >> 31;
}

/* Whether the next rare template has a rare time: `rare_visits` of all of them, equally spaced. */
static bool stays_rare(struct repeat_sum *sum)
{
	const uint64_t all = sum->rare_templates ? sum->rare_templates : 1;
	const uint64_t kept = sum->rare_visits < all ? sum->rare_visits : all;
	const uint64_t number = sum->seen_rare++;

	return (number + 1) * kept / all > number * kept / all;
}

/*
 * Whether the next common template has a rare time: the visits are divided into as many stretches
 * as have to, and each has one, by chance.
 */
static bool becomes_rare(struct repeat_sum *sum)
{
	const uint64_t number = sum->seen_common++;
	uint64_t wanted, all, stretch, first, end;

	if (sum->rare_visits <= sum->rare_templates || sum->rest.count <= sum->rare_templates)
		return false;
	wanted = sum->rare_visits - sum->rare_templates;
	all = sum->rest.count - sum->rare_templates;
	if (number >= all)
		return false;
	stretch = (uint64_t)((__uint128_t)number * wanted / all);
	first = (uint64_t)(((__uint128_t)stretch * all + wanted - 1) / wanted);
	end = (uint64_t)(((__uint128_t)(stretch + 1) * all + wanted - 1) / wanted);
	return number == first + mix(sum->seed + stretch * 0x9e3779b97f4a7c15) % (end - first);
}

/* Find the share of a visit; *ns becomes its part of it. */
static struct repeat_share *share_of(struct repeat_sum *sum, uint64_t *ns)
{
	const bool has_rare = *ns != REPEAT_NO_TIME && *ns >= sum->threshold_ns;
	const bool is_rare = has_rare ? stays_rare(sum) : becomes_rare(sum);

	if (*ns == REPEAT_NO_TIME || is_rare != has_rare)
		*ns = is_rare ? sum->rare_ns : sum->common_ns;
	return is_rare ? &sum->rare : &sum->common;
}

void repeat_sum_add(struct repeat_sum *sum, uint64_t ns)
{
	struct repeat_share *share = share_of(sum, &ns);

	share->count++;
	share->base_ns += ns;
}

void repeat_sum_begin(struct repeat_sum *sum)
{
	struct repeat_share *from = !sum->rare.count ? &sum->rare : &sum->common;
	struct repeat_share *to = !sum->rare.count ? &sum->common : &sum->rare;

	/* A share without visits leaves its time to the other one. */
	if (!from->count) {
		to->sum_ns += from->sum_ns;
		from->sum_ns = 0;
	}
	sum->seen_common = sum->seen_rare = 0;
}

uint64_t repeat_sum_deliver(struct repeat_sum *sum, uint64_t ns)
{
	struct repeat_share *share = share_of(sum, &ns);
	const uint64_t before_ns = share->delivered_ns;

	share->done_ns += ns;
	share->done++;
	share->delivered_ns = share->base_ns ? (uint64_t)((__uint128_t)share->sum_ns *
							  share->done_ns / share->base_ns)
					     : (uint64_t)((__uint128_t)share->sum_ns * share->done /
							  share->count);
	ns = share->delivered_ns - before_ns;
	sum->squares += (double)ns * (double)ns;
	return ns;
}

double repeat_sum_common_time(const struct repeat_sum *sum, uint64_t ns)
{
	const double scale = sum->common.base_ns
				     ? (double)sum->common.sum_ns / (double)sum->common.base_ns
				     : 1;

	return scale * (double)(ns >= sum->threshold_ns ? sum->common_ns : ns);
}
