/*
 * Files that are cut short or damaged, to see what readers make of them.  The files
 * are whole again afterwards.
 */
#ifndef TEST_DAMAGE_H
#define TEST_DAMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether the files can still be read; to fail the test if this does harm. */
typedef bool damage_read(void *data);

/* How many of the cuts of a file, at every `step` bytes, can be read. */
uint32_t damage_cut(const char *path, size_t step, damage_read *read, void *data);

/*
 * How many of `rounds` damages of a file cannot be read: bytes changed, taken out
 * or put in, by numbers from *numbers on (random_graph.h).
 */
uint32_t damage_some(const char *path, uint32_t rounds, uint64_t *numbers, damage_read *read,
		     void *data);

#endif
