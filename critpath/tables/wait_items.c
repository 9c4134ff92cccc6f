#include "critpath/tables/wait_items.h"

#include "critpath/path/receipts.h"
#include "critpath/match/site_texts.h"
#include "trace/measured/sync_edges.h"

const char *const wait_pattern_names[PATTERNS + 2] = {
	[PATTERN_LATE_SENDER] = "late-sender",
	[PATTERN_LATE_RECEIVER] = "late-receiver",
	[PATTERN_BARRIER] = "barrier",
	[PATTERN_COLLECTIVE] = "collective",
	[PATTERN_EARLY_REDUCE] = "early-reduce",
	[PATTERN_EARLY_SCAN] = "early-scan",
	[PATTERN_LATE_BROADCAST] = "late-broadcast",
	[PATTERN_LOCK] = "lock",
	[PATTERN_WRONG_ORDER_SAME] = "wrong-order-same",
	[PATTERN_WRONG_ORDER_DIFFERENT] = "wrong-order-different",
	[PATTERN_ANY] = "any",
};

/* What is known of each call of a rank. */
struct call_notes {
	uint64_t sent_ns; /* earliest send of a message that the call or a later one received */
	uint32_t sender;  /* of that message */
	uint32_t tag;	  /* of the message that it waited for */
	uint8_t pattern;  /* enum wait_pattern, if it waited for members of a collective */
};

static bool is_wait_for(const struct wait *wait, enum wait_kind kind, uint32_t rank, uint32_t call)
{
	return wait->kind == kind && wait->rank == rank && wait->call == call;
}

/* Note the tag of the first message that a call, a receive or a probe, waited for. */
static void note_tag(struct call_notes *note, const struct wait *wait,
		     const struct receipts *receipt)
{
	if (note->tag == NO_TAG && wait->comm == receipt->recv->comm &&
	    is_wait_for(wait, WAIT_LATE_SENDER, receipt->recv->peer, receipt->send.call))
		note->tag = receipt->recv->tag;
}

/* Note when the messages that each call or a later one received were sent. */
static void note_receives(struct call_notes *notes, const struct waits *waits, uint32_t number)
{
	const struct measured_rank *rank = &waits->run->ranks[number];
	struct receipts receipts = receipts_of(waits->run, number);

	while (receipts_next(&receipts)) {
		struct call_notes *note = &notes[receipts.call];

		if (is_signal(receipts.recv->tag))
			continue;
		if (!receipts.is_probe && receipts.send.begin_ns < note->sent_ns) {
			note->sent_ns = receipts.send.begin_ns;
			note->sender = receipts.recv->peer;
		}
		note_tag(note, wait_at(waits, number, receipts.call), &receipts);
	}
	for (size_t c = rank->calls.count; c-- > 0;)
		if (notes[c + 1].sent_ns < notes[c].sent_ns) {
			notes[c].sent_ns = notes[c + 1].sent_ns;
			notes[c].sender = notes[c + 1].sender;
		}
}

static void note_sends(struct call_notes *notes, const struct waits *waits, uint32_t number)
{
	const struct measured_run *run = waits->run;
	const struct measured_rank *rank = &run->ranks[number];

	for (size_t i = 0; i < rank->sends.count; i++) {
		const struct measured_send *send = &rank->sends.items[i];

		if (run->recv_of[number][i] != NO_MATCH && send->end != NO_CALL &&
		    is_wait_for(wait_at(waits, number, send->end), WAIT_LATE_RECEIVER, send->peer,
				measured_recv_of(run, number, i).call))
			notes[send->end].tag = send->tag;
	}
}

/* Pattern of a wait for members of a collective. */
static enum wait_pattern pattern_in(uint8_t kind)
{
	switch (kind) {
	case COLL_BARRIER:
		return PATTERN_BARRIER;
	case COLL_GATHER:
	case COLL_GATHERV:
	case COLL_REDUCE:
		return PATTERN_EARLY_REDUCE;
	case COLL_SCAN:
	case COLL_EXSCAN:
		return PATTERN_EARLY_SCAN;
	default:
		return PATTERN_COLLECTIVE;
	}
}

/* Whether the call that completed a part waited in this collective: in a scan, not for its last member. */
static bool waited_in(const struct wait *wait, const struct participation *part,
		      const struct measured_instance *instance)
{
	if (pattern_in(part->kind) == PATTERN_EARLY_SCAN)
		return wait->kind == WAIT_COLLECTIVE && wait->comm == part->comm;
	return is_wait_for(wait, WAIT_COLLECTIVE, instance->last_rank, instance->last.call);
}

static void note_collectives(struct call_notes *notes, const struct waits *waits, uint32_t number)
{
	const struct measured_run *run = waits->run;
	const struct measured_rank *rank = &run->ranks[number];

	for (size_t i = 0; i < rank->parts.count; i++) {
		const struct participation *part = &rank->parts.items[i];
		const uint32_t instance = run->instance_of[number][i];

		if (instance != NO_MATCH && pattern_in(part->kind) != PATTERN_COLLECTIVE &&
		    waited_in(wait_at(waits, number, part->end), part,
			      &run->instances.items[instance]))
			notes[part->end].pattern = (uint8_t)pattern_in(part->kind);
	}
}

