#include "critpath/parts/rounded_blocks.h"

#include "critpath/parts/frame.h"
#include "critpath/parts/range_code.h"

#include <string.h>

/* A group has at least 28 decisions of 0.0007 bits: no block can claim more for each of its bytes. */
enum { GROUPS_PER_BYTE = 500 };

/* Contexts are large, so they are not on the stack. */
struct contexts {
	struct range_number unit, count, first, length, shorter, intervals;
	struct range_number offset, rank, thread, call, function, site;
	struct range_bit asked[FIGURES][32];
	struct range_bit bits[FIGURES + 1][1 << ROUNDED_MORE_BITS];
	/* Of the group before. */
	uint64_t before_first, before_end;
	uint32_t before_call;
	unsigned char before_asked;
};

struct writer {
	struct range_encoder encoder;
	struct contexts *contexts;
};

static int begin(struct writer *writer, struct error *err)
{
	*writer = (struct writer){0};
	return allocate(&writer->contexts, 1, sizeof *writer->contexts, err);
}

/* Append the code to the block. */
static int end(struct writer *writer, struct byte_array *block, struct error *err)
{
	int result = range_end(&writer->encoder, err);
	const size_t count = writer->encoder.bytes.count;

	if (result == 0)
		result = array_reserve(&block->bytes, count, err);
	if (result == 0 && count) {
		memcpy(block->bytes.items + block->bytes.count, writer->encoder.bytes.items, count);
		block->bytes.count += count;
	}
	range_release(&writer->encoder);
	free(writer->contexts);
	return result;
}

/* -------------------------------------------------------------- first rounding */

static void put_list(struct writer *writer, const struct rounded_groups *groups, unsigned bits)
{
	struct contexts *contexts = writer->contexts;
	struct range_encoder *encoder = &writer->encoder;

	range_put(encoder, &contexts->count, groups->list.count);
	for (size_t i = 0; i < groups->list.count; i++) {
		const struct rounded_group *group = &groups->list.items[i];
		const uint64_t first = rounded_first(group, bits), last = rounded_end(group);

		range_put(encoder, &contexts->first, first - contexts->before_first);
		range_put(encoder, &contexts->length, last - first);
		range_put(encoder, &contexts->shorter,
			  last - first + 1 - group->figures[FIGURE_LONGEST]);
		range_put(encoder, &contexts->intervals, group->intervals);
		contexts->before_first = first;
	}
}

int rounded_blocks_put(struct byte_array *block, const struct rounded_groups *groups, unsigned bits,
		       struct error *err)
{
	struct writer writer;

	TRY(begin(&writer, err));
	put_list(&writer, groups, bits);
	return end(&writer, block, err);
}

static int take_group(struct rounded_group *group, struct range_decoder *decoder,
		      struct contexts *contexts, unsigned bits, struct error *err)
{
	const uint64_t most = UINT64_MAX >> bits;
	const uint64_t since = range_take(decoder, &contexts->first);
	const uint64_t length = range_take(decoder, &contexts->length);
	const uint64_t shorter = range_take(decoder, &contexts->shorter);
	const uint64_t first = contexts->before_first + since;

	*group = (struct rounded_group){.intervals = range_take(decoder, &contexts->intervals),
					.asked = (1 << FIGURES) - 1};
	if (since > most || first == 0 || first - 1 > most || first < contexts->before_end)
		return frame_damaged(err, "groups are not in order of time");
	if (length > most || first + length - 1 > most || shorter > length + 1 || !group->intervals)
		return frame_damaged(err, "a group is too long, or has no intervals");
	group->since = (first - 1) << bits;
	group->figures[FIGURE_START] = most - (first - 1);
	group->figures[FIGURE_END] = first + length - 1;
	group->figures[FIGURE_LONGEST] = length + 1 - shorter;
	contexts->before_first = first;
	contexts->before_end = first + length;
	return 0;
}

static int take_groups(struct rounded_groups *groups, struct range_decoder *decoder,
		       struct contexts *contexts, uint64_t most, unsigned bits, struct error *err)
{
	const uint64_t count = range_take(decoder, &contexts->count);

	if (count > most)
		return frame_damaged(err, "it has too many groups");
	TRY(array_reserve(&groups->list, count, err));
	for (; groups->list.count < count; groups->list.count++)
		TRY(take_group(&groups->list.items[groups->list.count], decoder, contexts, bits,
			       err));
	return 0;
}

