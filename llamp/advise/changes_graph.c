/* Changes of the graph: computation that is shared, messages that are merged, waits that are moved. */
#include "goal/change/merge.h"
#include "goal/change/move.h"
#include "goal/change/totals.h"
#include "llamp/advise/changes_internal.h"

#include <inttypes.h>
#include <string.h>

/* Name the call site of a key for people and commands, or NULL. */
static int name_site(const struct search *search, const struct goal_call_key *key,
		     const char **site, struct error *err)
{
	*site = key->site;
	if (*site && search->model->lines)
		TRY(source_lines_name(search->model->lines, key->site, site, err));
	if (*site)
		*site = call_site_short(*site);
	return 0;
}

/* ----------------------------------------------------------------- computation */

static int add_balance(struct search *search, const struct goal_balance_sum *sum, struct error *err)
{
	struct change change = {.kind = CHANGE_BALANCE,
				.group = search->groups++,
				.is_of_graph = true,
				.command = GRAPH_BALANCE,
				.option = "--before"};
	const char *site;

	TRY(name_site(search, &sum->key, &site, err));
	TRY(change_text(&change.name, err, "equal computation before %s%s%s", sum->key.function,
			site ? " at " : "", site ? site : ""));
	if (change_text(&change.value_of_option, err, "%s%s%s", sum->key.function, site ? "@" : "",
			site ? site : "") < 0) {
		free(change.name);
		return -1;
	}
	return change_add(search->changes, &change, err);
}

int find_balances(struct search *search, struct error *err)
{
	for (size_t i = 0; i < search->sums.list.count && i < BALANCE_MOST; i++) {
		const struct goal_balance_sum *sum = &search->sums.list.items[i];

		if (!sum->excess_ns ||
		    (double)sum->excess_ns < search->options->at_least * search->base->runtime_ns)
			break;
		TRY(add_balance(search, sum, err));
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

/* Set the command that moves the receives of a key. */
static int set_wait(const struct search *search, struct change *change,
		    const struct goal_call_key *key, int percent, struct error *err)
{
	const char *site;

	TRY(name_site(search, key, &site, err));
	*change = (struct change){.kind = CHANGE_WAITS,
				  .group = search->groups,
				  .is_no_step = search->options->is_all,
				  .is_of_graph = true,
				  .command = GRAPH_MOVE,
				  .option = "--wait"};
	return change_text(&change->value_of_option, err, "%d%%:%s%s%s", percent, key->function,
			   site ? "@" : "", site ? site : "");
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

/* Find the least share with 90 % of the gain of all, or 0 if that is not enough.  T falls as the share grows. */
static int least_share(struct search *search, const struct goal_call_key *key, int *percent,
		       struct error *err)
{
	static const int shares[] = {25, 50};
	double most_ns, gain_ns;

	*percent = 0;
	TRY(gain_of_wait(search, key, 100, &most_ns, err));
	if (!(most_ns > 0) || most_ns < search->options->at_least * search->base->runtime_ns)
		return 0;
	*percent = 100;
	for (size_t i = 0; i < sizeof shares / sizeof *shares && *percent == 100; i++) {
		TRY(gain_of_wait(search, key, shares[i], &gain_ns, err));
		if (gain_ns >= 0.9 * most_ns)
			*percent = shares[i];
	}
	return 0;
}

static int add_wait(struct search *search, const struct goal_call_key *key, int percent,
		    struct error *err)
{
	struct change change;
	const char *site;
	int result = set_wait(search, &change, key, percent, err);

	if (result == 0)
		result = name_site(search, key, &site, err);
	if (result == 0)
		result = change_text(&change.name, err,
				     "%s%s%s awaited after %d %% of what follows", key->function,
				     site ? " at " : "", site ? site : "", percent);
	search->groups++;
	if (result == 0)
		return change_add(search->changes, &change, err);
	change_release(&change);
	return -1;
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

static int find_key_waits(struct search *search, const struct goal_awaited_sums *sums,
			  struct error *err)
{
	for (size_t i = 0; i < sums->list.count && i < WAITS_MOST; i++) {
		const struct goal_awaited_sum *sum = &sums->list.items[i];
		int percent;

		if (!sum->most_ns ||
		    (double)sum->most_ns < search->options->at_least * search->base->runtime_ns)
			return 0;
		TRY(least_share(search, &sum->key, &percent, err));
		if (percent)
			TRY(add_wait(search, &sum->key, percent, err));
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
