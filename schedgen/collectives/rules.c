#include "schedgen/collectives/rules.h"

#include "common/source/call_site.h"
#include "common/units.h"
#include "common/yaml.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

/* --------------------------------------------------------------------- reading */

/* The values of the keys of a rule. */
static const struct {
	const char *name;
	size_t offset;
	bool size;
} ranges[] = {
	{"ranks", offsetof(struct rule, ranks), false},
	{"bytes", offsetof(struct rule, bytes), true},
	{"total_bytes", offsetof(struct rule, total_bytes), true},
	{"piece_bytes", offsetof(struct rule, piece_bytes), true},
};

static const struct {
	const char *name;
	size_t offset;
} answers[] = {
	{"power_of_two", offsetof(struct rule, power_of_two)},
	{"blocking", offsetof(struct rule, blocking)},
	{"shared_nodes", offsetof(struct rule, shared_nodes)},
};

static const struct {
	const char *name;
	size_t offset;
} places[] = {
	{"site", offsetof(struct rule, site)},
	{"communicator", offsetof(struct rule, communicator)},
};

/* Check that the value of a key is a single word. */
static int need_text(const struct yaml_file *file, const struct yaml_entry *entry,
		     struct error *err)
{
	if (entry->kind == YAML_SCALAR)
		return 0;
	return yaml_error(file, entry, err, "'%s' wants a single value", entry->key);
}

static int parse_end(const char *text, size_t length, bool size, uint64_t *value,
		     struct error *err)
{
	char word[64];

	if (!length)
		return 0;
	snprintf(word, sizeof word, "%.*s", (int)(length < sizeof word ? length : sizeof word),
		 text);
	return size ? parse_bytes(word, value, err) :
		      parse_count(word, 0, UINT64_MAX, value, err);
}

/* Read a range "A..B", "A..", "..B" or "A". */
static int rules_read_range(const struct yaml_file *file, const struct yaml_entry *entry, bool size,
			    struct rule_range *range, struct error *err)
{
	const char *dots;
	size_t length;
	int result;

	TRY(need_text(file, entry, err));
	length = strlen(entry->text);
	dots = strstr(entry->text, "..");
	if (!length || (dots && length == 2))
		return yaml_error(file, entry, err, "'%s' wants a range such as 8..64, 8.. or ..64",
				  entry->key);
	result = parse_end(entry->text, dots ? (size_t)(dots - entry->text) : length, size,
			   &range->least, err);
	if (result == 0 && dots)
		result = parse_end(dots + 2, strlen(dots + 2), size, &range->most, err);
	if (result < 0) {
		struct error why = *err;

		return yaml_error(file, entry, err, "%s: %s", entry->key, why.text);
	}
	if (!dots)
		range->most = range->least;
	if (range->least > range->most)
		return yaml_error(file, entry, err, "the range of '%s' is empty", entry->key);
	return 0;
}

static int read_answer(const struct yaml_file *file, const struct yaml_entry *entry,
		       enum rule_answer *answer, struct error *err)
{
	TRY(need_text(file, entry, err));
	if (!strcmp(entry->text, "yes") || !strcmp(entry->text, "true"))
		*answer = RULE_YES;
	else if (!strcmp(entry->text, "no") || !strcmp(entry->text, "false"))
		*answer = RULE_NO;
	else
		return yaml_error(file, entry, err, "'%s' wants yes or no", entry->key);
	return 0;
}

/* Read a text, which the file owns until the rule is added. */
static int read_place(const struct yaml_file *file, const struct yaml_entry *entry, char **place,
		      struct error *err)
{
	TRY(need_text(file, entry, err));
	if (!*entry->text)
		return yaml_error(file, entry, err, "'%s' is empty", entry->key);
	*place = (char *)entry->text;
	return 0;
}

