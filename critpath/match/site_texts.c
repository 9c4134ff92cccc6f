#include "critpath/match/site_texts.h"

#include "dist/dist_ask.h"
#include "critpath/match/rank_owners.h"

#include <string.h>

/* ----------------------------------------------------------------------- texts */

/* A text as it is sent: with its final zero. */
static int add_text(struct bytes *bytes, const char *text, struct error *err)
{
	return bytes_add(bytes, text, strlen(text) + 1, err);
}

static int add_texts(struct bytes *bytes, const struct string_table *texts, struct error *err)
{
	for (size_t i = 0; i < texts->starts.count; i++)
		TRY(add_text(bytes, texts->starts.items[i], err));
	return 0;
}

static int take_texts(struct string_table *texts, const struct dist_arrived *arrived, uint64_t size,
		      struct error *err)
{
	const char *text = (const char *)arrived->bytes;
	uint32_t number;

	for (const char *end = text + size; text < end; text += strlen(text) + 1)
		TRY(string_table_add(texts, text, strlen(text), &number, err));
	return 0;
}

struct joining {
	struct string_table *texts;
	struct dist *dist;
	uint64_t *sizes; /* [process]: bytes to send */
	struct bytes bytes;
};

/* Send the texts to the process that they go to on a level of the tree, if they go to one. */
static int join_level(struct joining *joining, uint64_t step, struct error *err)
{
	struct dist *dist = joining->dist;
	const bool sends = dist->rank % (2 * step) == step;
	struct dist_arrived arrived;
	int result = 0;

	memset(joining->sizes, 0, dist->size * sizeof *joining->sizes);
	joining->bytes.list.count = 0;
	if (sends) {
		result = add_texts(&joining->bytes, joining->texts, err);
		joining->sizes[dist->rank - step] = joining->bytes.list.count;
	}
	TRY(dist_agree(dist, result, err));
	TRY(dist_alltoallv(dist, joining->bytes.list.items, joining->sizes, &arrived, err));
	result = take_texts(joining->texts, &arrived, arrived.ends[dist->size - 1], err);
	dist_arrived_release(&arrived);
	return dist_agree(dist, result, err);
}

int site_texts_join(struct string_table *texts, struct dist *dist, struct error *err)
{
	struct joining joining = {.texts = texts, .dist = dist};
	int result = allocate(&joining.sizes, dist->size, sizeof *joining.sizes, err);

	result = dist_agree(dist, result, err);
	for (uint64_t step = 1; result == 0 && step < dist->size; step *= 2)
		result = join_level(&joining, step, err);
	free(joining.sizes);
	bytes_release(&joining.bytes);
	return result;
}

/* --------------------------------------------------------------------- numbers */

/* Numbers of texts as they are sent: each before its text. */
static int add_numbers(struct bytes *bytes, const struct string_table *texts,
		       const uint32_t *numbers, struct error *err)
{
	for (size_t i = 0; i < texts->starts.count; i++) {
		TRY(bytes_add(bytes, &numbers[i], sizeof *numbers, err));
		TRY(add_text(bytes, texts->starts.items[i], err));
	}
	return 0;
}

static void take_numbers(const struct string_table *texts, uint32_t *numbers, size_t own,
			 const struct bytes *bytes)
{
	const unsigned char *at = bytes->list.items, *end = at + bytes->list.count;

	while (at < end) {
		const char *text = (const char *)at + sizeof *numbers;
		const size_t length = strlen(text);
		const uint32_t place = string_map_get(&texts->numbers, text, (uint32_t)length);

		if (place < own)
			memcpy(&numbers[place], at, sizeof *numbers);
		at += sizeof *numbers + length + 1;
	}
}

static int tell(struct bytes *bytes, const struct string_table *texts, const uint32_t *numbers,
		struct dist *dist, struct error *err)
{
	uint64_t size;
	int result = 0;

	if (dist->rank == 0)
		result = add_numbers(bytes, texts, numbers, err);
	TRY(dist_agree(dist, result, err));
	size = bytes->list.count;
	TRY(dist_bcast(dist, 0, &size, sizeof size, err));
	if (dist->rank != 0)
		result = array_reserve(&bytes->list, size, err);
	TRY(dist_agree(dist, result, err));
	bytes->list.count = size;
	return dist_bcast(dist, 0, bytes->list.items, size, err);
}

int site_texts_tell(const struct string_table *texts, uint32_t *numbers, size_t own,
		    struct dist *dist, struct error *err)
{
	struct bytes bytes = {0};
	const int result = tell(&bytes, texts, numbers, dist, err);

	if (result == 0 && dist->rank != 0)
		take_numbers(texts, numbers, own, &bytes);
	bytes_release(&bytes);
	return result;
}

/* -------------------------------------------------------------- sites of calls */

struct asking {
	site_of_row *of;
	void *rows;
	struct rank_owners map;
};

struct question {
	uint32_t rank, call;
};

static uint32_t sites_ask(const void *own, size_t number, void *question)
{
	const struct asking *asking = own;
	struct question *asked = question;

	asking->of(asking->rows, number, &asked->rank, &asked->call);
	return rank_owner(&asking->map, asked->rank);
}

static int answer(void *data, const void *questions, size_t count, void *answers, struct error *err)
{
	const struct measured_run *run = data;
	const struct question *asked = questions;
	uint32_t *sites = answers;

	for (size_t i = 0; i < count; i++) {
		if (!measured_owns(run, asked[i].rank))
			return error_set(err, STATUS_DATA, "a question about another process");
		sites[i] = measured_site(&run->ranks[asked[i].rank], asked[i].call);
	}
	return 0;
}

static void take(void *own, size_t number, const void *site)
{
	const struct asking *asking = own;
	uint32_t rank, call;

	*asking->of(asking->rows, number, &rank, &call) = *(const uint32_t *)site;
}

static int ask_all(const struct measured_run *run, struct dist *dist, struct asking *asking,
		   size_t count, struct error *err)
{
	const struct dist_questions questions = {
		.question_bytes = sizeof(struct question),
		.answer_bytes = sizeof(uint32_t),
		.answer = answer,
		.data = (void *)(uintptr_t)run,
		.ask = sites_ask,
		.take = take,
		.own = asking,
	};
	int result;

	TRY(rank_owners_find(&asking->map, run, dist, err));
	result = dist_ask(dist, &questions, count, err);
	rank_owners_release(&asking->map);
	return result;
}

int row_sites_find(const struct measured_run *run, struct dist *dist, site_of_row *of, void *rows,
		   size_t count, struct error *err)
{
	struct asking asking = {.of = of, .rows = rows};

	if (run->site_count && dist->size > 1)
		return ask_all(run, dist, &asking, count, err);
	for (size_t i = 0; i < count; i++) {
		uint32_t rank, call, *site = of(rows, i, &rank, &call);

		*site = measured_site(&run->ranks[rank], call);
	}
	return 0;
}
