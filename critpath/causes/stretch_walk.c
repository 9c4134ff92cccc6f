#include "critpath/causes/stretch_walk.h"

/* In place of a stretch: the walk has stopped at the start of the run. */
#define STOPPED UINT32_MAX

struct walks {
	struct stretch_visits *visits;
	const struct stretch *list;
	struct stretch_entry at[2];
	bool moved;
	unsigned char *passes;
};

/* Number of the walk that moves. */
static int later_walk(const struct walks *walks)
{
	if (walks->at[0].stretch == STOPPED)
		return 1;
	if (walks->at[1].stretch == STOPPED)
		return 0;
	return walks->list[walks->at[0].stretch].begin_ns <
	       walks->list[walks->at[1].stretch].begin_ns;
}

static int visit(struct walks *walks, int walk, uint32_t from, struct error *err)
{
	const struct stretch_visit visit = {
		.stretch = walks->at[walk].stretch,
		.from = from,
		.to = walks->at[walk].place,
		.minus = walk == 1,
		.direct = walk == 0 && !walks->moved,
	};

	return array_push(&walks->visits->list, visit, err);
}

/* Move a walk to the cause of the wait that its stretch begins with. */
static int move(struct walks *walks, int walk, struct error *err)
{
	struct stretch_entry *at = &walks->at[walk];
	const struct stretch *stretch = &walks->list[at->stretch];

	TRY(visit(walks, walk, NO_CALL, err));
	if (stretch->cause == STRETCH_STARTS) {
		at->stretch = STOPPED;
		return 0;
	}
	if (walk == 0) {
		walks->moved = true;
		if (walks->passes)
			walks->passes[at->stretch] = 1;
	}
	*at = (struct stretch_entry){stretch->cause, stretch->cause_place};
	return 0;
}

/* Add the times of the later walk in the stretch in which both are. */
static int meet(struct walks *walks, struct error *err)
{
	const struct stretch_entry *at = walks->at;
	const int later = at[0].place < at[1].place;

	if (at[0].stretch == STOPPED || at[0].place == at[1].place)
		return 0;
	return visit(walks, later, at[!later].place, err);
}

int stretch_walk(struct stretch_visits *visits, const struct stretches *stretches,
		 struct stretch_entry first, struct stretch_entry second, bool *known,
		 unsigned char *passes, struct error *err)
{
	struct walks walks = {visits, stretches->list, {first, second}, false, passes};
	uint64_t moves = 0, at_once = 0, before_ns = UINT64_MAX;

	*known = false;
	if (first.stretch == STRETCH_UNKNOWN || second.stretch == STRETCH_UNKNOWN)
		return 0;
	while (walks.at[0].stretch != walks.at[1].stretch) {
		const int walk = later_walk(&walks);
		const uint32_t stretch = walks.at[walk].stretch;

		if (moves++ == STRETCH_WALK_MOST)
			return 0;
		/* At one time each thread begins one stretch at most, unless clocks contradict each other. */
		if (walks.list[stretch].begin_ns != before_ns)
			at_once = 0;
		before_ns = walks.list[stretch].begin_ns;
		if (at_once++ > 2 * (uint64_t)stretches->threads ||
		    walks.list[stretch].cause == STRETCH_UNKNOWN)
			return 0;
		TRY(move(&walks, walk, err));
	}
	*known = true;
	return meet(&walks, err);
}
