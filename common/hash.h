/*
 * Hash functions for hash tables and for sums of hashes.  They do not resist malice.  Results are
 * the same on all machines.
 */
#ifndef COMMON_HASH_H
#define COMMON_HASH_H

#include <stddef.h>
#include <stdint.h>

/* One-to-one map of 64 bits that mixes all of them: splitmix64 (Steele, Lea, Flood 2014). */
static inline uint64_t mix64(uint64_t value)
{
	value += UINT64_C(0x9e3779b97f4a7c15);
	value = (value ^ value >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	value = (value ^ value >> 27) * UINT64_C(0x94d049bb133111eb);
	return value ^ value >> 31;
}

/* Hash of a sequence that ends with `value`, from the hash of the sequence before it. */
static inline uint64_t mix64_add(uint64_t hash, uint64_t value)
{
	return mix64(mix64(hash) ^ value);
}

/* Hash of a sequence of numbers, and of its length. */
static inline uint64_t hash_numbers(const uint64_t *numbers, size_t count)
{
	uint64_t hash = count;

	for (size_t i = 0; i < count; i++)
		hash = mix64_add(hash, numbers[i]);
	return hash;
}

/* Hash of a string of bytes whose begin has the hash `hash`, or HASH_NO_BYTES: FNV-1a. */
#define HASH_NO_BYTES UINT64_C(0xcbf29ce484222325)

static inline uint64_t hash_more_bytes(uint64_t hash, const void *bytes, size_t count)
{
	const unsigned char *at = bytes;

	for (size_t i = 0; i < count; i++)
		hash = (hash ^ at[i]) * UINT64_C(0x100000001b3);
	return hash;
}

/* Hash of a string of bytes. */
static inline uint64_t hash_bytes(const void *bytes, size_t count)
{
	return hash_more_bytes(HASH_NO_BYTES, bytes, count);
}

#endif
