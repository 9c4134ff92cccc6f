#include "usage/publish/pseudonym.h"

#include "common/array.h"
#include "common/input.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

static uint64_t rotate(uint64_t word, unsigned bits)
{
	return word << bits | word >> (64 - bits);
}

static void mix(uint64_t v[4], unsigned rounds)
{
	for (unsigned i = 0; i < rounds; i++) {
		v[0] += v[1];
		v[2] += v[3];
		v[1] = rotate(v[1], 13) ^ v[0];
		v[3] = rotate(v[3], 16) ^ v[2];
		v[0] = rotate(v[0], 32);
		v[2] += v[1];
		v[0] += v[3];
		v[1] = rotate(v[1], 17) ^ v[2];
		v[3] = rotate(v[3], 21) ^ v[0];
		v[2] = rotate(v[2], 32);
	}
}

static uint64_t little_endian(const uint8_t *bytes, size_t count)
{
	uint64_t word = 0;

	for (size_t i = 0; i < count; i++)
		word |= (uint64_t)bytes[i] << 8 * i;
	return word;
}

static void absorb(uint64_t v[4], uint64_t word)
{
	v[3] ^= word;
	mix(v, 2);
	v[0] ^= word;
}

uint64_t pseudonym_hash(const struct pseudonym_key *key, const void *bytes, size_t count)
{
	uint64_t v[4] = {
		key->words[0] ^ UINT64_C(0x736f6d6570736575),
		key->words[1] ^ UINT64_C(0x646f72616e646f6d),
		key->words[0] ^ UINT64_C(0x6c7967656e657261),
		key->words[1] ^ UINT64_C(0x7465646279746573),
	};
	const uint8_t *const from = bytes;
	size_t at = 0;

	for (; count - at >= 8; at += 8)
		absorb(v, little_endian(from + at, 8));
	absorb(v, little_endian(from + at, count - at) | (uint64_t)count << 56);
	v[2] ^= 0xff;
	mix(v, 4);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}

int pseudonym_key_read(struct pseudonym_key *key, const char *path, struct error *err)
{
	struct input input;
	size_t count;

	if (!path) {
		if (getrandom(key->words, sizeof key->words, 0) != sizeof key->words)
			return error_set_errno(err, "no random numbers");
		return 0;
	}
	TRY(input_open(&input, path, err));
	for (uint64_t i = 0; i < 2; i++)
		key->words[i] = pseudonym_hash(&(struct pseudonym_key){{i, ~i}}, input.bytes,
					       input.count);
	count = input.count;
	input_release(&input);
	if (count < 16)
		return error_set(
			err, STATUS_DATA,
			"%s: a key has at least 16 bytes; head -c 32 /dev/urandom makes one", path);
	return 0;
}

void pseudonym(const struct pseudonym_key *key, char kind, const char *text,
	       char name[static PSEUDONYM_BYTES])
{
	struct pseudonym_key of_kind = *key;

	of_kind.words[0] ^= (uint64_t)(unsigned char)kind << 56;
	snprintf(name, PSEUDONYM_BYTES, "%c%016" PRIx64, kind,
		 pseudonym_hash(&of_kind, text, strlen(text)));
}
