/* Messages of 64-bit words between the ranks of a run (trace/assemble/global_ids.h). */
#ifndef TRACE_IDS_WORDS_H
#define TRACE_IDS_WORDS_H

#include "common/array.h"

#include <stdint.h>

struct rank_message {
	ARRAY(uint64_t) words;
};

/* Append a word, several, or a text, which is padded with at least one zero. */
int ids_put(struct rank_message *message, uint64_t value, struct error *err);
int ids_put_all(struct rank_message *message, const uint64_t *values, size_t count,
		struct error *err);
int ids_put_text(struct rank_message *message, const char *text, struct error *err);

/* Read at *at, which moves on.  Nothing is copied. */
const uint64_t *ids_get(const uint64_t **at, size_t count);
uint64_t ids_get_word(const uint64_t **at);
const char *ids_get_text(const uint64_t **at);

#endif
