/*
 * Names that stand for others: the same name for the same text and key, and no way back without the
 * key.  SipHash-2-4 (Aumasson and Bernstein, 2012).
 */
#ifndef USAGE_PUBLISH_PSEUDONYM_H
#define USAGE_PUBLISH_PSEUDONYM_H

#include "common/error.h"

#include <stddef.h>
#include <stdint.h>

struct pseudonym_key {
	uint64_t words[2];
};

/*
 * Read a key from a file of at least 16 bytes, all of which count.  path NULL: make one by chance,
 * which is known to nobody afterwards.
 */
int pseudonym_key_read(struct pseudonym_key *key, const char *path, struct error *err);

/* Hash of some bytes. */
uint64_t pseudonym_hash(const struct pseudonym_key *key, const void *bytes, size_t count);

/*
 * Name for a text: the letter that says its kind, and 16 hexadecimal digits.  Texts of different
 * kinds have different names.
 */
enum { PSEUDONYM_BYTES = 18 };
void pseudonym(const struct pseudonym_key *key, char kind, const char *text,
	       char name[static PSEUDONYM_BYTES]);

#endif
