/* Alignment of collectives around gaps (trace/sequence/align.h), each communicator by one process. */
#include "common/hash.h"
#include "dist/dist_ask.h"
#include "critpath/match/match_steps.h"
#include "trace/measured/measured_align.h"

struct aligning {
	struct measured_alignment own;
	uint32_t *places; /* [own item]: its number on the process that aligns it */
	uint32_t processes;
	/* Items that this process aligns. */
	ARRAY(struct align_item) kept;
	uint32_t *numbers; /* [kept item] */
};

static uint32_t owner_of(const struct aligning *aligning, const struct align_item *item)
{
	return (uint32_t)(mix64_add(mix64(item->key[0]), item->key[1]) % aligning->processes);
}

static uint32_t ask_to_keep(const void *own, size_t number, void *question)
{
	const struct aligning *aligning = own;

	*(struct align_item *)question = aligning->own.items.items[number];
	return owner_of(aligning, question);
}

static int answer_keep(void *data, const void *questions, size_t count, void *answers,
		       struct error *err)
{
	struct aligning *aligning = data;
	const struct align_item *items = questions;
	uint32_t *places = answers;

	for (size_t i = 0; i < count; i++) {
		places[i] = (uint32_t)aligning->kept.count;
		TRY(array_push(&aligning->kept, items[i], err));
	}
	return 0;
}

static void alignment_take_place(void *own, size_t number, const void *answer)
{
	((struct aligning *)own)->places[number] = *(const uint32_t *)answer;
}

static uint32_t ask_number(const void *own, size_t number, void *question)
{
	const struct aligning *aligning = own;

	*(uint32_t *)question = aligning->places[number];
	return owner_of(aligning, &aligning->own.items.items[number]);
}

static int answer_number(void *data, const void *questions, size_t count, void *answers,
			 struct error *err)
{
	const struct aligning *aligning = data;
	const uint32_t *places = questions;
	uint32_t *numbers = answers;

	(void)err;
	for (size_t i = 0; i < count; i++)
		numbers[i] = aligning->numbers[places[i]];
	return 0;
}

static void take_number(void *own, size_t number, const void *answer)
{
	((struct aligning *)own)->own.numbers[number] = *(const uint32_t *)answer;
}

static int align_kept(struct aligning *aligning, struct error *err)
{
	TRY(allocate(&aligning->numbers, aligning->kept.count, sizeof *aligning->numbers, err));
	return align_items(aligning->kept.items, aligning->kept.count, aligning->numbers, err);
}

/* Give each own item to the process that aligns it, and take its number. */
static int find_numbers(struct aligning *aligning, struct dist *dist, struct error *err)
{
	const size_t count = aligning->own.items.count;
	const struct dist_questions keeping = {
		.question_bytes = sizeof(struct align_item),
		.answer_bytes = sizeof(uint32_t),
		.answer = answer_keep,
		.data = aligning,
		.ask = ask_to_keep,
		.take = alignment_take_place,
		.own = aligning,
	};
	const struct dist_questions numbering = {
		.question_bytes = sizeof(uint32_t),
		.answer_bytes = sizeof(uint32_t),
		.answer = answer_number,
		.data = aligning,
		.ask = ask_number,
		.take = take_number,
		.own = aligning,
	};

	TRY(dist_agree(dist, allocate(&aligning->places, count, sizeof *aligning->places, err),
		       err));
	TRY(dist_ask(dist, &keeping, count, err));
	TRY(dist_agree(dist, align_kept(aligning, err), err));
	return dist_ask(dist, &numbering, count, err);
}

/* List own items, once it is known which ranks have cuts. */
static int list_items(struct aligning *aligning, const struct measured_run *run, struct dist *dist,
		      struct error *err)
{
	uint64_t *cuts;
	int result = allocate(&cuts, run->rank_count, sizeof *cuts, err);

	for (uint32_t r = run->own_first; result == 0 && r < run->own_end; r++)
		cuts[r] = measured_cuts_of(&run->ranks[r]);
	result = dist_agree(dist, result, err);
	if (result == 0)
		result = dist_allreduce(dist, cuts, run->rank_count, DIST_SUM, err);
	if (result == 0)
		result = dist_agree(dist, measured_alignment_list(&aligning->own, run, cuts, err),
				    err);
	free(cuts);
	return result;
}

static int align(struct measured_matching *matching, const struct rank_owners *map,
		 struct dist *dist, struct error *err)
{
	struct aligning aligning = {.processes = dist->size};
	int result = list_items(&aligning, matching->run, dist, err);

	if (result == 0)
		result = find_numbers(&aligning, dist, err);
	if (result == 0)
		result = dist_agree(dist, measured_match_again(matching, &aligning.own, err), err);
	measured_alignment_release(&aligning.own);
	array_release(&aligning.kept);
	free(aligning.places);
	free(aligning.numbers);
	TRY(result);
	TRY(match_messages_between(matching, map, dist, err));
	return match_collectives(matching, dist, err);
}

int match_alignment(struct measured_matching *matching, const struct rank_owners *map,
		    struct dist *dist, struct error *err)
{
	uint64_t needed = measured_needs_alignment(matching->run);

	TRY(dist_allreduce(dist, &needed, 1, DIST_MAX, err));
	return needed ? align(matching, map, dist, err) : 0;
}
