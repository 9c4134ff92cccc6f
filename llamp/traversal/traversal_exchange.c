#include "llamp/traversal/traversal_exchange.h"

void traversal_batch_clear(struct traversal_batch *batch)
{
	batch->list.count = batch->exported.count = batch->terms.count = 0;
}

void traversal_batch_release(struct traversal_batch *batch)
{
	array_release(&batch->list);
	array_release(&batch->exported);
	array_release(&batch->terms);
}

/* Set *index to that of an expression in `exported`, where it is added unless it is known. */
static int export_expression(struct traversal_batch *batch, uint32_t number,
			     const struct cost_expressions *expressions, uint32_t *index,
			     struct error *err)
{
	uint32_t *known = &batch->known[number % EXPORTS_KNOWN];
	struct exported_expression added = {.number = number,
					    .first = (uint32_t)batch->terms.count};
	const struct cost_term *terms;

	if (*known < batch->exported.count && batch->exported.items[*known].number == number) {
		*index = *known;
		return 0;
	}
	terms = cost_terms(expressions, number, &added.count);
	for (uint32_t i = 0; i < added.count; i++)
		TRY(array_push(&batch->terms, terms[i], err));
	*index = *known = (uint32_t)batch->exported.count;
	return array_push(&batch->exported, added, err);
}

int traversal_batch_add(struct traversal_batch *batch, const struct crossing *crossing,
			const struct cost_expressions *expressions, struct error *err)
{
	struct crossing *added;

	TRY(array_push(&batch->list, *crossing, err));
	added = &batch->list.items[batch->list.count - 1];
	return export_expression(batch, crossing->way.expression, expressions,
				 &added->way.expression, err);
}

int traversal_batch_import(struct imported_numbers *numbers, const struct traversal_batch *batch,
			   struct cost_expressions *expressions, struct error *err)
{
	numbers->of.count = 0;
	TRY(array_reserve(&numbers->of, batch->exported.count, err));
	for (size_t i = 0; i < batch->exported.count; i++) {
		const struct exported_expression *exported = &batch->exported.items[i];
		uint32_t number = EXPRESSION_NONE;

		if (exported->count)
			number = cost_expressions_find(expressions,
						       batch->terms.items + exported->first,
						       exported->count);
		if (number == EXPRESSION_FAILED)
			return -1;
		numbers->of.items[numbers->of.count++] = number;
	}
	return 0;
}
