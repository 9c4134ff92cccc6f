/*
 * Small YAML files as trees, for parameters and rules.
 *
 *	TRY(yaml_file_open(&file, path, err));
 *	for (const struct yaml_entry *entry = file.root->first; entry; entry = entry->next)
 *		use(entry->key, entry->text);
 *	yaml_file_release(&file);
 *
 * A file holds one document whose outermost node is a mapping or a sequence.
 * Scalars are plain text, which the caller interprets.  Anchors, aliases, tags, keys that
 * are not scalars, duplicate keys, and files above the limits below are errors.
 */
#ifndef COMMON_YAML_H
#define COMMON_YAML_H

#include "common/error.h"

#include <stddef.h>
#include <stdint.h>

enum yaml_kind { YAML_SCALAR, YAML_SEQUENCE, YAML_MAPPING };

struct yaml_entry {
	enum yaml_kind kind;
	uint32_t line, column;		/* of its key, or its own without a key, from 1 */
	const char *key;		/* in a mapping, else NULL */
	const char *text;		/* of a scalar, else NULL */
	struct yaml_entry *first;	/* first entry of a mapping or sequence */
	struct yaml_entry *next;	/* next entry of the same mapping or sequence */
};

struct yaml_file {
	const char *path;		/* as given, not owned */
	struct yaml_entry *root;	/* owned, with all entries below */
};

enum {
	YAML_MOST_BYTES = 1 << 20,
	YAML_MOST_ENTRIES = 10000,
	YAML_MOST_DEPTH = 16,
};

/*
 * Read the file `path` ("-": stdin), which must stay in memory while the tree
 * is used.  Errors are STATUS_DATA or STATUS_LIMIT and begin with "path:line:column: ".
 */
int yaml_file_open(struct yaml_file *file, const char *path, struct error *err);

/* Read text in memory.  Errors name it as the file `path`. */
int yaml_text_open(struct yaml_file *file, const char *path, const char *text, struct error *err);

void yaml_file_release(struct yaml_file *file);

/* Fill `err` with STATUS_DATA, "path:line:column: " and the text.  Returns -1. */
int yaml_error(const struct yaml_file *file, const struct yaml_entry *entry, struct error *err,
	       const char *format, ...) __attribute__((format(printf, 4, 5)));

#endif
