#include "critpath/causes/piece_answers.h"

#include <string.h>

/* A portion as it is sent. */
struct sent_portion {
	uint64_t ns, code;
	uint32_t when;
	uint32_t unused;
};

/* Before the portions of an answer. */
struct answer_head {
	uint64_t bytes; /* of the portions */
	uint64_t known;
};

struct asking {
	struct stretch_pieces *pieces;
	struct stretch_visits *visits;
	const struct rank_owners *owners;
	struct dist *dist;
	uint64_t *sizes; /* [process]: bytes to send */
	struct bytes packed;
	struct portions portions;
};

/* Process of a visit, or that of `dist` for own ranks. */
static uint32_t process_of(const struct asking *asking, const struct stretch_visit *visit)
{
	const struct stretches *stretches = asking->pieces->stretches;
	const uint32_t rank = stretches->list[visit->stretch].rank;

	return measured_owns(stretches->waits->run, rank) ? asking->dist->rank
							  : rank_owner(asking->owners, rank);
}

/* ------------------------------------------------------------------------- ask */

/* Pack the visits in order of their processes. */
static int pack_visits(struct asking *asking, struct error *err)
{
	const struct stretch_visits *visits = asking->visits;
	uint64_t *places, sum = 0;

	TRY(allocate(&places, asking->dist->size, sizeof *places, err));
	for (size_t i = 0; i < visits->list.count; i++)
		asking->sizes[process_of(asking, &visits->list.items[i])] += sizeof(
			struct stretch_visit);
	asking->sizes[asking->dist->rank] = 0;
	for (uint32_t p = 0; p < asking->dist->size; p++) {
		places[p] = sum;
		sum += asking->sizes[p];
	}
	if (array_reserve(&asking->packed.list, sum, err) < 0) {
		free(places);
		return -1;
	}
	asking->packed.list.count = sum;
	for (size_t i = 0; i < visits->list.count; i++) {
		const uint32_t p = process_of(asking, &visits->list.items[i]);

		if (p == asking->dist->rank)
			continue;
		memcpy(asking->packed.list.items + places[p], &visits->list.items[i],
		       sizeof(struct stretch_visit));
		places[p] += sizeof(struct stretch_visit);
	}
	free(places);
	return 0;
}

/* ---------------------------------------------------------------------- answer */

static int pack_answer(struct asking *asking, const struct stretch_visit *visit, struct error *err)
{
	struct portions *portions = &asking->portions;
	struct answer_head head;
	bool known;

	portions->list.count = 0;
	TRY(stretch_pieces_of(asking->pieces, visit, portions, &known, err));
	head = (struct answer_head){portions->list.count * sizeof(struct sent_portion), known};
	TRY(bytes_add(&asking->packed, &head, sizeof head, err));
	for (size_t i = 0; i < portions->list.count; i++) {
		const struct portion *portion = &portions->list.items[i];
		const struct sent_portion sent = {
			.ns = portion->ns,
			.code = asking->pieces->cells.list.items[portion->cell].code,
			.when = portion->when};

		TRY(bytes_add(&asking->packed, &sent, sizeof sent, err));
	}
	return 0;
}

/* Answer all visits that have arrived, in their order. */
static int pack_answers(struct asking *asking, const struct dist_arrived *arrived,
			struct error *err)
{
	asking->packed.list.count = 0;
	for (uint32_t p = 0; p < asking->dist->size; p++) {
		const size_t before = asking->packed.list.count;
		uint64_t at = p ? arrived->ends[p - 1] : 0;

		for (; at < arrived->ends[p]; at += sizeof(struct stretch_visit)) {
			struct stretch_visit visit;

			memcpy(&visit, arrived->bytes + at, sizeof visit);
			TRY(pack_answer(asking, &visit, err));
		}
		asking->sizes[p] = asking->packed.list.count - before;
	}
	return 0;
}

/* Set where the answer of each visit begins. */
static int find_answers(struct asking *asking, const struct dist_arrived *answers,
			struct error *err)
{
	uint64_t *places;

	TRY(allocate(&places, asking->dist->size, sizeof *places, err));
	for (uint32_t p = 1; p < asking->dist->size; p++)
		places[p] = answers->ends[p - 1];
	for (size_t i = 0; i < asking->visits->list.count; i++) {
		struct stretch_visit *visit = &asking->visits->list.items[i];
		const uint32_t p = process_of(asking, visit);
		struct answer_head head;

		if (p == asking->dist->rank)
			continue;
		visit->answer = places[p];
		memcpy(&head, answers->bytes + places[p], sizeof head);
		places[p] += sizeof head + head.bytes;
	}
	free(places);
	return 0;
}

static int ask(struct asking *asking, struct dist_arrived *answers, struct error *err)
{
	struct dist *dist = asking->dist;
	struct dist_arrived questions = {0};
	int result = allocate(&asking->sizes, dist->size, sizeof *asking->sizes, err);

	if (result == 0)
		result = pack_visits(asking, err);
	TRY(dist_agree(dist, result, err));
	TRY(dist_alltoallv(dist, asking->packed.list.items, asking->sizes, &questions, err));
	result = dist_agree(dist, pack_answers(asking, &questions, err), err);
	dist_arrived_release(&questions);
	if (result == 0)
		result = dist_alltoallv(dist, asking->packed.list.items, asking->sizes, answers,
					err);
	if (result == 0)
		result = dist_agree(dist, find_answers(asking, answers, err), err);
	return result;
}

int piece_answers_ask(struct piece_answers *answers, struct stretch_pieces *pieces,
		      struct stretch_visits *visits, const struct rank_owners *owners,
		      struct dist *dist, struct error *err)
{
	struct asking asking = {.pieces = pieces, .visits = visits, .owners = owners, .dist = dist};
	int result;

	*answers = (struct piece_answers){0};
	if (dist->size == 1)
		return 0;
	result = ask(&asking, &answers->arrived, err);
	free(asking.sizes);
	bytes_release(&asking.packed);
	array_release(&asking.portions.list);
	if (result < 0)
		piece_answers_release(answers);
	return result;
}

int piece_answers_take(const struct piece_answers *answers, struct stretch_pieces *pieces,
		       const struct stretch_visit *visit, struct portions *portions, bool *known,
		       struct error *err)
{
	const unsigned char *at = answers->arrived.bytes + visit->answer;
	struct answer_head head;

	memcpy(&head, at, sizeof head);
	at += sizeof head;
	*known = head.known;
	for (const unsigned char *end = at + head.bytes; at < end;
	     at += sizeof(struct sent_portion)) {
		struct sent_portion sent;
		struct portion portion;

		memcpy(&sent, at, sizeof sent);
		portion = (struct portion){.ns = sent.ns, .when = sent.when};
		TRY(cells_number(&pieces->cells, sent.code, &portion.cell, err));
		TRY(array_push(&portions->list, portion, err));
	}
	return 0;
}

void piece_answers_release(struct piece_answers *answers)
{
	dist_arrived_release(&answers->arrived);
}
