/* What the page of critpath view is made of: packed numbers, and tiles of known calls. */
#include "test/unit/lib/make/make_run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "critpath/view/view_tiles.h"
#include "test/unit/lib/make/feed.h"
#include "test/unit/lib/must.h"

/* ------------------------------------------------------------------ numbers */

static void expect_packed(const char *wanted, void (*write)(struct pack *pack))
{
	char *text = NULL;
	size_t bytes;
	struct pack pack = {.stream = open_memstream(&text, &bytes)};

	assert_non_null(pack.stream);
	write(&pack);
	pack_end(&pack);
	fclose(pack.stream);
	assert_string_equal(text, wanted);
	free(text);
}

/* The vectors of RFC 4648, section 10. */
static void write_foo(struct pack *pack)
{
	pack_byte(pack, 'f');
	pack_byte(pack, 'o');
	pack_byte(pack, 'o');
}

static void write_foob(struct pack *pack)
{
	write_foo(pack);
	pack_byte(pack, 'b');
}

static void write_fooba(struct pack *pack)
{
	write_foob(pack);
	pack_byte(pack, 'a');
}

static void write_nothing(struct pack *pack)
{
	(void)pack;
}

static void bytes_are_base64(void **state)
{
	(void)state;
	expect_packed("", write_nothing);
	expect_packed("Zm9v", write_foo);
	expect_packed("Zm9vYg==", write_foob);
	expect_packed("Zm9vYmE=", write_fooba);
}

/* 300 is ac 02; the largest number is nine times ff, 01. */
static void write_numbers(struct pack *pack)
{
	pack_number(pack, 127);
	pack_number(pack, 300);
}

static void write_largest(struct pack *pack)
{
	pack_number(pack, UINT64_MAX);
}

/* 0, 1, 4, 3 */
static void write_signed(struct pack *pack)
{
	pack_signed(pack, 0);
	pack_signed(pack, -1);
	pack_signed(pack, 2);
	pack_signed(pack, -2);
}

static void numbers_are_varints(void **state)
{
	(void)state;
	expect_packed("f6wC", write_numbers);
	expect_packed("////////////AQ==", write_largest);
	expect_packed("AAEEAw==", write_signed);
}

/* -------------------------------------------------------------------- tiles */

static uint8_t digit(char character)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	return (uint8_t)(strchr(digits, character) - digits);
}

static const struct run_part whole = {.to_ns = UINT64_MAX};

/* Write tiles, and decode them, whose bytes are a multiple of three. */
static uint8_t *make_tiles(const struct made_run *made, const struct run_part *part,
			   uint32_t count, size_t *bytes)
{
	struct error err = {0};
	char *text = NULL;
	size_t length;
	struct pack pack = {.stream = open_memstream(&text, &length)};
	uint8_t *tiles;

	assert_non_null(pack.stream);
	MUST(view_pack_tiles(&pack, &made->waits, part, count, &err));
	pack_end(&pack);
	fclose(pack.stream);
	assert_int_equal(length % 4, 0);
	*bytes = length / 4 * 3;
	tiles = malloc(*bytes);
	assert_non_null(tiles);
	for (size_t i = 0; i < length / 4; i++) {
		const uint8_t a = digit(text[4 * i]), b = digit(text[4 * i + 1]);
		const uint8_t c = digit(text[4 * i + 2]), d = digit(text[4 * i + 3]);

		tiles[3 * i] = (uint8_t)(a << 2 | b >> 4);
		tiles[3 * i + 1] = (uint8_t)(b << 4 | c >> 2);
		tiles[3 * i + 2] = (uint8_t)(c << 6 | d);
	}
	free(text);
	return tiles;
}

/* Rank 0 waits from 25 to 40 for rank 1, and leaves at 60; rank 1 leaves at 75. */
static void tiles_have_the_shares_of_waits_and_execution(void **state)
{
	static const uint8_t wanted[2][10][3] = {
		{{0}, {0}, {128}, {255}, {0, 255}, {0, 255}},
		{{0}, {0}, {0}, {0}, {0, 255}, {0, 255}, {0, 0, 255}, {0, 0, 128}},
	};
	struct made_run made;
	struct run_part part = {.from_ns = 20, .to_ns = 70};
	struct error err = {0};
	uint8_t *tiles;
	size_t bytes;

	(void)state;
	made_begin(&made, 2);
	made_call(&made, 0, "MPI_Allreduce", 25, 60, COLLECTIVE(COLL_ALLREDUCE, 0));
	made_plain(&made, 0, "MPI_Finalize", 100, 200);
	made_call(&made, 1, "MPI_Allreduce", 40, 75, COLLECTIVE(COLL_ALLREDUCE, 0));
	made_plain(&made, 1, "MPI_Finalize", 100, 200);
	made_end(&made);
	tiles = make_tiles(&made, &whole, 10, &bytes);
	assert_int_equal(bytes, sizeof wanted);
	for (size_t i = 0; i < bytes; i++)
		if (tiles[i] != ((const uint8_t *)wanted)[i])
			fail_msg("byte %zu is %u instead of %u", i, tiles[i],
				 ((const uint8_t *)wanted)[i]);
	free(tiles);
	/* Five of them of rank 1 alone. */
	MUST(run_part_parse_ranks(&part, "1", &err));
	tiles = make_tiles(&made, &part, 5, &bytes);
	assert_int_equal(bytes, 5 * sizeof wanted[1][0]);
	assert_memory_equal(tiles, wanted[1][2], bytes);
	free(tiles);
	run_part_release(&part);
	made_release(&made);
}

/* The sum over all tiles of a row is the time in MPI, whatever the number of tiles. */
static void calls_longer_than_tiles_and_shorter_ones_add_up(void **state)
{
	static const uint32_t counts[] = {1, 3, 7, 64, 1000};
	struct made_run made;

	(void)state;
	made_begin(&made, 1);
	for (uint64_t i = 0; i < 20; i++)
		made_plain(&made, 0, "MPI_Barrier", 1000 * i + 100, 1000 * i + 600);
	made_plain(&made, 0, "MPI_Finalize", 20000, 20100);
	made_end(&made);
	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
		size_t bytes, sum = 0;
		uint8_t *tiles = make_tiles(&made, &whole, counts[i], &bytes);

		for (size_t j = 0; j < bytes; j++)
			sum += tiles[j];
		/* Half of the time; each tile is rounded to 255ths. */
		assert_in_range(sum, 255 * counts[i] / 2 - counts[i] / 2 - 1,
				255 * counts[i] / 2 + counts[i] / 2 + 1);
		free(tiles);
	}
	made_release(&made);
}

static void all_rows_have_about_a_million_tiles(void **state)
{
	(void)state;
	assert_int_equal(view_tile_count(1024), 1024);
	assert_int_equal(view_tile_count(1), 8192);
	assert_int_equal(view_tile_count(1000000), 64);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bytes_are_base64),
		cmocka_unit_test(numbers_are_varints),
		cmocka_unit_test(tiles_have_the_shares_of_waits_and_execution),
		cmocka_unit_test(calls_longer_than_tiles_and_shorter_ones_add_up),
		cmocka_unit_test(all_rows_have_about_a_million_tiles),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
