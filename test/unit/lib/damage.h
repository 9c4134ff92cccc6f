/*
 * Truncation and damage of files, to test their readers.  The files are restored afterwards.
 */
#ifndef TEST_DAMAGE_H
#define TEST_DAMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Read the files: whether they are readable.  Fails the test if reading does harm. */
typedef bool damage_read(void *data);

/* Cut a file at every `step` bytes, and count the readable cuts. */
uint32_t damage_cut(const char *path, size_t step, damage_read *read, void *data);

/*
 * Damage a file `rounds` times, and count how often it is unreadable.  Bytes are changed, removed
 * or inserted by random numbers (random_graph.h).
 */
uint32_t damage_some(const char *path, uint32_t rounds, uint64_t *numbers, damage_read *read,
		     void *data);

#endif
