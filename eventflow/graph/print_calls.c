#include "eventflow/graph/print_calls.h"

#include "trace/flow/call/flow_call.h"
#include "trace/flow/recover/flow_recover.h"

#include <stdlib.h>

static const char *const kind_names[EVENT_KINDS] = {
	[EVENT_SEND] = "send",
	[EVENT_RECV] = "recv",
	[EVENT_ISEND] = "isend",
	[EVENT_ISEND_COMPLETE] = "isend-complete",
	[EVENT_IRECV_REQUEST] = "irecv-request",
	[EVENT_IRECV] = "irecv",
	[EVENT_REQUEST_TEST] = "request-test",
	[EVENT_REQUEST_CANCELLED] = "request-cancelled",
	[EVENT_COLLECTIVE] = "collective",
	[EVENT_COLLECTIVE_REQUEST] = "collective-request",
	[EVENT_COLLECTIVE_COMPLETE] = "collective-complete",
	[EVENT_COMM_CREATE] = "comm-create",
	[EVENT_COMM_DESTROY] = "comm-destroy",
	[EVENT_TRANSFER] = "transfer",
	[EVENT_PROBE] = "probe",
	[EVENT_WIN_CREATE] = "win-create",
	[EVENT_WIN_DESTROY] = "win-destroy",
	[EVENT_RMA_COLLECTIVE] = "rma-collective",
	[EVENT_RMA_GROUP_SYNC] = "rma-group-sync",
	[EVENT_RMA_LOCK] = "rma-lock",
	[EVENT_RMA_UNLOCK] = "rma-unlock",
	[EVENT_RMA_SYNC] = "rma-sync",
	[EVENT_RMA_PUT] = "put",
	[EVENT_RMA_GET] = "get",
	[EVENT_RMA_ATOMIC] = "atomic",
	[EVENT_RMA_COMPLETE] = "rma-complete",
	[EVENT_RMA_COMPLETE_REMOTE] = "rma-complete-remote",
	[EVENT_RMA_TEST] = "rma-test",
};

static void print_number(FILE *stream, const char *name, uint64_t value)
{
	if (value)
		fprintf(stream, " %s %llu", name, (unsigned long long)value);
}

static void print_list(FILE *stream, const char *name, const uint64_t *items, uint32_t count)
{
	if (!items)
		return;
	fprintf(stream, " %s ", name);
	for (uint32_t i = 0; i < count; i++)
		fprintf(stream, "%s%llu", i ? "," : "", (unsigned long long)items[i]);
}

static bool has_peer(const struct mpi_event *event)
{
	return event->kind == EVENT_SEND || event->kind == EVENT_RECV ||
	       event->kind == EVENT_ISEND || event->kind == EVENT_IRECV ||
	       event->kind == EVENT_PROBE ||
	       (event->kind >= EVENT_RMA_LOCK && event->kind <= EVENT_RMA_UNLOCK) ||
	       (event->kind >= EVENT_RMA_PUT && event->kind <= EVENT_RMA_ATOMIC);
}

static void print_collective(const struct mpi_event *event, FILE *stream)
{
	fprintf(stream, " %s", mpi_collective_name(event->collective));
	if (event->root == ROOT_SELF || event->root == ROOT_THIS_GROUP)
		fprintf(stream, " root %s", event->root == ROOT_SELF ? "self" : "none");
	else if (event->root != NO_ROOT)
		fprintf(stream, " root %u", event->root);
	print_list(stream, "to-each", event->send_bytes, event->send_count);
	print_list(stream, "from-each", event->receive_bytes, event->receive_count);
	if (event->neighbours)
		fprintf(stream, " neighbours %s", event->neighbours);
	print_number(stream, "persistent", event->persistent);
	if (event->in_place)
		fputs(" in-place", stream);
}

