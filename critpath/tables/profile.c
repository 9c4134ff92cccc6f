#include "critpath/tables/profile.h"

#include "common/number_map.h"
#include "critpath/match/match_steps.h"
#include "trace/call/mpi_functions.h"
#include "trace/measured/sync_edges.h"

#include <string.h>

uint32_t profile_size_of(uint64_t bytes)
{
	return bytes ? 64 - (uint32_t)__builtin_clzll(bytes) : 0;
}

/* ---------------------------------------------------------------------- calls */

static void profile_add_calls(struct profile_calls *to, const struct profile_calls *from)
{
	if (!to->calls || from->least_ns < to->least_ns)
		to->least_ns = from->least_ns;
	if (from->most_ns > to->most_ns)
		to->most_ns = from->most_ns;
	to->calls += from->calls;
	to->ns += from->ns;
	to->run_ns += from->run_ns;
	to->wait_ns += from->wait_ns;
}

static struct profile_calls one_call(const struct waits *waits, uint32_t number, uint32_t c)
{
	const struct measured_call *call = &waits->run->ranks[number].calls.items[c];
	const struct time_span slice = measured_slice(waits->run);
	const struct time_span in_call = {call->enter_ns, call->leave_ns};
	const struct time_span waited = {call->enter_ns,
					 call->enter_ns + wait_ns(waits, number, c)};
	const uint64_t ns = time_span_common_ns(in_call, slice);

	return (struct profile_calls){.calls = 1,
				      .ns = ns,
				      .least_ns = ns,
				      .most_ns = ns,
				      .run_ns = time_span_common_ns(
					      in_call, measured_rank_span(waits->run, number)),
				      .wait_ns = time_span_common_ns(waited, slice)};
}

/* Add the calls of a rank to those of each function, `of`, which are zeroed. */
static void add_calls_of(struct profile_rank *sum, struct profile_calls *of,
			 const struct waits *waits, uint32_t number)
{
	const struct measured_rank *rank = &waits->run->ranks[number];
	const struct time_span span = measured_rank_span(waits->run, number);

	for (uint32_t c = 0; c < rank->calls.count; c++) {
		const struct profile_calls added = one_call(waits, number, c);

		if (!measured_touches(waits->run, &rank->calls.items[c]))
			continue;
		profile_add_calls(&of[rank->calls.items[c].function], &added);
		sum->calls++;
		sum->mpi_ns += added.run_ns;
		sum->wait_ns += added.wait_ns;
	}
	sum->run_ns = (span.end_ns - span.begin_ns) *
		      (rank->thread_count ? rank->thread_count : 1);
}

/* Keep the functions that a rank has called. */
static int keep_calls(struct profile *profile, struct profile_calls *of, uint32_t count,
		      uint32_t rank, struct error *err)
{
	for (uint32_t f = 0; f < count; f++) {
		if (!of[f].calls)
			continue;
		of[f].rank = rank;
		of[f].function = f;
		TRY(array_push(&profile->cells, of[f], err));
		of[f] = (struct profile_calls){0};
	}
	return 0;
}

static int compare_calls(const void *a, const void *b)
{
	const struct profile_calls *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns > y->ns ? -1 : 1;
	if (x->function != y->function)
		return x->function < y->function ? -1 : 1;
	return x->site < y->site ? -1 : x->site > y->site;
}

/* Add up the functions of all ranks. */
static int add_functions(struct profile *profile, uint32_t count, struct error *err)
{
	struct profile_calls *all;
	int result = 0;

	TRY(allocate(&all, count, sizeof *all, err));
	for (size_t i = 0; i < profile->cells.count; i++)
		profile_add_calls(&all[profile->cells.items[i].function], &profile->cells.items[i]);
	for (uint32_t f = 0; result == 0 && f < count; f++) {
		all[f].function = f;
		if (all[f].calls)
			result = array_push(&profile->functions, all[f], err);
	}
	free(all);
	if (profile->functions.count)
		qsort(profile->functions.items, profile->functions.count,
		      sizeof *profile->functions.items, compare_calls);
	return result;
}

