#include "trace/sequence/align.h"

#include "common/array.h"
#include "trace/call/mpi_call.h"

#include <stdlib.h>

#define NEVER UINT64_MAX

/* Times at which kinds or roots of members may differ before the rest of a key stays unknown. */
enum { MOST_DIFFERENCES = 100 };

/* The items of a member, in order. */
struct sequence {
	size_t next,
		end; /* places in the order of all items: the next one, and behind the last one */
	size_t segment_end; /* behind the last one before the next cut */
	bool floating;	    /* a cut is before the next item */
	bool is_due;	    /* ... whose number is: */
	uint64_t due;
	uint64_t since; /* number at which it came to the cut, or NEVER */
	/* The sequence, and its segment, along which the item was looked for. */
	const struct sequence *tried;
	size_t tried_end;
};

struct alignment {
	const struct align_item *items;
	const struct align_item **order; /* items by key, member and position */
	uint32_t *numbers;
	ARRAY(struct sequence) sequences; /* of the key at hand, by member */
	uint64_t number;		  /* of the next item */
	uint32_t differences;
};

/* ----------------------------------------------------------------------- order */

static int compare_items(const void *a, const void *b)
{
	const struct align_item *x = *(const struct align_item *const *)a;
	const struct align_item *y = *(const struct align_item *const *)b;

	for (int i = 0; i < 2; i++)
		if (x->key[i] != y->key[i])
			return x->key[i] < y->key[i] ? -1 : 1;
	if (x->member != y->member)
		return x->member < y->member ? -1 : 1;
	return x->position < y->position ? -1 : x->position > y->position;
}

static bool same_key(const struct align_item *a, const struct align_item *b)
{
	return a->key[0] == b->key[0] && a->key[1] == b->key[1];
}

static void find_segment_end(const struct alignment *alignment, struct sequence *sequence)
{
	size_t end = sequence->next;

	while (end < sequence->end &&
	       alignment->order[end]->segment == alignment->order[sequence->next]->segment)
		end++;
	sequence->segment_end = end;
}

/* ---------------------------------------------------------------------- places */

/* Whether two items can be the same by what they are. */
static bool are_alike(const struct align_item *a, const struct align_item *b)
{
	return a->kind == b->kind && a->bytes == b->bytes &&
	       (a->root == b->root || a->root == NO_ROOT || b->root == NO_ROOT);
}

/* Whether an item ended before another one began for which it has to wait. */
static bool is_too_early(const struct align_item *item, const struct align_item *other)
{
	return item->end_ns < other->begin_ns &&
	       (item->flags & ALIGN_NEEDS_ALL ||
		(item->flags & ALIGN_NEEDS_ROOT && other->flags & ALIGN_IS_ROOT));
}

static size_t segment_count(const struct sequence *sequence)
{
	return sequence->segment_end - sequence->next;
}

/* Whether no item comes after the segment, as far as the program ran. */
static bool reaches_end(const struct alignment *alignment, const struct sequence *sequence)
{
	return sequence->segment_end == sequence->end &&
	       !(alignment->order[sequence->end - 1]->flags & ALIGN_OPEN);
}

/* Whether the segment of a sequence can begin `ahead` items ahead of the next one of a pilot. */
static bool fits(const struct alignment *alignment, const struct sequence *sequence,
		 const struct sequence *pilot, size_t ahead, bool by_times)
{
	const struct align_item *const *own = alignment->order + sequence->next;
	const struct align_item *const *other = alignment->order + pilot->next + ahead;
	const size_t left = segment_count(pilot) - ahead, segment = segment_count(sequence);

	for (size_t i = 0; i < left && i < segment; i++)
		if (!are_alike(own[i], other[i]) || (by_times && (is_too_early(own[i], other[i]) ||
								  is_too_early(other[i], own[i]))))
			return false;
	return true;
}

static void set_due(const struct alignment *alignment, struct sequence *sequence, size_t ahead)
{
	sequence->is_due = true;
	sequence->due = alignment->number + ahead;
}

