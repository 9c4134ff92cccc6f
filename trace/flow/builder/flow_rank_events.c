/* Events of a thread: polls and the call that ends them are one. */
#include "trace/flow/builder/flow_rank_internal.h"

#include "trace/call/mpi_functions.h"

#include <string.h>

/* Calls that are one event at most. */
enum { MOST_CALLS_OF_EVENT = 1 << 16 };

/* What decides the node of a function's calls. */
enum { FUNCTION_KNOWN = 1, FUNCTION_POLLS = 2, FUNCTION_ANY = 4 };

/*
 * Make the key of an event that is not as its node's others in all: of calls of a function, at a
 * place, with what they have in common, `common`, or UINT32_MAX.
 */
static int make_key(struct flow_rank_builder *builder, const struct build_thread *thread,
		    uint32_t common, uint32_t *signature, struct error *err)
{
	const uint32_t site = builder->options.level == FLOW_BY_SITE ? thread->site : 0;

	builder->key.count = 0;
	TRY(flow_put(&builder->key, FLOW_VARIABLE, err));
	TRY(flow_put(&builder->key, thread->function, err));
	TRY(flow_put(&builder->key, site > 0, err));
	if (site)
		TRY(flow_put(&builder->key, site, err));
	TRY(flow_put(&builder->key, common + 1, err));
	return flow_signature_add(builder->flow, &builder->key, signature, err);
}

/* Append to the values of a thread which signature a call has: its number in a list of the thread. */
static int put_content(struct build_thread *thread, uint32_t content, struct flow_bytes *row,
		       struct error *err)
{
	uint32_t number = number_map_get(&thread->content_of, content, 0);

	if (number == NUMBER_MAP_EMPTY) {
		number = (uint32_t)thread->contents.count;
		TRY(array_push(&thread->contents, content, err));
		TRY(number_map_add(&thread->content_of, content, 0, number, err));
	}
	return flow_put(row, number, err);
}

/* End an event that is only polls that have found nothing. */
int build_end_polls(struct flow_rank_builder *builder, struct build_thread *thread,
		    struct error *err)
{
	struct flow_bytes row = {0};
	uint32_t signature;
	int result;

	if (!thread->open.count)
		return 0;
	/* A thread may poll for several things in turn: the first one decides the node. */
	thread->function = thread->first_function;
	thread->site = thread->first_site;
	TRY(make_key(builder, thread, UINT32_MAX, &signature, err));
	/* How many calls there are comes first. */
	result = flow_put(&row, thread->open.count - 1, err);
	if (result == 0)
		result = flow_put_bytes(&row, thread->row.items, thread->row.count, err);
	array_release(&thread->row);
	thread->row = row;
	return result < 0 ? -1 : build_visit(builder, thread, signature, err);
}

static int find_function(struct flow_rank_builder *builder, uint32_t function, uint8_t *flags,
			 struct error *err)
{
	static const char *const any[] = {"MPI_Waitany", "MPI_Waitsome", "MPI_Testany",
					  "MPI_Testsome"};
	const char *name = string_table_get(&builder->flow->strings, function);

	while (builder->functions.count <= function)
		TRY(array_push(&builder->functions, 0, err));
	*flags = builder->functions.items[function];
	if (*flags)
		return 0;
	*flags = FUNCTION_KNOWN;
	if (mpi_function_named(name).traits & MPI_POLLS)
		*flags |= FUNCTION_POLLS;
	for (size_t i = 0; i < sizeof any / sizeof *any; i++)
		if (!strcmp(name, any[i]))
			*flags |= FUNCTION_ANY;
	builder->functions.items[function] = *flags;
	return 0;
}

/* Find the key of an event that ends with the call. */
static int find_key(struct flow_rank_builder *builder, const struct build_thread *thread,
		    const struct mpi_call *call, uint8_t flags, uint32_t *signature,
		    struct error *err)
{
	const struct flow_options *options = &builder->options;
	uint32_t common = UINT32_MAX;

	if (options->level != FLOW_BY_FUNCTION && !(flags & FUNCTION_ANY)) {
		builder->key.count = 0;
		TRY(flow_put(&builder->key, FLOW_FOLDED, err));
		TRY(flow_call_put(&builder->calls, call, &thread->codes,
				  options->level == FLOW_BY_SITE ? thread->site : 0, options->folds,
				  &builder->key, err));
		TRY(flow_signature_add(builder->flow, &builder->key, &common, err));
	}
	return make_key(builder, thread, common, signature, err);
}

/* End an event whose last call is `call`, with the signature `content`. */
static int end_event(struct flow_rank_builder *builder, struct build_thread *thread,
		     const struct mpi_call *call, uint8_t flags, uint32_t content,
		     struct error *err)
{
	const struct flow_options *options = &builder->options;
	struct flow_bytes row = {0};
	uint32_t signature;
	bool alike;
	int result;