int rounded_blocks_take(struct rounded_groups *groups, const unsigned char *block, size_t bytes,
			unsigned bits, struct error *err)
{
	struct range_decoder decoder = range_begin(block, bytes);
	struct contexts *contexts;
	int result;

	TRY(allocate(&contexts, 1, sizeof *contexts, err));
	result = take_groups(groups, &decoder, contexts, (bytes + 1) * GROUPS_PER_BYTE, bits, err);
	free(contexts);
	return result;
}

/* ----------------------------------------------------------------------- asked */

/* Context of a figure: what is known of the figures before it, and of the same one of the group before. */
static struct range_bit *context_of_asked(struct contexts *contexts, int figure, unsigned was_asked,
					  unsigned asked)
{
	unsigned known = contexts->before_asked >> figure & 1;

	for (int k = 0; k < figure; k++)
		known = 3 * known + (was_asked >> k & 1) + (asked >> k & 1);
	return &contexts->asked[figure][known];
}

int rounded_blocks_put_asked(struct byte_array *block, const struct rounded_groups *groups,
			     struct error *err)
{
	struct writer writer;

	TRY(begin(&writer, err));
	for (size_t i = 0; i < groups->list.count; i++) {
		const struct rounded_group *group = &groups->list.items[i];

		for (int k = 0; k < FIGURES; k++)
			if (group->was_asked >> k & 1)
				range_put_bit(&writer.encoder,
					      context_of_asked(writer.contexts, k, group->was_asked,
							       group->asked),
					      group->asked >> k & 1);
		writer.contexts->before_asked = group->asked;
	}
	return end(&writer, block, err);
}

int rounded_blocks_take_asked(struct rounded_groups *groups, const unsigned char *block,
			      size_t bytes, struct error *err)
{
	struct range_decoder decoder = range_begin(block, bytes);
	struct contexts *contexts;

	TRY(allocate(&contexts, 1, sizeof *contexts, err));
	for (size_t i = 0; i < groups->list.count; i++) {
		struct rounded_group *group = &groups->list.items[i];
		unsigned asked = 0;

		for (int k = 0; k < FIGURES; k++)
			if (group->asked >> k & 1)
				asked |= (unsigned)range_take_bit(&decoder,
								  context_of_asked(contexts, k,
										   group->asked,
										   asked))
					 << k;
		contexts->before_asked = group->asked = (unsigned char)asked;
	}
	free(contexts);
	return 0;
}

/* ------------------------------------------------------------------- more bits */

static bool is_asked(const struct rounded_group *group, enum group_figure figure)
{
	return group->asked >> figure & 1;
}

/* Time from the last time that the receiver knows before the longest interval, or to the one after it. */
static uint64_t offset_of(const struct rounded_group *group)
{
	if (is_asked(group, FIGURE_END))
		return rounded_end(group) - group->longest.end_ns;
	if (is_asked(group, FIGURE_START))
		return group->longest.start_ns - ~group->figures[FIGURE_START];
	return group->longest.start_ns - group->since;
}

static void put_longest(struct range_encoder *encoder, struct contexts *contexts,
			const struct rounded_group *group)
{
	const struct compute_interval *longest = &group->longest;

	range_put(encoder, &contexts->offset, offset_of(group));
	range_put(encoder, &contexts->rank, longest->rank);
	range_put(encoder, &contexts->thread, longest->thread);
	range_put(encoder, &contexts->call,
		  zigzag((uint64_t)longest->call - contexts->before_call));
	range_put(encoder, &contexts->function, longest->function);
	range_put(encoder, &contexts->site, longest->site + UINT32_C(1));
	contexts->before_call = longest->call;
}

/* What is expected of the bits of a figure, and its context. */
struct expected {
	struct range_bit *context;
	uint64_t number;
};

/* The longest interval often is the whole group, whose length is known if both its ends are asked. */
static struct expected expected_bits(struct contexts *contexts, const struct rounded_group *group,
				     int figure)
{
	if (figure == FIGURE_LONGEST && is_asked(group, FIGURE_START) &&
	    is_asked(group, FIGURE_END))
		return (struct expected){contexts->bits[FIGURES],
					 group->figures[FIGURE_START] + group->figures[FIGURE_END]};
	return (struct expected){contexts->bits[figure], 0};
}

static void put_bits(struct writer *writer, const struct rounded_groups *groups, unsigned more,
		     bool last)
{
	for (size_t i = 0; i < groups->list.count; i++) {
		const struct rounded_group *group = &groups->list.items[i];

		for (int k = 0; k < FIGURES; k++) {
			const struct expected expected = expected_bits(writer->contexts, group, k);

			if (group->asked >> k & 1)
				range_put_bits(&writer->encoder, expected.context,
					       group->figures[k] - expected.number, more);
		}
		if (last && is_asked(group, FIGURE_LONGEST))
			put_longest(&writer->encoder, writer->contexts, group);
	}
}