/* Leave out a segment: its items stay unknown. */
static void leave_out(const struct alignment *alignment, struct sequence *sequence)
{
	sequence->next = sequence->segment_end;
	sequence->since = alignment->number;
	sequence->tried = NULL;
	find_segment_end(alignment, sequence);
}

/* Look for the place of a segment between the items of a pilot that have to be there at its end. */
static void try_places(const struct alignment *alignment, struct sequence *sequence,
		       const struct sequence *pilot)
{
	const size_t own = segment_count(sequence), others = segment_count(pilot);
	const bool to_end = reaches_end(alignment, sequence);
	const bool pilot_to_end = reaches_end(alignment, pilot);
	const struct align_item *first = alignment->order[sequence->next];
	size_t found = 0, place = 0;

	for (size_t ahead = 0; ahead < others && found < 2; ahead++) {
		const struct align_item *other = alignment->order[pilot->next + ahead];

		/* Later ones began no earlier. */
		if (first->flags & ALIGN_NEEDS_ALL && first->end_ns < other->begin_ns)
			break;
		if ((pilot_to_end && ahead + own > others) || (to_end && ahead + own < others) ||
		    !fits(alignment, sequence, pilot, ahead, true))
			continue;
		place = ahead;
		found++;
	}
	if (found == 1)
		set_due(alignment, sequence, place);
	else if (found)
		leave_out(alignment, sequence);
}

/* Find where the segment of a sequence that is floating begins, if the pilot's segment tells. */
static void find_place(const struct alignment *alignment, struct sequence *sequence,
		       const struct sequence *pilot)
{
	const size_t own = segment_count(sequence), others = segment_count(pilot);

	if (sequence->tried == pilot && sequence->tried_end == pilot->segment_end)
		return;
	sequence->tried = pilot;
	sequence->tried_end = pilot->segment_end;
	if (reaches_end(alignment, sequence) && reaches_end(alignment, pilot)) {
		if (others >= own && fits(alignment, sequence, pilot, others - own, false))
			set_due(alignment, sequence, others - own);
	} else if (own == others && sequence->since == alignment->number &&
		   pilot->since == alignment->number &&
		   fits(alignment, sequence, pilot, 0, false)) {
		set_due(alignment, sequence, 0);
	} else {
		try_places(alignment, sequence, pilot);
	}
}

/* ----------------------------------------------------------------------- sweep */

static bool has_next(const struct sequence *sequence)
{
	return sequence->next < sequence->end;
}

static bool takes_part(const struct sequence *sequence)
{
	return has_next(sequence) && !sequence->floating;
}

#define for_each_sequence(alignment, sequence)                         \
	for (struct sequence *sequence = (alignment)->sequences.items; \
	     sequence < (alignment)->sequences.items + (alignment)->sequences.count; sequence++)

/* Let the sequences take part whose next item has the number at hand. */
static void take_due(const struct alignment *alignment)
{
	for_each_sequence(alignment,
			  sequence) if (sequence->is_due && sequence->due == alignment->number)
		sequence->floating = sequence->is_due = false;
}

/* Of those that take part, find the one that is best known, or NULL. */
static const struct sequence *find_pilot(const struct alignment *alignment)
{
	const struct sequence *pilot = NULL;

	for_each_sequence(
		alignment,
		sequence) if (takes_part(sequence) &&
			      (!pilot ||
			       reaches_end(alignment, sequence) > reaches_end(alignment, pilot) ||
			       (reaches_end(alignment, sequence) == reaches_end(alignment, pilot) &&
				segment_count(sequence) > segment_count(pilot)))) pilot = sequence;
	return pilot;
}

/* Whether the next items of all that take part are alike. */
static bool all_are_alike(const struct alignment *alignment, const struct sequence *pilot)
{
	for_each_sequence(alignment,
			  sequence) if (takes_part(sequence) &&
					!are_alike(alignment->order[sequence->next],
						   alignment->order[pilot->next])) return false;
	return true;
}

