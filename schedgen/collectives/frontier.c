#include "schedgen/collectives/frontier.h"

int frontier_add(struct frontier *frontier, uint32_t op, bool irequires, struct error *err)
{
	struct frontier_entry entry = {.op = op, .irequires = irequires};

	return array_push(&frontier->entries, entry, err);
}

int frontier_set(struct frontier *frontier, uint32_t op, bool irequires, struct error *err)
{
	const struct frontier_entry entry = {.op = op, .irequires = irequires};

	frontier->entries.count = 0;
	return array_push(&frontier->entries, entry, err);
}

int frontier_add_all(struct frontier *frontier, const struct frontier *other, struct error *err)
{
	TRY(array_reserve(&frontier->entries, other->entries.count, err));
	for (size_t i = 0; i < other->entries.count; i++)
		frontier->entries.items[frontier->entries.count++] = other->entries.items[i];
	return 0;
}

int frontier_move(struct frontier *frontier, struct frontier *other, struct error *err)
{
	TRY(frontier_add_all(frontier, other, err));
	other->entries.count = 0;
	return 0;
}

int frontier_before(const struct frontier *frontier, uint32_t op, struct goal_builder *builder,
		 struct error *err)
{
	for (size_t i = 0; i < frontier->entries.count; i++) {
		const struct frontier_entry *entry = &frontier->entries.items[i];

		if (entry->irequires)
			TRY(goal_builder_irequires(builder, op, entry->op, err));
		else
			TRY(goal_builder_requires(builder, op, entry->op, err));
	}
	return 0;
}

int frontier_join(struct frontier *frontier, struct goal_builder *builder, struct error *err)
{
	uint32_t join;

	if (frontier->entries.count <= 1)
		return 0;
	TRY(goal_builder_calc(builder, 0, &join, err));
	TRY(frontier_before(frontier, join, builder, err));
	return frontier_set(frontier, join, false, err);
}

int frontier_narrow(struct frontier *frontier, struct goal_builder *builder, struct error *err)
{
	return frontier->entries.count > 2 ? frontier_join(frontier, builder, err) : 0;
}

void frontier_release(struct frontier *frontier)
{
	array_release(&frontier->entries);
}
