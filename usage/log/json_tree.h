/*
 * A JSON text as a tree, in two blocks of memory: logs are read by the hundred thousand, and a
 * tree with an allocation for each value takes three quarters of the time.
 *
 * Values lie in the order of the text, each followed by its items or members:
 *
 *	const struct tree_value *item = list + 1;
 *
 *	for (uint32_t i = 0; i < list->count; i++, item += item->size)
 *		use(item);
 */
#ifndef USAGE_LOG_JSON_TREE_H
#define USAGE_LOG_JSON_TREE_H

#include "common/array.h"

#include <stdbool.h>
#include <stdint.h>

enum tree_kind {
	TREE_NULL,
	TREE_BOOLEAN,
	TREE_INTEGER, /* neither point nor exponent */
	TREE_REAL,
	TREE_STRING,
	TREE_ARRAY,
	TREE_OBJECT,
	TREE_KINDS
};
extern const char *const tree_kind_names[TREE_KINDS]; /* "object", ... */

struct tree_value {
	const char *key; /* of a member, else NULL */
	union {
		bool truth;
		uint64_t integer; /* without its sign, at most UINT64_MAX */
		double real;
		const char *text; /* with a final zero */
	};
	uint32_t size;	/* of this value with all below it: the next one is so many behind */
	uint32_t count; /* items, members, or bytes of a text */
	uint8_t kind;	/* enum tree_kind */
	bool negative;	/* of an integer */
};

struct json_tree {
	ARRAY(struct tree_value) values; /* the first one is the whole text */
	char *texts;
	/* Where parsing has failed, and why. */
	size_t at;
	const char *wrong;
};

/*
 * Parse a text of UTF-8, strictly by RFC 8259, nested at most `depth` deep.  If it is no JSON,
 * wrong and at are set. Returns 0, or -1 without memory.  End with json_tree_release in any case.
 */
int json_tree_parse(struct json_tree *tree, const char *text, size_t count, unsigned depth,
		    struct error *err);
void json_tree_release(struct json_tree *tree);

/* Find a member of an object; of several with this key the last one.  NULL: there is none. */
const struct tree_value *tree_member(const struct tree_value *object, const char *key);

#endif