/* Let all sequences float. */
static void float_all(const struct alignment *alignment)
{
	for_each_sequence(alignment, sequence)
	{
		if (takes_part(sequence))
			sequence->since = alignment->number;
		sequence->floating = true;
		sequence->is_due = false;
		sequence->tried = NULL;
	}
}

/* Of those that float, let the one begin whose next item ended first. */
static const struct sequence *choose_leader(const struct alignment *alignment)
{
	struct sequence *leader = NULL;

	for_each_sequence(alignment,
			  sequence) if (has_next(sequence) &&
					(!leader || alignment->order[sequence->next]->end_ns <
							    alignment->order[leader->next]->end_ns))
		leader = sequence;
	if (leader)
		leader->floating = leader->is_due = false;
	return leader;
}

/* Find those that have the item with the number at hand.  Returns false at the end. */
static bool find_members(struct alignment *alignment)
{
	const struct sequence *pilot;

	take_due(alignment);
	pilot = find_pilot(alignment);
	if (pilot && !all_are_alike(alignment, pilot)) {
		if (alignment->differences++ == MOST_DIFFERENCES)
			return false;
		pilot = NULL;
	}
	if (!pilot) {
		float_all(alignment);
		pilot = choose_leader(alignment);
	}
	if (!pilot)
		return false;
	for_each_sequence(alignment, sequence) if (has_next(sequence) && sequence->floating &&
						   !sequence->is_due)
		find_place(alignment, sequence, pilot);
	take_due(alignment);
	return true;
}

/* Number the next items of those that take part, and go on. */
static void number_items(struct alignment *alignment)
{
	for_each_sequence(alignment, sequence)
	{
		if (!takes_part(sequence))
			continue;
		alignment->numbers[alignment->order[sequence->next] - alignment->items] =
			(uint32_t)alignment->number;
		if (++sequence->next < sequence->segment_end)
			continue;
		sequence->floating = true;
		sequence->since = alignment->number + 1;
		sequence->tried = NULL;
		find_segment_end(alignment, sequence);
	}
	alignment->number++;
}

/* Add the sequences of the items first ... end - 1, which have the same key. */
static int add_sequences(struct alignment *alignment, size_t first, size_t end, struct error *err)
{
	alignment->sequences.count = 0;
	for (size_t at = first; at < end;) {
		struct sequence sequence = {.next = at, .end = at};

		while (sequence.end < end &&
		       alignment->order[sequence.end]->member == alignment->order[at]->member)
			sequence.end++;
		sequence.floating = alignment->order[at]->segment > 0;
		sequence.since = sequence.floating ? 0 : NEVER;
		find_segment_end(alignment, &sequence);
		at = sequence.end;
		TRY(array_push(&alignment->sequences, sequence, err));
	}
	return 0;
}

static int align_all(struct alignment *alignment, size_t count, struct error *err)
{
	for (size_t first = 0, end; first < count; first = end) {
		for (end = first;
		     end < count && same_key(alignment->order[end], alignment->order[first]);)
			end++;
		TRY(add_sequences(alignment, first, end, err));
		alignment->number = 0;
		alignment->differences = 0;
		while (find_members(alignment))
			number_items(alignment);
	}
	return 0;
}

int align_items(const struct align_item *items, size_t count, uint32_t *numbers, struct error *err)
{
	struct alignment alignment = {.items = items, .numbers = numbers};
	int result;

	TRY(allocate(&alignment.order, count, sizeof(const struct align_item *), err));
	for (size_t i = 0; i < count; i++) {
		alignment.order[i] = &items[i];
		numbers[i] = ALIGN_UNKNOWN;
	}
	if (count)
		qsort(alignment.order, count, sizeof *alignment.order, compare_items);
	result = align_all(&alignment, count, err);
	array_release(&alignment.sequences);
	free(alignment.order);
	return result;
}