int rounded_blocks_put_bits(struct byte_array *block, const struct rounded_groups *groups,
			    unsigned more, bool last, struct error *err)
{
	struct writer writer;

	TRY(begin(&writer, err));
	put_bits(&writer, groups, more, last);
	return end(&writer, block, err);
}

static int take_longest(struct rounded_group *group, struct range_decoder *decoder,
			struct contexts *contexts, struct error *err)
{
	const uint64_t offset = range_take(decoder, &contexts->offset);
	const uint64_t rank = range_take(decoder, &contexts->rank);
	const uint64_t thread = range_take(decoder, &contexts->thread);
	const uint64_t call = contexts->before_call +
			      unzigzag(range_take(decoder, &contexts->call));
	const uint64_t function = range_take(decoder, &contexts->function);
	const uint64_t site = range_take(decoder, &contexts->site);
	struct compute_interval *longest = &group->longest;

	if (rank > UINT32_MAX || thread > UINT32_MAX || call > UINT32_MAX ||
	    function > UINT32_MAX || site > UINT32_MAX)
		return frame_damaged(err, "a number of a longest interval is too large");
	*longest = (struct compute_interval){.rank = (uint32_t)rank,
					     .thread = (uint32_t)thread,
					     .call = (uint32_t)call,
					     .function = (uint32_t)function,
					     .site = (uint32_t)site - 1};
	longest->start_ns = is_asked(group, FIGURE_END)
				    ? rounded_end(group) - offset - group->figures[FIGURE_LONGEST]
			    : is_asked(group, FIGURE_START) ? ~group->figures[FIGURE_START] + offset
							    : group->since + offset;
	longest->end_ns = longest->start_ns + group->figures[FIGURE_LONGEST];
	contexts->before_call = longest->call;
	return 0;
}

static int take_bits(struct rounded_groups *groups, struct range_decoder *decoder,
		     struct contexts *contexts, unsigned more, bool last, struct error *err)
{
	const uint64_t most = (UINT64_C(1) << more) - 1;

	for (size_t i = 0; i < groups->list.count; i++) {
		struct rounded_group *group = &groups->list.items[i];

		for (int k = 0; k < FIGURES; k++) {
			const struct expected expected = expected_bits(contexts, group, k);

			if (group->asked >> k & 1)
				group->figures[k] = group->figures[k] << more |
						    ((range_take_bits(decoder, expected.context,
								      more) +
						      expected.number) &
						     most);
		}
		if (last && is_asked(group, FIGURE_LONGEST))
			TRY(take_longest(group, decoder, contexts, err));
	}
	return 0;
}

int rounded_blocks_take_bits(struct rounded_groups *groups, const unsigned char *block,
			     size_t bytes, unsigned more, bool last, struct error *err)
{
	struct range_decoder decoder = range_begin(block, bytes);
	struct contexts *contexts;
	int result;

	TRY(allocate(&contexts, 1, sizeof *contexts, err));
	result = take_bits(groups, &decoder, contexts, more, last, err);
	free(contexts);
	return result;
}

/* ---------------------------------------------------------------- all at once */

int rounded_blocks_put_all(struct byte_array *block, const struct groups *groups, struct error *err)
{
	struct rounded_groups exact = {0};
	struct writer writer;
	int result = rounded_groups_make(&exact, groups, rounded_groups_unit(groups), 0, err);

	if (result == 0)
		result = begin(&writer, err);
	if (result == 0) {
		range_put(&writer.encoder, &writer.contexts->unit, exact.unit);
		put_list(&writer, &exact, 0);
		put_bits(&writer, &exact, 0, true);
		result = end(&writer, block, err);
	}
	rounded_groups_release(&exact);
	return result;
}

int rounded_blocks_take_all(struct groups *groups, const unsigned char *block, size_t bytes,
			    struct error *err)
{
	struct range_decoder decoder = range_begin(block, bytes);
	struct rounded_groups exact = {0};
	struct contexts *contexts;
	int result;

	TRY(allocate(&contexts, 1, sizeof *contexts, err));
	exact.unit = range_take(&decoder, &contexts->unit);
	result = take_groups(&exact, &decoder, contexts, (bytes + 1) * GROUPS_PER_BYTE, 0, err);
	if (result == 0)
		result = take_bits(&exact, &decoder, contexts, 0, true, err);
	if (result == 0)
		result = rounded_groups_end(groups, &exact, err);
	rounded_groups_release(&exact);
	free(contexts);
	return result;
}