/* Read a key of a rule.  The caller reads `collective` and `algorithm`. */
static int read_condition(const struct yaml_file *file, const struct yaml_entry *entry,
			  struct rule *rule, struct error *err)
{
	for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
		if (strcmp(entry->key, ranges[i].name) != 0)
			continue;
		rule->sized |= ranges[i].size;
		return rules_read_range(file, entry, ranges[i].size,
					(void *)((char *)rule + ranges[i].offset), err);
	}
	for (size_t i = 0; i < sizeof answers / sizeof *answers; i++)
		if (!strcmp(entry->key, answers[i].name))
			return read_answer(file, entry,
					   (void *)((char *)rule + answers[i].offset), err);
	for (size_t i = 0; i < sizeof places / sizeof *places; i++)
		if (!strcmp(entry->key, places[i].name))
			return read_place(file, entry, (void *)((char *)rule + places[i].offset),
					  err);
	return yaml_error(file, entry, err,
			  "a rule has no '%s'; it may have: collective, ranks, power_of_two, "
			  "blocking, shared_nodes, bytes, total_bytes, piece_bytes, site, "
			  "communicator, algorithm",
			  entry->key);
}

/* Can all ranks know the sizes of calls of this kind?  Two groups can if both have one size. */
static bool has_sizes(int kind)
{
	if (kind == COLL_INTER_BCAST || kind == COLL_INTER_GATHER || kind == COLL_INTER_SCATTER ||
	    kind == COLL_INTER_REDUCE || kind == COLL_INTER_ALLREDUCE)
		return true;
	return kind != COLL_BARRIER && kind != COLL_GATHERV && kind != COLL_SCATTERV &&
	       kind != COLL_ALLTOALLV && kind != COLL_ALLTOALLW && kind < (int)COLL_NEIGHBOR_ALLGATHER;
}

/* Copy a text, which may be NULL. */
static int rule_copy_text(char **text, const char *from, struct error *err)
{
	*text = from ? strdup(from) : NULL;
	return *text || !from ? 0 : error_set_memory(err, strlen(from));
}

/* Add the rule with texts of its own. */
static int push_rule(struct rules *rules, int kind, const struct rule *rule, struct error *err)
{
	struct rule own = *rule;
	int result;

	own.communicator = NULL;
	result = rule_copy_text(&own.site, rule->site, err);
	if (result == 0)
		result = rule_copy_text(&own.communicator, rule->communicator, err);
	if (result == 0)
		result = array_push(&rules->of[kind], own, err);
	if (result == 0)
		return 0;
	free(own.site);
	free(own.communicator);
	return -1;
}

/* Add the rule to the rules of the collective that `entry` names. */
static int add_rule(struct rules *rules, const struct yaml_file *file,
		    const struct yaml_entry *entry, const struct yaml_entry *algorithm,
		    struct rule *rule, struct error *err)
{
	struct error why;
	int kind;

	if (entry->kind != YAML_SCALAR)
		return yaml_error(file, entry, err, "a collective must be a name");
	kind = coll_find_kind(entry->text, strlen(entry->text));
	if (kind < 0) {
		coll_unknown_kind(entry->text, strlen(entry->text), &why);
		return yaml_error(file, entry, err, "%s", why.text);
	}
	if (coll_choice_parse(&rule->choice, kind, algorithm->text, &why) < 0)
		return yaml_error(file, algorithm, err, "%s", why.text);
	if (rule->sized && !has_sizes(kind))
		return yaml_error(file, entry, err,
				  "%s has no size that all ranks know; choose by ranks only",
				  coll_name(kind));
	return push_rule(rules, kind, rule, err);
}

static int read_rule(struct rules *rules, const struct yaml_file *file,
		     const struct yaml_entry *mapping, struct error *err)
{
	const struct rule_range any = {0, UINT64_MAX};
	struct rule rule = {.ranks = any, .bytes = any, .total_bytes = any, .piece_bytes = any};
	const struct yaml_entry *collective = NULL, *algorithm = NULL;

	if (mapping->kind != YAML_MAPPING)
		return yaml_error(file, mapping, err, "expected a rule, '- collective: ...'");
	for (const struct yaml_entry *entry = mapping->first; entry; entry = entry->next) {
		if (!strcmp(entry->key, "collective"))
			collective = entry;
		else if (!strcmp(entry->key, "algorithm"))
			algorithm = entry;
		else
			TRY(read_condition(file, entry, &rule, err));
	}
	if (!collective || !algorithm)
		return yaml_error(file, mapping, err, "the rule has no '%s'",
				  collective ? "algorithm" : "collective");
	TRY(need_text(file, algorithm, err));
	rules->by_nodes |= rule.shared_nodes != RULE_EITHER;
	rules->by_site |= rule.site != NULL;
	if (collective->kind == YAML_SCALAR)
		return add_rule(rules, file, collective, algorithm, &rule, err);
	if (collective->kind != YAML_SEQUENCE || !collective->first)
		return yaml_error(file, collective, err,
				  "'collective' wants a name or a list of names");
	for (const struct yaml_entry *entry = collective->first; entry; entry = entry->next)
		TRY(add_rule(rules, file, entry, algorithm, &rule, err));
	return 0;
}