static enum wait_pattern pattern_of(const struct wait *wait, const struct call_notes *note)
{
	switch (wait->kind) {
	case WAIT_LATE_SENDER:
		return PATTERN_LATE_SENDER;
	case WAIT_LATE_RECEIVER:
		return PATTERN_LATE_RECEIVER;
	case WAIT_ROOT:
		return PATTERN_LATE_BROADCAST;
	case WAIT_LOCK:
		return PATTERN_LOCK;
	default:
		return (enum wait_pattern)note->pattern;
	}
}

/* Find the part of a wait after another message, received later, had been sent.  later: of calls behind. */
static void find_wrong_order(struct wait_item *item, const struct call_notes *later)
{
	const uint64_t until = item->enter_ns + item->ns;
	const uint64_t from = later->sent_ns > item->enter_ns ? later->sent_ns : item->enter_ns;

	if (until <= from)
		return;
	item->wrong_order_ns = until - from;
	item->order = later->sender == item->cause_rank ? PATTERN_WRONG_ORDER_SAME
							: PATTERN_WRONG_ORDER_DIFFERENT;
}

/* Describe the part of a call and of its wait that is reported. */
static struct wait_item describe_wait(const struct waits *waits, uint32_t rank, uint32_t number)
{
	const struct measured_call *call = &waits->run->ranks[rank].calls.items[number];
	const struct wait *wait = wait_at(waits, rank, number);
	const struct time_span slice = measured_slice(waits->run);
	const struct time_span part = time_span_common(slice, (struct time_span){call->enter_ns,
										 call->leave_ns});
	const struct time_span waited = {call->enter_ns,
					 call->enter_ns + wait_ns(waits, rank, number)};

	return (struct wait_item){
		.rank = rank,
		.thread = call->thread,
		.call = number,
		.function = call->function,
		.enter_ns = part.begin_ns,
		.leave_ns = part.end_ns,
		.comm = wait->comm,
		.cause_rank = wait->rank,
		.cause_call = wait->call,
		.cause_function = wait->function,
		.site = measured_site(&waits->run->ranks[rank], number),
		.ns = time_span_common_ns(slice, waited),
	};
}

static int list_waits(struct wait_items *items, const struct call_notes *notes,
		      const struct waits *waits, uint32_t number, struct error *err)
{
	const struct measured_rank *rank = &waits->run->ranks[number];

	for (uint32_t c = 0; c < rank->calls.count; c++) {
		struct wait_item item = describe_wait(waits, number, c);

		if (!item.ns)
			continue;
		item.tag = notes[c].tag;
		item.pattern = (uint8_t)pattern_of(wait_at(waits, number, c), &notes[c]);
		if (item.pattern == PATTERN_LATE_SENDER)
			find_wrong_order(&item, &notes[c + 1]);
		TRY(array_push(&items->list, item, err));
	}
	return 0;
}

static int wait_items_list_rank(struct wait_items *items, const struct waits *waits,
				uint32_t number, struct error *err)
{
	const size_t count = waits->run->ranks[number].calls.count;
	struct call_notes *notes;
	int result;

	TRY(allocate(&notes, count + 1, sizeof *notes, err));
	for (size_t c = 0; c <= count; c++)
		notes[c] = (struct call_notes){.sent_ns = UINT64_MAX,
					       .tag = NO_TAG,
					       .pattern = PATTERN_COLLECTIVE};
	note_receives(notes, waits, number);
	note_sends(notes, waits, number);
	note_collectives(notes, waits, number);
	result = list_waits(items, notes, waits, number, err);
	free(notes);
	return result;
}

int wait_items_find(struct wait_items *items, const struct waits *waits, struct error *err)
{
	*items = (struct wait_items){0};
	for (uint32_t r = waits->run->own_first; r < waits->run->own_end; r++)
		if (wait_items_list_rank(items, waits, r, err) < 0) {
			wait_items_release(items);
			return -1;
		}
	return 0;
}

void wait_items_release(struct wait_items *items)
{
	array_release(&items->list);
}

static uint32_t *cause_of(void *items, size_t number, uint32_t *rank, uint32_t *call)
{
	struct wait_item *item = &((struct wait_items *)items)->list.items[number];

	*rank = item->cause_rank;
	*call = item->cause_call;
	return &item->cause_site;
}

int wait_items_find_sites(struct wait_items *items, const struct measured_run *run,
			  struct dist *dist, struct error *err)
{
	return row_sites_find(run, dist, cause_of, items, items->list.count, err);
}

void wait_items_keep(struct wait_items *items, enum wait_pattern pattern)
{
	size_t kept = 0;

	for (size_t i = 0; i < items->list.count; i++)
		if (wait_item_ns(&items->list.items[i], pattern))
			items->list.items[kept++] = items->list.items[i];
	items->list.count = kept;
}

static bool is_chosen(size_t number, const size_t *chosen, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (chosen[i] == number)
			return true;
	return false;
}

void wait_items_choose(struct wait_items *items, const size_t *chosen, size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < items->list.count && kept < count; i++)
		if (is_chosen(i, chosen, count))
			items->list.items[kept++] = items->list.items[i];
	items->list.count = kept;
}

uint64_t wait_item_ns(const struct wait_item *item, enum wait_pattern pattern)
{
	if (pattern == PATTERN_ANY || item->pattern == pattern)
		return item->ns;
	return item->wrong_order_ns && item->order == pattern ? item->wrong_order_ns : 0;
}
