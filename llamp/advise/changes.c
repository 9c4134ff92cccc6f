#include "llamp/advise/changes_internal.h"

#include "llamp/advise/collective_places.h"
#include "llamp/analysis/overlap.h"
#include "llamp/placement/placement.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static bool calls_any(const struct search *search, const char *begin)
{
	for (size_t i = 0; i < search->sums.list.count; i++)
		if (!strncmp(search->sums.list.items[i].key.function, begin, strlen(begin)))
			return true;
	return false;
}

/* ------------------------------------------------------------------ algorithms */

static bool calls_collective(const struct search *search, const char *name)
{
	for (size_t i = 0; i < search->sums.list.count; i++)
		if (is_form_of(search->sums.list.items[i].key.function, name))
			return true;
	return false;
}

/* Name the algorithm for all calls, and the option that chooses it. */
static int name_for_all(struct change *change, const char *collective, struct error *err)
{
	TRY(change_text(&change->name, err, "%s by %s", collective, change->algorithm));
	return change_text(&change->word, err, "--coll=%s=%s", change->collective,
			   change->algorithm);
}

/* Name the algorithm for the calls at a place, and the rule that chooses it. */
static int name_placed(struct change *change, const char *collective, struct error *err)
{
	const char *site = change->site ? call_site_short(change->site) : NULL;
	const char *where = site ? site : change->communicator;

	TRY(change_text(&change->name, err, "%s %s %s by %s", collective, site ? "at" : "on", where,
			change->algorithm));
	return change_text(&change->word, err, "--rule={collective: %s, %s: \"%s\", algorithm: %s}",
			   change->collective, site ? "site" : "communicator", where,
			   change->algorithm);
}

/* Whether YAML reads a name as it is written, in double quotes. */
static bool is_plain(const char *name)
{
	return !name || !name[strcspn(name, "\"\\\n\t")];
}

/* Add the algorithm for the calls at a place; NULL: for all calls. */
static int add_algorithm(struct search *search, const struct algorithm_name *name,
			 const struct collective_place *place, struct error *err)
{
	struct change change = {.kind = CHANGE_ALGORITHM, .group = search->groups};
	char collective[48];
	int result;

	if (place) {
		change.site = place->site;
		change.communicator = place->communicator;
		if (!is_plain(place->site) || !is_plain(place->communicator))
			return 0;
	}
	snprintf(change.collective, sizeof change.collective, "%s", name->collective);
	snprintf(change.algorithm, sizeof change.algorithm, "%s", name->algorithm);
	snprintf(collective, sizeof collective, "MPI_%c%s", toupper(name->collective[0]),
		 name->collective + 1);
	result = place ? name_placed(&change, collective, err)
		       : name_for_all(&change, collective, err);
	if (result == 0)
		return change_add(search->changes, &change, err);
	free(change.name);
	return -1;
}

/* Tell whether an algorithm suits the program: two levels are for several nodes that ranks share. */
static bool is_usable(const struct search *search, const struct algorithm_name *name)
{
	const struct goal_calls *calls = search->model->calls;
	uint32_t last_node = 0;

	if (strcmp(name->algorithm, "two-level") != 0)
		return true;
	if (!calls->nodes)
		return false;
	for (uint32_t r = 0; r < calls->rank_count; r++)
		if (calls->nodes[r] > last_node)
			last_node = calls->nodes[r];
	/* Nodes are numbered from 0, so that fewer nodes than ranks are shared. */
	return last_node > 0 && last_node + 1 < calls->rank_count;
}

/* Add the algorithms of the collective, which begin at `first`, for all of its calls and for those at each place. */
static int add_algorithms(struct search *search, const algorithm_list *known, size_t first,
			  size_t end, struct error *err)
{
	place_list places = {0};
	int result = collective_places_find(&places, search->model, search->path,
					    known->items[first].collective, err);

	for (size_t p = 0; p <= places.count; p++, search->groups++)
		for (size_t i = first; i < end && result == 0; i++)
			if (is_usable(search, &known->items[i]))
				result = add_algorithm(search, &known->items[i],
						       p ? &places.items[p - 1] : NULL, err);
	array_release(&places);
	return result;
}

static int find_algorithms(struct search *search, struct error *err)
{
	algorithm_list known = {0};
	int result = graph_maker_algorithms(search->evaluation->maker, &known, err);
	size_t end;

	for (size_t first = 0; first < known.count && result == 0; first = end) {
		end = first + 1;
		while (end < known.count &&
		       !strcmp(known.items[end].collective, known.items[first].collective))
			end++;
		if (calls_collective(search, known.items[first].collective))
			result = add_algorithms(search, &known, first, end, err);
	}
	array_release(&known);
	return result;
}

/* ------------------------------------------------------------- eager threshold */

typedef ARRAY(uint64_t) size_list;

static int by_size(const void *one, const void *other)
{
	const uint64_t a = *(const uint64_t *)one, b = *(const uint64_t *)other;

	return a < b ? -1 : a > b;
}

