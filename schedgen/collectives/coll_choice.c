/* Algorithms and their parameters as text: "chain:segment=64KiB". */
#include "schedgen/collectives/coll_algorithms.h"

#include "common/units.h"

#include <stdio.h>
#include <string.h>

enum { MOST_TEXT = 128 };

/* Parse a count of at least 1. */
static int parse_positive(const char *text, uint32_t *value, struct error *err)
{
	uint64_t count;

	TRY(parse_count(text, 1, UINT32_C(1) << 31, &count, err));
	*value = (uint32_t)count;
	return 0;
}

static int set_segment(struct coll_choice *choice, const char *text, struct error *err)
{
	TRY(parse_bytes(text, &choice->parameters.segment_bytes, err));
	if (!choice->parameters.segment_bytes)
		return error_set(err, STATUS_USAGE, "a segment has at least one byte");
	return 0;
}

static int set_radix(struct coll_choice *choice, const char *text, struct error *err)
{
	uint64_t radix;

	TRY(parse_count(text, 2, COLL_MOST_RADIX, &radix, err));
	choice->parameters.radix = (uint32_t)radix;
	return 0;
}

static int set_batch(struct coll_choice *choice, const char *text, struct error *err)
{
	return parse_positive(text, &choice->parameters.batch, err);
}

static int set_node(struct coll_choice *choice, const char *text, struct error *err)
{
	return parse_positive(text, &choice->parameters.node_ranks, err);
}

/* Set the algorithm of a level, which has no parameters and not two levels itself. */
static int set_level(enum mpi_collective kind, const char *text, const char *level,
		     const struct coll_algorithm **chosen, struct error *err)
{
	const struct coll_algorithm *algorithm = coll_find(kind, text);

	if (!algorithm || algorithm->parameters & COLL_TAKES_NODE)
		return error_set(err, STATUS_USAGE, "'%s' is no algorithm of %s for %s", text,
				 coll_name(kind), level);
	*chosen = algorithm;
	return 0;
}

static int set_leaders(struct coll_choice *choice, const char *text, struct error *err)
{
	return set_level(choice->algorithm->kind, text, "leaders", &choice->parameters.leaders,
			 err);
}

static int set_inside(struct coll_choice *choice, const char *text, struct error *err)
{
	return set_level(coll_inside_kind(choice->algorithm->kind), text, "a node",
			 &choice->parameters.inside, err);
}

/* Set the algorithm of a part by its name; `known` lists those of coll_parts.c. */
static int set_part(const struct coll_algorithm **part, enum mpi_collective kind, const char *text,
		    const char *known, struct error *err)
{
	const size_t length = strlen(text);

	for (const char *at = known; *at; at += strcspn(at, ",") + 2) {
		if (strcspn(at, ",") == length && !strncmp(at, text, length)) {
			*part = coll_find(kind, text);
			return 0;
		}
		if (!strchr(at, ','))
			break;
	}
	return error_set(err, STATUS_USAGE, "'%s' is none of: %s", text, known);
}

static int set_bcast(struct coll_choice *choice, const char *text, struct error *err)
{
	return set_part(&choice->parameters.bcast, COLL_BCAST, text,
			"binomial, binomial-doubling, binary, knomial, chain, linear", err);
}

static int set_reduce(struct coll_choice *choice, const char *text, struct error *err)
{
	return set_part(&choice->parameters.reduce, COLL_REDUCE, text,
			"binomial, binary, chain, linear", err);
}

static int set_scatter(struct coll_choice *choice, const char *text, struct error *err)
{
	return set_part(&choice->parameters.scatter, COLL_SCATTER, text, "binomial, linear", err);
}

static const struct {
	const char *name, *argument;
	unsigned bit;
	int (*set)(struct coll_choice *choice, const char *text, struct error *err);
} parameters[] = {
	{"segment", "SIZE", COLL_TAKES_SEGMENT, set_segment},
	{"radix", "K", COLL_TAKES_RADIX, set_radix},
	{"batch", "MESSAGES", COLL_TAKES_BATCH, set_batch},
	{"node", "RANKS", COLL_TAKES_NODE, set_node},
	{"leaders", "ALGORITHM", COLL_TAKES_LEADERS, set_leaders},
	{"inside", "ALGORITHM", COLL_TAKES_INSIDE, set_inside},
	{"bcast", "ALGORITHM", COLL_TAKES_BCAST, set_bcast},
	{"reduce", "ALGORITHM", COLL_TAKES_REDUCE, set_reduce},
	{"scatter", "ALGORITHM", COLL_TAKES_SCATTER, set_scatter},
};

enum { PARAMETERS = sizeof parameters / sizeof *parameters };

void coll_list_parameters(const struct coll_algorithm *algorithm, char *text, size_t size)
{
	*text = '\0';
	for (size_t i = 0; i < PARAMETERS; i++) {
		const size_t used = strlen(text);

		if (algorithm->parameters & parameters[i].bit)
			snprintf(text + used, size - used, "%s%s=%s", used ? ", " : "",
				 parameters[i].name, parameters[i].argument);
	}
}

static int not_taken(const struct coll_algorithm *algorithm, const char *word, struct error *err)
{
	char list[MOST_TEXT];

	coll_list_parameters(algorithm, list, sizeof list);
	return error_set(err, STATUS_USAGE, "%s=%s has no parameter '%s'; %s%s",
			 coll_name(algorithm->kind), algorithm->name, word,
			 *list ? "it takes: " : "it takes none", list);
}

/* Set a parameter from "name=value", whose '=' is replaced by a NUL. */
static int set_parameter(struct coll_choice *choice, char *word, struct error *err)
{
	char *value = strchr(word, '=');

	if (value)
		*value++ = '\0';
	for (size_t i = 0; i < PARAMETERS; i++) {
		if (strcmp(word, parameters[i].name) != 0 ||
		    !(choice->algorithm->parameters & parameters[i].bit))
			continue;
		if (!value)
			return error_set(err, STATUS_USAGE, "'%s' wants a value: %s=%s", word,
					 word, parameters[i].argument);
		if (parameters[i].set(choice, value, err) < 0)
			return error_prefix(err, "%s", word);
		return 0;
	}
	return not_taken(choice->algorithm, word, err);
}

int coll_choice_parse(struct coll_choice *choice, enum mpi_collective kind, const char *text,
		      struct error *err)
{
	char words[MOST_TEXT], names[COLL_LIST_BYTES], *rest = words, *word;

	*choice = (struct coll_choice){0};
	if (strlen(text) >= sizeof words)
		return error_set(err, STATUS_USAGE, "'%s' is too long", text);
	strcpy(words, text);
	word = strsep(&rest, ":");
	choice->algorithm = coll_find(kind, word);
	if (!choice->algorithm) {
		coll_list(kind, names, sizeof names);
		if (!*word)
			return error_set(err, STATUS_USAGE, "%s needs an algorithm: %s",
					 coll_name(kind), names);
		return error_set(err, STATUS_USAGE, "unknown algorithm '%s' of %s (expected %s)",
				 word, coll_name(kind), names);
	}
	while ((word = strsep(&rest, ",")) != NULL)
		TRY(set_parameter(choice, word, err));
	return 0;
}
