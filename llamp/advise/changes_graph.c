/* Changes of the graph: computation that is shared, messages that are merged, waits that are moved. */
#include "goal/change/merge.h"
#include "goal/change/move.h"
#include "goal/change/totals.h"
#include "llamp/advise/changes_internal.h"

#include <inttypes.h>
#include <string.h>

/*
 * Name the call site of a key for people and commands.  *again: another key of search->named has this name, as x.c:1 in two
 * folders has, so that its change is for the calls of both.
 */
static int name_key(struct search *search, struct goal_call_key *key, bool *again,
		    struct error *err)
{
	if (key->site && search->model->lines)
		TRY(source_lines_name(search->model->lines, key->site, &key->site, err));
	if (key->site)
		key->site = call_site_short(key->site);
	*again = false;
	for (size_t i = 0; i < search->named.count; i++)
		*again |= !goal_call_key_order(&search->named.items[i], key);
	return *again ? 0 : array_push(&search->named, *key, err);
}

/* ----------------------------------------------------------------- computation */

/* key: with the name of its site. */
static int add_balance(struct search *search, const struct goal_call_key *key, struct error *err)
{
	struct change change = {.kind = CHANGE_BALANCE,
				.group = search->groups++,
				.is_of_graph = true,
				.command = GRAPH_BALANCE,
				.option = "--before"};

	TRY(change_text(&change.name, err, "equal computation before %s%s%s", key->function,
			key->site ? " at " : "", key->site ? key->site : ""));
	if (change_text(&change.value_of_option, err, "%s%s%s", key->function, key->site ? "@" : "",
			key->site ? key->site : "") < 0) {
		free(change.name);
		return -1;
	}
	return change_add(search->changes, &change, err);
}

int find_balances(struct search *search, struct error *err)
{
	search->named.count = 0;
	for (size_t i = 0; i < search->sums.list.count && i < BALANCE_MOST; i++) {
		const struct goal_balance_sum *sum = &search->sums.list.items[i];
		struct goal_call_key key = sum->key;
		bool again;

		if (!sum->excess_ns ||
		    (double)sum->excess_ns < search->options->at_least * search->base->runtime_ns)
			break;
		TRY(name_key(search, &key, &again, err));
		if (!again)
			TRY(add_balance(search, &key, err));
	}
	return 0;
}

static int add_totals(struct search *search, uint64_t excess_ns, struct error *err)
{
	struct change change = {.kind = CHANGE_TOTALS,
				.group = search->groups++,
				.is_of_graph = true,
				.command = GRAPH_BALANCE,
				.option = "--totals",
				.most_ns = (double)excess_ns};

	TRY(change_text(&change.name, err, "equal computation of all ranks"));
	return change_add(search->changes, &change, err);
}

/* Equal totals gain at most what the largest one is above the mean. */
int find_totals(struct search *search, struct error *err)
{
	struct goal_totals totals;
	int result = goal_totals_find(&totals, &search->model->goal, search->model->calls, err);

	if (result == 0) {
		const uint64_t excess_ns = goal_totals_excess(&totals);

		if (excess_ns &&
		    (double)excess_ns >= search->options->at_least * search->base->runtime_ns)
			result = add_totals(search, excess_ns, err);
	}
	goal_totals_release(&totals);
	return result;
}

/* -------------------------------------------------------------------- messages */

int find_merges(struct search *search, struct error *err)
{
	struct change change = {.kind = CHANGE_MESSAGES,
				.group = search->groups,
				.is_of_graph = true,
				.command = GRAPH_MERGE};
	struct goal_merges merges;
	int result = goal_merges_find(&merges, &search->model->goal, search->model->calls, err);
	const uint32_t messages = merges.messages;

	goal_merges_release(&merges);
	if (result < 0 || !messages)
		return result;
	TRY(change_text(&change.name, err, "messages of a pair and wait as one"));
	return change_add(search->changes, &change, err);
}

/* ----------------------------------------------------------------------- waits */

/* Set the command that moves the receives of a key, which has the name of its site. */
static int set_wait(const struct search *search, struct change *change,
		    const struct goal_call_key *key, int percent, struct error *err)
{
	*change = (struct change){.kind = CHANGE_WAITS,
				  .group = search->groups,
				  .is_no_step = search->options->is_all,
				  .is_of_graph = true,
				  .command = GRAPH_MOVE,
				  .option = "--wait"};
	return change_text(&change->value_of_option, err, "%d%%:%s%s%s", percent, key->function,
			   key->site ? "@" : "", key->site ? key->site : "");
}