/* Sort sizes, each once. */
static void sort_sizes(size_list *sizes)
{
	size_t kept = 0;

	if (sizes->count)
		qsort(sizes->items, sizes->count, sizeof *sizes->items, by_size);
	for (size_t i = 0; i < sizes->count; i++)
		if (!kept || sizes->items[i] != sizes->items[kept - 1])
			sizes->items[kept++] = sizes->items[i];
	sizes->count = kept;
}

/* List the sizes of the messages that use the rendezvous protocol. */
static int list_sizes(size_list *sizes, const struct model *model, struct error *err)
{
	enum { MANY = 1 << 16 };

	for (uint32_t r = 0; r < model->goal.rank_count; r++) {
		const struct goal_block *block = &model->goal.ranks[r];

		for (uint32_t i = 0; i < block->op_count; i++) {
			const struct goal_op op = goal_op(block, i);

			if (op.kind != GOAL_SEND || op.size <= model->loggps.S)
				continue;
			if (sizes->count && sizes->items[sizes->count - 1] == op.size)
				continue;
			if (sizes->count >= MANY && sizes->count == sizes->capacity)
				sort_sizes(sizes);
			TRY(array_push(sizes, op.size, err));
		}
	}
	sort_sizes(sizes);
	return 0;
}

/* Whether the graph depends on the threshold: messages above it move only in calls. */
static bool is_converted_by_threshold(const struct search *search)
{
	const words_list *words = &search->evaluation->maker->words;

	for (size_t i = 0; i < words->count; i++)
		if (!strncmp(words->items[i], threshold_word, strlen(threshold_word)))
			return true;
	return false;
}

/* Set S, and the option that converts with it. */
static int set_threshold(const struct search *search, struct change *change, uint64_t size,
			 struct error *err)
{
	TRY(change_text(&change->parameter, err, "S"));
	TRY(change_text(&change->value, err, "%" PRIu64, size));
	if (!is_converted_by_threshold(search))
		return 0;
	return change_text(&change->word, err, "%s%" PRIu64, threshold_word, size);
}

static void threshold_free(struct change *change)
{
	free(change->name);
	free(change->word);
	free(change->parameter);
	free(change->value);
}

static int runtime_with_threshold(struct search *search, uint64_t size, double *runtime_ns,
				  struct error *err)
{
	struct change change = {.kind = CHANGE_EAGER};
	const struct change *set[] = {&change};
	struct evaluated found;
	int result = set_threshold(search, &change, size, err);

	if (result == 0)
		result = evaluate_without_extremes(search->evaluation, set, 1, &found, err);
	threshold_free(&change);
	if (result == 0)
		*runtime_ns = found.runtime_ns;
	return result;
}

/* Find the least size with 90 % of the gain of the largest one.  T falls as the threshold grows. */
static int least_threshold(struct search *search, const size_list *sizes, uint64_t *size,
			   struct error *err)
{
	const double before = search->base->runtime_ns;
	size_t low = 0, high = sizes->count - 1;
	double least, found;

	TRY(runtime_with_threshold(search, sizes->items[high], &least, err));
	*size = 0;
	if (before - least < search->options->at_least * before || before <= least)
		return 0;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		TRY(runtime_with_threshold(search, sizes->items[middle], &found, err));
		if (before - found >= 0.9 * (before - least))
			high = middle;
		else
			low = middle + 1;
	}
	*size = sizes->items[high];
	return 0;
}

static int add_threshold(struct search *search, uint64_t size, struct error *err)
{
	struct change change = {.kind = CHANGE_EAGER, .group = search->groups++};
	char text[UNIT_TEXT_BYTES];

	format_bytes(size, text);
	if (change_text(&change.name, err, "eager messages up to %s", text) < 0 ||
	    set_threshold(search, &change, size, err) < 0) {
		threshold_free(&change);
		return -1;
	}
	return change_add(search->changes, &change, err);
}

static int find_threshold(struct search *search, struct error *err)
{
	size_list sizes = {0};
	uint64_t size = 0;
	int result;

	if (search->model->loggps.S == LOGGPS_NO_RENDEZVOUS)
		return 0;
	result = list_sizes(&sizes, search->model, err);
	if (result == 0 && sizes.count)
		result = least_threshold(search, &sizes, &size, err);
	if (result == 0 && size)
		result = add_threshold(search, size, err);
	array_release(&sizes);
	return result;
}

/* ------------------------------------------------------------------ the others */

static int add_plain(struct search *search, enum change_kind kind, const char *name,
		     const char *word, struct error *err)
{
	struct change change = {.kind = kind, .group = search->groups++};

	TRY(change_text(&change.name, err, "%s", name));
	if (word && change_text(&change.word, err, "%s", word) < 0) {
		free(change.name);
		return -1;
	}
	return change_add(search->changes, &change, err);
}

static int find_barriers(struct search *search, struct error *err)
{
	if (!calls_any(search, "MPI_Barrier") && !calls_any(search, "MPI_Ibarrier"))
		return 0;
	return add_plain(search, CHANGE_BARRIERS, "no barriers", "--without-barriers", err);
}