	/* A node whose events are alike needs no values but what the signature leaves open. */
	if (!(flags & (FUNCTION_POLLS | FUNCTION_ANY)) && !options->folds &&
	    (options->level == FLOW_BY_SITE || (options->level == FLOW_BY_CALL && !thread->site))) {
		TRY(flow_call_put_values(call, &thread->codes, &thread->row, err));
		alike = !thread->row.count;
		TRY(build_visit(builder, thread, content, err));
		return alike ? build_know(builder, &thread->nodes.items[thread->at], &thread->codes,
					  call, err)
			     : 0;
	}
	TRY(find_key(builder, thread, call, flags, &signature, err));
	result = flow_put(&row, thread->open.count - 1, err);
	if (result == 0)
		result = flow_put_bytes(&row, thread->row.items, thread->row.count, err);
	if (result == 0)
		result = put_content(thread, content, &row, err);
	if (result == 0)
		result = flow_call_put_values(call, &thread->codes, &row, err);
	array_release(&thread->row);
	thread->row = row;
	return result < 0 ? -1 : build_visit(builder, thread, signature, err);
}

/* ------------------------------------------------------------------------ calls */

/* Find the string of the place of a call; 0 if that is not known. */
static int find_site(struct flow_rank_builder *builder, const struct mpi_call *call,
		     uint32_t *string, struct error *err)
{
	const uint64_t place = build_place(builder, call);
	const char *text;

	*string = 0;
	if (!place)
		return 0;
	*string = number_map_get(&builder->sites, place, 0);
	if (*string != NUMBER_MAP_EMPTY)
		return 0;
	text = builder->options.site(builder->options.site_data, place);
	text = text ? text : "";
	TRY(string_table_add(&builder->flow->strings, text, strlen(text), string, err));
	return number_map_add(&builder->sites, place, 0, *string, err);
}

/* Begin an event with the call, or add the call to the polls before it. */
static int add_open(struct build_thread *thread, const struct mpi_call *call, struct error *err)
{
	const struct build_call open = {.gap_ns = thread->calls ? call->enter_ns - thread->last_ns
								: 0,
					.duration_ns = call->leave_ns - call->enter_ns,
					.poll_gaps_ns = call->poll_gaps_ns,
					.least_gap_ns = call->least_poll_gap_ns,
					.polls = call->polls > 0};

	thread->last_ns = call->leave_ns;
	if (!thread->calls++)
		thread->begin_ns = call->enter_ns;
	if (!thread->open.count) {
		thread->enter_ns = call->enter_ns;
		thread->first_function = thread->function;
		thread->first_site = thread->site;
		thread->poll_number = 0;
	}
	return array_push(&thread->open, open, err);
}

/* Add a polling call to the run that tells waiting from computing, which only sums of times need. */
static void add_poll(const struct flow_rank_builder *builder, struct build_thread *thread,
		     const struct mpi_call *call)
{
	const uint64_t gap_ns = thread->open.count ? call->enter_ns - thread->last_ns : 0;

	if (builder->options.times == FLOW_TIMES_STATS)
		poll_run_add(&thread->polls, call, thread->poll_number++, gap_ns);
}

/* Make the signature of a call. */
static int find_content(struct flow_rank_builder *builder, const struct build_thread *thread,
			const struct mpi_call *call, uint32_t *content, struct error *err)
{
	builder->content.count = 0;
	TRY(flow_put(&builder->content, FLOW_PLAIN, err));
	TRY(flow_call_put(&builder->calls, call, &thread->codes, thread->site, 0, &builder->content,
			  err));
	return flow_signature_add(builder->flow, &builder->content, content, err);
}

/* Add a poll that has found nothing to the event at hand. */
static int add_vain_poll(struct flow_rank_builder *builder, struct build_thread *thread,
			 const struct mpi_call *call, struct error *err)
{
	uint32_t content;

	add_poll(builder, thread, call);
	TRY(find_content(builder, thread, call, &content, err));
	TRY(put_content(thread, content, &thread->row, err));
	TRY(flow_call_put_values(call, &thread->codes, &thread->row, err));
	return add_open(thread, call, err);
}

int build_add_other(struct flow_rank_builder *builder, struct build_thread *thread,
		    const struct mpi_call *call, struct error *err)
{
	struct mpi_call coarse;
	uint32_t content;
	uint8_t flags;
	bool polls, vain;

	thread->expected.known = NULL;
	TRY(flow_function(&builder->calls, call->function, &thread->function, err));
	TRY(find_function(builder, thread->function, &flags, err));
	polls = flags & FUNCTION_POLLS;
	TRY(find_site(builder, call, &thread->site, err));
	if (thread->open.count && (!polls || thread->open.count == MOST_CALLS_OF_EVENT)) {
		const uint32_t function = thread->function, site = thread->site;

		TRY(build_end_polls(builder, thread, err));
		thread->function = function;
		thread->site = site;
	}
	vain = polls && poll_found_nothing(call, MPI_POLLS, false);
	TRY(build_coarsen(builder, thread, &call, &coarse, err));
	if (vain)
		return add_vain_poll(builder, thread, call, err);
	if (polls && thread->open.count)
		add_poll(builder, thread, call);
	TRY(find_content(builder, thread, call, &content, err));
	TRY(add_open(thread, call, err));
	TRY(end_event(builder, thread, call, flags, content, err));
	build_expect(thread);
	return 0;
}