/* Find what moving the receives of a key gains, in ns. */
static int gain_of_wait(struct search *search, const struct goal_call_key *key, int percent,
			double *gain_ns, struct error *err)
{
	struct change change;
	const struct change *const set[] = {&change};
	struct evaluated found;
	int result = set_wait(search, &change, key, percent, err);

	if (result == 0)
		result = evaluate_without_extremes(search->evaluation, set, 1, &found, err);
	change_release(&change);
	if (result == 0)
		*gain_ns = search->base->runtime_ns - found.runtime_ns;
	return result;
}

/*
 * Find the least share with 90 % of the gain of all, or 0 if that is not enough.  T falls as the share grows.  Of what is no
 * step all of it is found.
 */
static int least_share(struct search *search, const struct goal_call_key *key, int *percent,
		       struct error *err)
{
	static const int shares[] = {25, 50};
	const size_t count = search->options->is_all ? 0 : sizeof shares / sizeof *shares;
	double most_ns, gain_ns;

	*percent = 0;
	TRY(gain_of_wait(search, key, 100, &most_ns, err));
	if (!(most_ns > 0) || most_ns < search->options->at_least * search->base->runtime_ns)
		return 0;
	*percent = 100;
	for (size_t i = 0; i < count && *percent == 100; i++) {
		TRY(gain_of_wait(search, key, shares[i], &gain_ns, err));
		if (gain_ns >= 0.9 * most_ns)
			*percent = shares[i];
	}
	return 0;
}

/* refusal: why it cannot be made, which becomes the change's, or NULL. */
static int add_wait(struct search *search, const struct goal_call_key *key, int percent,
		    char *refusal, struct error *err)
{
	struct change change;
	int result = set_wait(search, &change, key, percent, err);

	change.refusal = refusal;
	if (result == 0)
		result = change_text(&change.name, err,
				     "%s%s%s awaited after %d %% of what follows", key->function,
				     key->site ? " at " : "", key->site ? key->site : "", percent);
	search->groups++;
	if (result == 0)
		return change_add(search->changes, &change, err);
	change_release(&change);
	return -1;
}

/* Add the change of a key if it gains enough, or if it cannot be made, with the reason. */
static int find_key_wait(struct search *search, struct goal_call_key key, struct error *err)
{
	char *refusal = NULL;
	bool again;
	int percent;

	TRY(name_key(search, &key, &again, err));
	if (again)
		return 0;
	if (least_share(search, &key, &percent, err) < 0) {
		if (err->status == STATUS_SYSTEM)
			return -1;
		TRY(change_text(&refusal, err, "%s", err->text));
		percent = 100;
	}
	return percent ? add_wait(search, &key, percent, refusal, err) : 0;
}

/* A change that says why no wait can be moved. */
static int add_deferred(struct search *search, struct error *err)
{
	struct change change = {.kind = CHANGE_WAITS, .group = search->groups};

	if (change_text(&change.name, err, "receives awaited later") == 0 &&
	    change_text(
		    &change.refusal, err,
		    "not evaluated: with --progress, messages move only in the calls of the trace") ==
		    0)
		return change_add(search->changes, &change, err);
	change_release(&change);
	return -1;
}

/* Where receives of several sites are awaited together, moving those of one gains nothing. */
static int find_key_waits(struct search *search, const struct goal_awaited_sums *sums,
			  struct error *err)
{
	search->named.count = 0;
	for (size_t i = 0; i < sums->list.count && i < WAITS_MOST; i++) {
		const struct goal_awaited_sum *sum = &sums->list.items[i];

		if (!sum->most_ns ||
		    (double)sum->most_ns < search->options->at_least * search->base->runtime_ns)
			return 0;
		TRY(find_key_wait(search, sum->key, err));
		if (sum->is_joint)
			TRY(find_key_wait(search, (struct goal_call_key){sum->key.function, NULL},
					  err));
	}
	return 0;
}

int find_waits(struct search *search, struct error *err)
{
	struct goal_awaited_sums sums;
	int result = goal_awaited_survey(&sums, &search->model->goal, search->model->calls, err);

	if (result == 0 && sums.list.count)
		result = search->options->are_deferred ? add_deferred(search, err)
						       : find_key_waits(search, &sums, err);
	goal_awaited_sums_release(&sums);
	return result;
}