/* Convert as if no message waited for its receiver's calls: none is larger than the threshold. */
static int add_progress(struct search *search, struct error *err)
{
	size_list sizes = {0};
	char *word = NULL;
	int result = list_sizes(&sizes, search->model, err);

	if (result == 0 && sizes.count)
		result = change_text(&word, err, "%s%" PRIu64, threshold_word,
				     sizes.items[sizes.count - 1]);
	array_release(&sizes);
	if (result == 0 && word)
		result = add_plain(search, CHANGE_PROGRESS, "a thread that moves messages", word,
				   err);
	free(word);
	return result;
}

static int find_progress(struct search *search, struct error *err)
{
	struct overlap overlap;
	bool defers;

	TRY(overlap_find(&overlap, search->model, NULL, err));
	defers = overlap.messages > 0;
	overlap_release(&overlap);
	return defers ? add_progress(search, err) : 0;
}

/* Make a copy of the network in which the ranks are on other hosts. */
static int set_placed(const struct search *search, struct change *change,
		      const struct placement *placement, struct error *err)
{
	const uint32_t rank_count = search->model->goal.rank_count;

	TRY(allocate(&change->placed, 1, sizeof *change->placed, err));
	*change->placed = *search->evaluation->loggps->network;
	change->placed->mapping = MAPPING_LIST;
	change->placed->is_placed = true;
	change->placed->listed = rank_count;
	change->placed->hosts = NULL;
	TRY(allocate(&change->placed->hosts, rank_count, sizeof *change->placed->hosts, err));
	memcpy(change->placed->hosts, placement->hosts, rank_count * sizeof *change->placed->hosts);
	return 0;
}

/* Find the best mapping, as llamp place does. */
static int place(const struct search *search, struct change *change, struct error *err)
{
	struct placement_task task;
	struct placements placements;
	int result;

	TRY(placement_task_init(&task, search->model, err));
	result = placements_find(&placements, &task, &placement_options_default, err);
	if (result == 0) {
		result = set_placed(search, change, &placements.list.items[placements.best], err);
		placements_release(&placements);
	}
	placement_task_release(&task);
	return result;
}

/* Whether it can matter where the ranks are. */
static bool has_hosts(const struct loggps *loggps)
{
	return loggps->network &&
	       (network_has_places(loggps->network) || loggps->resources & RESOURCE_NODE_NIC);
}

static int find_placement(struct search *search, struct error *err)
{
	struct change change = {.kind = CHANGE_PLACEMENT, .group = search->groups};
	int result;

	if (!has_hosts(&search->model->loggps))
		return 0;
	result = change_text(&change.name, err, "ranks on other nodes");
	if (result == 0 && place(search, &change, err) < 0)
		result = err->status == STATUS_SYSTEM
				 ? -1
				 : change_text(&change.refusal, err, "%s", err->text);
	if (result == 0)
		return change_add(search->changes, &change, err);
	change_release(&change);
	return -1;
}

static int add_network(struct search *search, const char *name, int64_t value_as, struct error *err)
{
	struct change change = {.kind = CHANGE_NETWORK,
				.group = search->groups,
				.is_no_step = true};

	TRY(change_text(&change.name, err, "%s %s", value_as ? "half of" : "no", name));
	if (change_text(&change.parameter, err, "%s", name) < 0 ||
	    change_text(&change.value, err, "%.15gns", (double)value_as / AS_PER_NS) < 0) {
		free(change.name);
		free(change.parameter);
		return -1;
	}
	return change_add(search->changes, &change, err);
}

static int find_network(struct search *search, struct error *err)
{
	static const uint32_t variables[] = {VARIABLE_L, VARIABLE_o, VARIABLE_G};

	for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
		const struct variable *variable = &search->model->loggps.variables.of[variables[i]];

		if (!variable->value_as)
			continue;
		TRY(add_network(search, variable->name, variable->value_as / 2, err));
		TRY(add_network(search, variable->name, 0, err));
		search->groups++;
	}
	return 0;
}

int changes_find(change_list *changes, struct evaluation *evaluation, const struct model *model,
		 const struct advised_path *path, const struct evaluated *base,
		 const struct change_options *options, struct error *err)
{
	static int (*const find[CHANGE_KINDS])(struct search *, struct error *) = {
		[CHANGE_ALGORITHM] = find_algorithms, [CHANGE_EAGER] = find_threshold,
		[CHANGE_BALANCE] = find_balances,     [CHANGE_TOTALS] = find_totals,
		[CHANGE_MESSAGES] = find_merges,      [CHANGE_WAITS] = find_waits,
		[CHANGE_BARRIERS] = find_barriers,    [CHANGE_PROGRESS] = find_progress,
		[CHANGE_PLACEMENT] = find_placement,  [CHANGE_NETWORK] = find_network,
	};
	struct search search = {.changes = changes,
				.evaluation = evaluation,
				.model = model,
				.path = path,
				.base = base,
				.options = options};
	int result = goal_balance_survey(&search.sums, &model->goal, model->calls, err);

	for (int kind = 0; kind < CHANGE_KINDS && result == 0; kind++) {
		if (options->kinds[kind])
			result = find[kind](&search, err);
		search.groups++;
	}
	array_release(&search.named);
	goal_balance_sums_release(&search.sums);
	return result;
}