static int read_rules(struct rules *rules, const struct yaml_file *file, struct error *err)
{
	if (file->root->kind != YAML_SEQUENCE)
		return yaml_error(file, file->root, err,
				  "expected a list of rules, '- collective: ...'");
	for (const struct yaml_entry *entry = file->root->first; entry; entry = entry->next)
		TRY(read_rule(rules, file, entry, err));
	return 0;
}

int rules_open(struct rules *rules, const char *path, struct error *err)
{
	struct yaml_file file;
	int result;

	TRY(yaml_file_open(&file, path, err));
	result = read_rules(rules, &file, err);
	yaml_file_release(&file);
	return result;
}

int rules_add(struct rules *rules, const char *text, struct error *err)
{
	struct yaml_file file;
	int result = yaml_text_open(&file, "the rule", text, err);

	if (result == 0) {
		result = read_rule(rules, &file, file.root, err);
		yaml_file_release(&file);
	}
	if (result < 0 && err->status == STATUS_DATA)
		err->status = STATUS_USAGE;
	return result;
}

const char *rules_preset_text(const char *name, struct error *err)
{
	for (const struct preset *preset = presets; preset->name; preset++)
		if (!strcmp(preset->name, name))
			return preset->text;
	error_set(err, STATUS_USAGE, "unknown preset '%s' (expected mpich, openmpi, paper)",
		  name);
	return NULL;
}

int rules_preset(struct rules *rules, const char *name, struct error *err)
{
	const char *text = rules_preset_text(name, err);
	struct yaml_file file;
	int result;

	if (!text)
		return -1;
	TRY(yaml_text_open(&file, name, text, err));
	result = read_rules(rules, &file, err);
	yaml_file_release(&file);
	return result;
}

void rules_release(struct rules *rules)
{
	for (int kind = 0; kind < COLL_KINDS; kind++) {
		for (size_t i = 0; i < rules->of[kind].count; i++) {
			free(rules->of[kind].items[i].site);
			free(rules->of[kind].items[i].communicator);
		}
		array_release(&rules->of[kind]);
	}
}

/* -------------------------------------------------------------------- choosing */

static uint64_t rules_sum(const uint64_t *bytes, uint32_t count)
{
	uint64_t total = 0;

	for (uint32_t i = 0; i < count; i++)
		if (__builtin_add_overflow(total, bytes[i], &total))
			return UINT64_MAX;
	return total;
}

static uint64_t rules_times(uint64_t bytes, uint32_t count)
{
	return __builtin_mul_overflow(bytes, (uint64_t)count, &bytes) ? UINT64_MAX : bytes;
}

static uint32_t largest_power_of_two(uint32_t number)
{
	return UINT32_C(1) << (31 - __builtin_clz(number));
}

/* Count the ranks of both groups, so that both groups choose the same algorithm. */
static uint32_t rules_ranks_of(const struct collective *collective)
{
	return collective->size + collective->remote_size;
}

/* Count the ranks of the group that does not have the root. */
static uint32_t leaves_of(const struct collective *collective)
{
	return collective->root_place == COLL_ROOT_SELF ? collective->remote_size :
							  collective->size;
}

struct rule_sizes rules_sizes(const struct collective *collective)
{
	const uint64_t *vector = collective->kind == COLL_ALLGATHERV ? collective->receive_bytes :
				 collective->send_bytes;
	struct rule_sizes sizes = {.known = true, .block = collective->block_bytes};

