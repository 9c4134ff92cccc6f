#include "schedgen/collectives/front.h"

int front_add(struct front *front, uint32_t op, bool irequires, struct error *err)
{
	struct front_entry entry = {.op = op, .irequires = irequires};

	return array_push(&front->entries, entry, err);
}

int front_set(struct front *front, uint32_t op, bool irequires, struct error *err)
{
	const struct front_entry entry = {.op = op, .irequires = irequires};

	front->entries.count = 0;
	return array_push(&front->entries, entry, err);
}

int front_add_all(struct front *front, const struct front *other, struct error *err)
{
	TRY(array_reserve(&front->entries, other->entries.count, err));
	for (size_t i = 0; i < other->entries.count; i++)
		front->entries.items[front->entries.count++] = other->entries.items[i];
	return 0;
}

int front_before(const struct front *front, uint32_t op, struct goal_builder *builder,
		 struct error *err)
{
	for (size_t i = 0; i < front->entries.count; i++) {
		const struct front_entry *entry = &front->entries.items[i];

		if (entry->irequires)
			TRY(goal_builder_irequires(builder, op, entry->op, err));
		else
			TRY(goal_builder_requires(builder, op, entry->op, err));
	}
	return 0;
}

int front_join(struct front *front, struct goal_builder *builder, struct error *err)
{
	uint32_t join;

	if (front->entries.count <= 1)
		return 0;
	TRY(goal_builder_calc(builder, 0, &join, err));
	TRY(front_before(front, join, builder, err));
	return front_set(front, join, false, err);
}

void front_release(struct front *front)
{
	array_release(&front->entries);
}