static int find_calls(struct profile *profile, const struct waits *waits, struct error *err)
{
	const struct measured_run *run = waits->run;
	const uint32_t count = measured_function_count(&run->names);
	struct profile_calls *of;
	int result = 0;

	TRY(allocate(&of, count, sizeof *of, err));
	for (uint32_t r = run->own_first; result == 0 && r < run->own_end; r++) {
		add_calls_of(&profile->ranks[r], of, waits, r);
		result = keep_calls(profile, of, count, r, err);
	}
	free(of);
	return result;
}

/* Add calls to those of their site and function. */
static int profile_add_site(struct profile *profile, struct number_map *places,
			    const struct profile_calls *added, struct error *err)
{
	uint32_t place = number_map_get(places, added->site, added->function);

	if (place == NUMBER_MAP_EMPTY) {
		const struct profile_calls calls = {.site = added->site,
						    .function = added->function};

		place = (uint32_t)profile->sites.count;
		TRY(array_push(&profile->sites, calls, err));
		TRY(number_map_add(places, added->site, added->function, place, err));
	}
	profile_add_calls(&profile->sites.items[place], added);
	return 0;
}

static int add_sites_of(struct profile *profile, struct number_map *places,
			const struct waits *waits, uint32_t number, struct error *err)
{
	const struct measured_rank *rank = &waits->run->ranks[number];

	for (uint32_t c = 0; c < rank->calls.count; c++) {
		struct profile_calls added = one_call(waits, number, c);

		if (!measured_touches(waits->run, &rank->calls.items[c]))
			continue;
		added.site = measured_site(rank, c);
		added.function = rank->calls.items[c].function;
		TRY(profile_add_site(profile, places, &added, err));
	}
	return 0;
}

static int find_sites(struct profile *profile, const struct waits *waits, struct error *err)
{
	const struct measured_run *run = waits->run;
	struct number_map places = {0};
	int result = 0;

	if (!run->site_count)
		return 0;
	for (uint32_t r = run->own_first; result == 0 && r < run->own_end; r++)
		result = add_sites_of(profile, &places, waits, r, err);
	number_map_release(&places);
	return result;
}

/* Add up the sites of all processes, of which the list has one after the other. */
static int merge_sites(struct profile *profile, struct error *err)
{
	struct profile all = {0};
	struct number_map places = {0};
	int result = 0;

	for (size_t i = 0; result == 0 && i < profile->sites.count; i++)
		result = profile_add_site(&all, &places, &profile->sites.items[i], err);
	number_map_release(&places);
	array_release(&profile->sites);
	memcpy(&profile->sites, &all.sites, sizeof profile->sites);
	if (profile->sites.count)
		qsort(profile->sites.items, profile->sites.count, sizeof *profile->sites.items,
		      compare_calls);
	return result;
}

/* ------------------------------------------------------------------- messages */

static int add_send(struct profile *profile, struct number_map *places, uint32_t sender,
		    const struct measured_send *send, struct error *err)
{
	struct profile_size *size = &profile->sizes[profile_size_of(send->bytes)];
	uint32_t place = number_map_get(places, sender, send->peer);

	if (place == NUMBER_MAP_EMPTY) {
		const struct profile_pair pair = {.sender = sender, .receiver = send->peer};

		place = (uint32_t)profile->pairs.count;
		TRY(array_push(&profile->pairs, pair, err));
		TRY(number_map_add(places, sender, send->peer, place, err));
	}
	profile->pairs.items[place].messages++;
	profile->pairs.items[place].bytes += send->bytes;
	size->messages++;
	size->message_bytes += send->bytes;
	profile->ranks[sender].sent++;
	profile->ranks[sender].sent_bytes += send->bytes;
	return 0;
}

static bool reports_call(const struct measured_run *run, uint32_t rank, uint32_t call)
{
	return measured_reports(run, run->ranks[rank].calls.items[call].enter_ns);
}