static void print_window(const struct mpi_event *event, FILE *stream)
{
	fprintf(stream, " window %u", event->window);
	if (event->kind == EVENT_RMA_GROUP_SYNC)
		fprintf(stream, " group %u", event->group);
	print_number(stream, "sync", event->sync);
	print_number(stream, "atomic-op", event->atomic);
	if (event->exclusive)
		fputs(" exclusive", stream);
}

void print_event(const struct mpi_event *event, bool peers_from_own, FILE *stream)
{
	if (event->kind != EVENT_COLLECTIVE)
		fprintf(stream, " %s", kind_names[event->kind]);
	if (has_peer(event) && event->peer == RMA_ALL)
		fputs(" peer all", stream);
	else if (has_peer(event))
		fprintf(stream, peers_from_own ? " peer +%u" : " peer %u", event->peer);
	print_number(stream, "comm", event->comm);
	if (event_is_message(event->kind)) {
		print_number(stream, "tag", event->tag);
		print_number(stream, "bytes", event->bytes);
		print_number(stream, "partitions", event->partitions);
		print_number(stream, "posted", event->posted);
	} else if (event_is_collective(event->kind)) {
		print_collective(event, stream);
	} else if (event_is_rma(event->kind)) {
		print_window(event, stream);
	}
	print_number(stream, "sent", event->bytes_sent);
	print_number(stream, "received", event->bytes_received);
	if (event->operation)
		fprintf(stream, " with %s", event->operation);
	if (!peers_from_own)
		print_number(stream, "request", event->request);
}

struct printing {
	const struct flow *flow;
	FILE *stream;
	uint32_t rank;
};

static int print_call(void *data, const struct mpi_call *call, struct error *err)
{
	const struct printing *printing = data;
	FILE *stream = printing->stream;

	fprintf(stream, "%u %u %llu %llu %s", printing->rank, call->thread,
		(unsigned long long)(call->enter_ns - printing->flow->world.begin_ns),
		(unsigned long long)(call->leave_ns - printing->flow->world.begin_ns),
		call->function);
	if (call->polls)
		fprintf(stream, " polls %llu gaps %llu least-gap %llu",
			(unsigned long long)call->polls, (unsigned long long)call->poll_gaps_ns,
			(unsigned long long)call->least_poll_gap_ns);
	for (uint32_t i = 0; i < call->event_count; i++) {
		fputs(i ? "," : ":", stream);
		print_event(&call->events[i], false, stream);
	}
	if (call->site != NO_SITE)
		fprintf(stream, " at %s", string_table_get(&printing->flow->strings, call->site));
	fputc('\n', stream);
	return ferror(stream) ? error_set_errno(err, "writing") : 0;
}

int print_calls(const struct flow *flow, uint32_t first, uint32_t end, FILE *stream,
		struct error *err)
{
	struct printing printing = {.flow = flow, .stream = stream};

	for (printing.rank = first; printing.rank < end; printing.rank++)
		TRY(flow_recover(flow, printing.rank, print_call, &printing, err));
	return 0;
}

char *flow_label_text(const struct flow *flow, uint32_t signature, struct error *err)
{
	const struct flow_label label = flow_signature_label(flow, signature);
	struct flow_calls calls;
	struct flow_template *template;
	char *text = NULL;
	size_t count;
	FILE *stream = open_memstream(&text, &count);
	int result = stream ? flow_calls_begin(&calls, (struct flow *)flow, NO_RANK, err)
			    : error_set_memory(err, 1);

	if (result < 0)
		return NULL;
	fputs(label.function, stream);
	if (label.common != UINT32_MAX)
		result = flow_template_get(&calls, label.common, &template, err);
	for (uint32_t i = 0;
	     label.common != UINT32_MAX && result == 0 && i < template->call.event_count; i++) {
		fputs(i ? "," : ":", stream);
		print_event(&template->events[i], true, stream);
	}
	if (label.site)
		fprintf(stream, " at %s", string_table_get(&flow->strings, label.site));
	flow_calls_release(&calls);
	if (fclose(stream) != 0)
		result = error_set_memory(err, count);
	if (result == 0)
		return text;
	free(text);
	return NULL;
}
