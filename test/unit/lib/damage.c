#include "test/unit/lib/damage.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test/unit/lib/make/random_graph.h"

enum { MOST_BYTES = 1 << 20, MOST_INSERTED = 16 };

struct file {
	const char *path;
	char *bytes;
	size_t count;
};

static void write_file(const char *path, const char *bytes, size_t count)
{
	FILE *stream = fopen(path, "wb");

	assert_non_null(stream);
	assert_int_equal(fwrite(bytes, 1, count, stream), count);
	fclose(stream);
}

static struct file load(const char *path)
{
	struct file file = {.path = path, .bytes = malloc(MOST_BYTES)};
	FILE *stream = fopen(path, "rb");

	assert_non_null(file.bytes);
	assert_non_null(stream);
	file.count = fread(file.bytes, 1, MOST_BYTES, stream);
	assert_in_range(file.count, 1, MOST_BYTES - 1);
	fclose(stream);
	return file;
}

static void restore(struct file *file)
{
	write_file(file->path, file->bytes, file->count);
	free(file->bytes);
}

uint32_t damage_cut(const char *path, size_t step, damage_read *read, void *data)
{
	struct file file = load(path);
	uint32_t readable = 0;

	for (size_t cut = 0; cut < file.count; cut += step) {
		write_file(path, file.bytes, cut);
		readable += read(data);
	}
	restore(&file);
	return readable;
}

/* Damage the bytes, and return their new number. */
static size_t damage(char *bytes, size_t count, uint64_t *numbers)
{
	static const char usual[] = {0, 1, 0x7f, (char)0x80, (char)0xff};
	size_t place = (size_t)random_below(numbers, count);
	size_t some = 1 + (size_t)random_below(numbers, MOST_INSERTED);

	switch (random_below(numbers, 5)) {
	case 0:		/* remove some */
		if (some > count - place)
			some = count - place;
		memmove(bytes + place, bytes + place + some, count - place - some);
		return count - some;
	case 1:		/* insert some */
		memmove(bytes + place + some, bytes + place, count - place);
		for (size_t i = 0; i < some; i++)
			bytes[place + i] = (char)random_below(numbers, 256);
		return count + some;
	case 2:
		bytes[place] = usual[random_below(numbers, sizeof usual)];
		return count;
	default:
		for (some = 1 + some % 3; some; some--)
			bytes[random_below(numbers, count)] = (char)random_below(numbers, 256);
		return count;
	}
}

uint32_t damage_some(const char *path, uint32_t rounds, uint64_t *numbers, damage_read *read,
		     void *data)
{
	struct file file = load(path);
	char *bytes = malloc(file.count + MOST_INSERTED);
	uint32_t refused = 0;

	assert_non_null(bytes);
	for (uint32_t round = 0; round < rounds; round++) {
		memcpy(bytes, file.bytes, file.count);
		write_file(path, bytes, damage(bytes, file.count, numbers));
		refused += !read(data);
	}
	free(bytes);
	restore(&file);
	return refused;
}
