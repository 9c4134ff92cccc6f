/* Pseudonyms: the hash against its published values, keys, kinds. */
#include "test/unit/lib/scratch_folder.h"
#include "usage/publish/names.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

static struct error err;

static void the_hash_has_its_published_values(void **state)
{
	/* Key 00 01 ... 0f, texts 00 01 ...: of 15 bytes in the paper, of the others in its program. */
	static const struct {
		size_t count;
		uint64_t hash;
	} known[] = {
		{0, UINT64_C(0x726fdb47dd0e0e31)},
		{1, UINT64_C(0x74f839c593dc67fd)},
		{8, UINT64_C(0x93f5f5799a932462)},
		{15, UINT64_C(0xa129ca6149be45e5)},
	};
	const struct pseudonym_key key = {
		{UINT64_C(0x0706050403020100), UINT64_C(0x0f0e0d0c0b0a0908)}};
	uint8_t bytes[16];

	(void)state;
	for (uint8_t i = 0; i < sizeof bytes; i++)
		bytes[i] = i;
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		assert_true(pseudonym_hash(&key, bytes, known[i].count) == known[i].hash);
}

static void names_depend_on_key_kind_and_text(void **state)
{
	const struct pseudonym_key keys[] = {{{1, 2}}, {{1, 3}}};
	char names[5][PSEUDONYM_BYTES];

	(void)state;
	pseudonym(&keys[0], 'u', "ada", names[0]);
	pseudonym(&keys[0], 'u', "ada", names[1]);
	pseudonym(&keys[0], 'h', "ada", names[2]);
	pseudonym(&keys[1], 'u', "ada", names[3]);
	pseudonym(&keys[0], 'u', "bob", names[4]);
	assert_string_equal(names[0], names[1]);
	assert_int_equal(names[0][0], 'u');
	assert_int_equal(strlen(names[0]), PSEUDONYM_BYTES - 1);
	for (int i = 2; i < 5; i++)
		assert_string_not_equal(names[0] + 1, names[i] + 1);
}

static void write_key(const char *path, const char *text)
{
	FILE *const file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static void all_bytes_of_a_key_count(void **state)
{
	static const char *const texts[] = {"0123456789abcdef", "0123456789abcdefg",
					    "0123456789abcdeg"};
	struct pseudonym_key keys[3], random[2];
	char path[128];

	(void)state;
	snprintf(path, sizeof path, "%s/key", scratch);
	for (int i = 0; i < 3; i++) {
		write_key(path, texts[i]);
		assert_int_equal(pseudonym_key_read(&keys[i], path, &err), 0);
	}
	assert_memory_not_equal(&keys[0], &keys[1], sizeof *keys);
	assert_memory_not_equal(&keys[0], &keys[2], sizeof *keys);
	assert_true(keys[0].words[0] != keys[0].words[1]);
	write_key(path, "short");
	assert_int_equal(pseudonym_key_read(&keys[0], path, &err), -1);
	assert_non_null(strstr(err.text, "at least 16 bytes"));
	for (int i = 0; i < 2; i++)
		assert_int_equal(pseudonym_key_read(&random[i], NULL, &err), 0);
	assert_memory_not_equal(&random[0], &random[1], sizeof *random);
}

static void states_of_schedulers_stay_and_words_of_a_site_do_not(void **state)
{
	static const char *const stay[] = {"COMPLETED", "completed",	 "Finished", "F",
					   "DONE",	"OUT_OF_MEMORY", ""};
	static const char *const go[] = {"WENDY", "for mallory", "completed1"};
	const struct pseudonym_key key = {{1, 2}};
	char to[ANONYMOUS_BYTES], again[ANONYMOUS_BYTES];

	(void)state;
	for (size_t i = 0; i < sizeof stay / sizeof *stay; i++)
		assert_string_equal(anonymous_state(&key, stay[i], to), stay[i]);
	for (size_t i = 0; i < sizeof go / sizeof *go; i++) {
		assert_int_equal(strlen(anonymous_state(&key, go[i], to)), PSEUDONYM_BYTES - 1);
		assert_int_equal(to[0], 's');
		assert_string_equal(anonymous_state(&key, go[i], again), to);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_hash_has_its_published_values),
		cmocka_unit_test(names_depend_on_key_kind_and_text),
		cmocka_unit_test(all_bytes_of_a_key_count),
		cmocka_unit_test(states_of_schedulers_stay_and_words_of_a_site_do_not),
	};

	return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
