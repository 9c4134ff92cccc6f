#include "llamp/graph/cost_forms.h"

#include <string.h>

static size_t hash(const struct cost_form *form)
{
	uint64_t h = 0;

	for (int term = 0; term < TERM_COUNT; term++) {
		h = (h ^ form->of[term]) * UINT64_C(0x9e3779b97f4a7c15);
		h ^= h >> 29;
	}
	return (size_t)h;
}

/* Where the form is in the table, or would be. */
static size_t find_place(const struct cost_forms *forms, const struct cost_form *form)
{
	size_t place = hash(form) & forms->table_mask;

	while (forms->table[place] &&
	       memcmp(&forms->list.items[forms->table[place] - 1], form, sizeof *form) != 0)
		place = (place + 1) & forms->table_mask;
	return place;
}

static int grow(struct cost_forms *forms)
{
	const size_t mask = 2 * forms->table_mask + 1;
	uint32_t *table;

	TRY(allocate(&table, mask + 1, sizeof *table, forms->err));
	free(forms->table);
	forms->table = table;
	forms->table_mask = mask;
	for (size_t i = 0; i < forms->list.count; i++)
		table[find_place(forms, &forms->list.items[i])] = (uint32_t)i + 1;
	return 0;
}

static uint32_t failed(struct cost_forms *forms)
{
	forms->failed = true;
	return FORM_FAILED;
}

uint32_t cost_forms_find(struct cost_forms *forms, const struct cost_form *form)
{
	size_t place = find_place(forms, form);

	if (forms->table[place])
		return forms->table[place] - 1;
	if (forms->list.count == FORM_MOST - 1) {
		error_set(forms->err, STATUS_LIMIT,
			  "the costs of the operations have more than %u different forms",
			  FORM_MOST - 1);
		return failed(forms);
	}
	if (array_push(&forms->list, *form, forms->err) < 0)
		return failed(forms);
	forms->table[place] = (uint32_t)forms->list.count;
	if (2 * forms->list.count > forms->table_mask && grow(forms) < 0)
		return failed(forms);
	return (uint32_t)forms->list.count - 1;
}

uint32_t cost_forms_add_(struct cost_forms *forms, uint32_t a, uint32_t b)
{
	struct form_sum *known = &forms->sums[(a * 31 + b) % FORM_CACHE];
	struct cost_form sum = forms->list.items[a];
	uint32_t found;

	for (int term = 0; term < TERM_COUNT; term++)
		if (__builtin_add_overflow(sum.of[term], forms->list.items[b].of[term],
					   &sum.of[term]))
			return FORM_FAILED;
	found = cost_forms_find(forms, &sum);
	if (found != FORM_FAILED)
		*known = (struct form_sum){a, b, found};
	return found;
}

uint32_t cost_forms_of_(struct cost_forms *forms, const struct cost *cost)
{
	const struct cost_form form = {.of = {
		[TERM_L] = cost->latencies, [TERM_G] = cost->bytes,
		[TERM_O] = cost->overheads, [TERM_GAP] = cost->gaps,
	}};
	uint32_t *known = &forms->elementary[(cost->bytes * 61 + cost->latencies * 5u +
					      cost->overheads + cost->gaps * 17u) % FORM_CACHE];
	uint32_t found;

	if (!memcmp(&forms->list.items[*known], &form, sizeof form))
		return *known;
	found = cost_forms_find(forms, &form);
	if (found != FORM_FAILED)
		*known = found;
	return found;
}

int cost_forms_init(struct cost_forms *forms, struct error *err)
{
	const struct cost_form none = {0};

	*forms = (struct cost_forms){.table_mask = 255, .err = err};
	if (allocate(&forms->table, forms->table_mask + 1, sizeof *forms->table, err) == 0 &&
	    allocate(&forms->sums, FORM_CACHE, sizeof *forms->sums, err) == 0 &&
	    allocate(&forms->elementary, FORM_CACHE, sizeof *forms->elementary, err) == 0 &&
	    cost_forms_find(forms, &none) == FORM_NONE)
		return 0;
	cost_forms_release(forms);
	return -1;
}

void cost_forms_finish(struct cost_forms *forms)
{
	free(forms->table);
	free(forms->sums);
	free(forms->elementary);
	forms->table = NULL;
	forms->sums = NULL;
	forms->elementary = NULL;
	forms->err = NULL;
}

void cost_forms_release(struct cost_forms *forms)
{
	cost_forms_finish(forms);
	array_release(&forms->list);
}