	if (!has_sizes((int)collective->kind) || !collective->size)
		return (struct rule_sizes){0};
	sizes.total = sizes.block;
	switch ((int)collective->kind) {
	case COLL_GATHER:
	case COLL_SCATTER:
	case COLL_ALLGATHER:
	case COLL_ALLTOALL:
	case COLL_REDUCE_SCATTER_BLOCK:
		sizes.total = rules_times(sizes.block, collective->size);
		break;
	case COLL_INTER_GATHER:
	case COLL_INTER_SCATTER:
		sizes.total = rules_times(sizes.block, leaves_of(collective));
		break;
	case COLL_ALLGATHERV:
	case COLL_REDUCE_SCATTER:
		if (!vector)
			return (struct rule_sizes){0};
		sizes.total = rules_sum(vector, collective->size);
		sizes.block = sizes.total / collective->size;
		break;
	default:
		break;
	}
	sizes.piece = sizes.total / largest_power_of_two(rules_ranks_of(collective));
	return sizes;
}

static bool in(const struct rule_range *range, uint64_t value)
{
	return range->least <= value && value <= range->most;
}

static bool is(enum rule_answer wanted, bool value)
{
	return wanted == RULE_EITHER || (wanted == RULE_YES) == value;
}

static bool is_there(const struct rule *rule, const struct coll_place *place)
{
	if (rule->site &&
	    (!place->site || !call_site_is(rule->site, place->site, place->site_name)))
		return false;
	return !rule->communicator ||
	       (place->communicator && !strcmp(rule->communicator, place->communicator));
}

static bool rule_fits(const struct rule *rule, const struct collective *collective, bool blocking,
		      const struct rule_sizes *sizes)
{
	const uint32_t ranks = rules_ranks_of(collective);

	return in(&rule->ranks, ranks) && is(rule->power_of_two, (ranks & (ranks - 1)) == 0) &&
	       is(rule->blocking, blocking) &&
	       is(rule->shared_nodes, collective->nodes && collective->nodes->count < ranks) &&
	       (!rule->sized ||
		(sizes->known && in(&rule->bytes, sizes->block) &&
		 in(&rule->total_bytes, sizes->total) && in(&rule->piece_bytes, sizes->piece))) &&
	       is_there(rule, &collective->place);
}

const struct coll_choice *rules_choose(struct rules *rules, const struct collective *collective,
				       bool blocking)
{
	struct rule_sizes sizes;

	if (!rules->of[collective->kind].count)
		return NULL;
	sizes = rules_sizes(collective);
	for (size_t i = 0; i < rules->of[collective->kind].count; i++) {
		struct rule *rule = &rules->of[collective->kind].items[i];

		if (!rule_fits(rule, collective, blocking, &sizes))
			continue;
		atomic_store_explicit(&rule->used, true, memory_order_relaxed);
		return &rule->choice;
	}
	return NULL;
}

const struct rule *rules_unused(const struct rules *rules)
{
	for (int kind = 0; kind < COLL_KINDS; kind++)
		for (size_t i = 0; i < rules->of[kind].count; i++)
			if (!rules->of[kind].items[i].used)
				return &rules->of[kind].items[i];
	return NULL;
}

/* Choose for `ranks` ranks of the call on different nodes; NULL if no rule fits. */
static const struct coll_algorithm *choose_level(struct rules *rules,
						 const struct collective *collective,
						 enum mpi_collective kind, uint32_t ranks,
						 bool blocking)
{
	struct collective level = *collective;
	const struct coll_choice *choice;

	level.kind = kind;
	level.size = ranks;
	level.nodes = NULL;
	choice = rules_choose(rules, &level, blocking);
	return choice && !(choice->algorithm->parameters & COLL_TAKES_NODE) ? choice->algorithm
									     : NULL;
}

void rules_choose_levels(struct rules *rules, const struct coll_algorithm *algorithm,
			 struct collective *collective, bool blocking)
{
	struct coll_parameters *parameters = &collective->parameters;
	const enum mpi_collective kind = collective->kind;
	uint32_t leaders, inside;

	coll_levels(collective, &leaders, &inside);
	if (algorithm->parameters & COLL_TAKES_INSIDE && !parameters->inside)
		parameters->inside = choose_level(rules, collective, coll_inside_kind(kind), inside,
						  blocking);
	if (!parameters->leaders)
		parameters->leaders = choose_level(rules, collective, kind, leaders, blocking);
}