static int add_messages_of(struct profile *profile, struct number_map *places,
			   const struct measured_run *run, uint32_t number, struct error *err)
{
	const struct measured_rank *rank = &run->ranks[number];
	struct profile_rank *sum = &profile->ranks[number];

	for (size_t i = 0; i < rank->sends.count; i++)
		if (!is_signal(rank->sends.items[i].tag) &&
		    reports_call(run, number, rank->sends.items[i].begin))
			TRY(add_send(profile, places, number, &rank->sends.items[i], err));
	for (size_t i = 0; i < rank->recvs.count; i++) {
		if (!reports_call(run, number, rank->recvs.items[i].end))
			continue;
		sum->received += !is_signal(rank->recvs.items[i].tag);
		sum->received_bytes += rank->recvs.items[i].bytes;
	}
	for (size_t i = 0; i < rank->parts.count; i++) {
		const uint64_t bytes = rank->parts.items[i].bytes;

		if (!reports_call(run, number, rank->parts.items[i].begin))
			continue;
		profile->sizes[profile_size_of(bytes)].parts++;
		profile->sizes[profile_size_of(bytes)].part_bytes += bytes;
	}
	return 0;
}

static int compare_pairs(const void *a, const void *b)
{
	const struct profile_pair *x = a, *y = b;

	if (x->bytes != y->bytes)
		return x->bytes > y->bytes ? -1 : 1;
	if (x->messages != y->messages)
		return x->messages > y->messages ? -1 : 1;
	if (x->sender != y->sender)
		return x->sender < y->sender ? -1 : 1;
	return x->receiver < y->receiver ? -1 : x->receiver > y->receiver;
}

static int find_messages(struct profile *profile, const struct measured_run *run, struct error *err)
{
	struct number_map places = {0};
	int result = 0;

	for (uint32_t r = run->own_first; result == 0 && r < run->own_end; r++)
		result = add_messages_of(profile, &places, run, r, err);
	number_map_release(&places);
	return result;
}

/* -------------------------------------------------------------------- profile */

static void add_ranks(struct profile *profile, uint32_t rank_count)
{
	struct profile_rank *sum = &profile->sum;

	for (uint32_t r = 0; r < rank_count; r++) {
		const struct profile_rank *rank = &profile->ranks[r];

		sum->calls += rank->calls;
		sum->run_ns += rank->run_ns;
		sum->mpi_ns += rank->mpi_ns;
		sum->wait_ns += rank->wait_ns;
		sum->sent += rank->sent;
		sum->sent_bytes += rank->sent_bytes;
		sum->received += rank->received;
		sum->received_bytes += rank->received_bytes;
	}
}

static int find_own(struct profile *profile, const struct waits *waits, struct error *err)
{
	TRY(allocate(&profile->ranks, waits->run->rank_count, sizeof *profile->ranks, err));
	TRY(find_calls(profile, waits, err));
	TRY(find_sites(profile, waits, err));
	return find_messages(profile, waits->run, err);
}

/* Give what processes know of own ranks to process 0. */
static int profile_share(struct profile *profile, const struct measured_run *run, struct dist *dist,
			 struct error *err)
{
	TRY(gather_ranks(run, profile->ranks, sizeof *profile->ranks, dist, err));
	TRY(dist_gather_array(dist, &profile->cells, err));
	TRY(dist_gather_array(dist, &profile->sites, err));
	TRY(dist_gather_array(dist, &profile->pairs, err));
	return dist_allreduce(dist, &profile->sizes->messages,
			      sizeof profile->sizes / (sizeof(uint64_t)), DIST_SUM, err);
}

static int finish(struct profile *profile, const struct measured_run *run, struct error *err)
{
	add_ranks(profile, run->rank_count);
	if (profile->pairs.count)
		qsort(profile->pairs.items, profile->pairs.count, sizeof *profile->pairs.items,
		      compare_pairs);
	TRY(merge_sites(profile, err));
	return add_functions(profile, measured_function_count(&run->names), err);
}

int profile_find(struct profile *profile, const struct waits *waits, struct dist *dist,
		 struct error *err)
{
	int result;

	*profile = (struct profile){0};
	result = dist_agree(dist, find_own(profile, waits, err), err);
	if (result == 0)
		result = profile_share(profile, waits->run, dist, err);
	if (result == 0)
		result = dist_agree(dist, finish(profile, waits->run, err), err);
	if (result < 0)
		profile_release(profile);
	return result;
}

void profile_release(struct profile *profile)
{
	free(profile->ranks);
	profile->ranks = NULL;
	array_release(&profile->cells);
	array_release(&profile->functions);
	array_release(&profile->sites);
	array_release(&profile->pairs);
}
