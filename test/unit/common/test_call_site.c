/* Tests of call sites: their text, and the lines of source code that they are. */
#include "common/source/call_site.h"
#include "common/source/demangle.h"
#include "common/source/source_lines.h"

#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <link.h>

static void text_of_a_site_is_read(void **state)
{
	const struct call_site sites[] = {
		{.module = "/home/me/a.out", .offset = 0x12f4},
		{.module = "", .offset = UINT64_MAX},
		{.module = "a+0x1[ff]", .offset = 0, .build_id = {0x0a, 0xff}, .build_id_bytes = 2},
		{.module = "a\nb",
		 .offset = 1,
		 .build_id = {1},
		 .build_id_bytes = CALL_SITE_BUILD_ID},
	};
	char text[CALL_SITE_BYTES];

	(void)state;
	for (size_t i = 0; i < sizeof sites / sizeof *sites; i++) {
		struct call_site read;

		call_site_write(&sites[i], text);
		assert_true(call_site_read(&read, text));
		assert_string_equal(read.module, sites[i].module);
		assert_true(read.offset == sites[i].offset);
		assert_int_equal(read.build_id_bytes, sites[i].build_id_bytes);
		assert_memory_equal(read.build_id, sites[i].build_id, sizeof read.build_id);
	}
	call_site_write(&sites[2], text);
	assert_string_equal(text, "a+0x1[ff]+0x0[0aff]");
}

static void other_texts_are_no_sites(void **state)
{
	static const char *const texts[] = {
		"",	     "]",
		"[]",	     "a",
		"+",	     "a+0x",
		"a+0x[00]",  "a+0x12g",
		"a+12",	     "a+0x-1",
		"a+0x12[0]", "a+0x12[0g]",
		"a+0x12]",   "a+0x11112222333344445",
	};
	char *path = malloc(PATH_MAX + 8);
	struct call_site site;

	(void)state;
	assert_non_null(path);
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		if (call_site_read(&site, texts[i]))
			fail_msg("\"%s\" is a call site", texts[i]);
	memset(path, 'a', PATH_MAX);
	strcpy(path + PATH_MAX, "+0x1");
	assert_false(call_site_read(&site, path));
	free(path);
}

static uintptr_t __attribute__((noinline)) caller(void)
{
	return (uintptr_t)__builtin_return_address(0);
}

static int take_base(struct dl_phdr_info *info, size_t bytes, void *base)
{
	(void)bytes;
	*(uintptr_t *)base = info->dlpi_addr;
	return 1;
}

/* The site of an address in this program, in a file that is perhaps another one. */
static struct call_site site_at(uintptr_t address, const char *module)
{
	struct call_site site = {0};
	uintptr_t base;

	dl_iterate_phdr(take_base, &base);
	site.offset = address - base;
	snprintf(site.module, sizeof site.module, "%s", module);
	return site;
}

static const char *name_of(struct source_lines *lines, const struct call_site *site,
			   char text[static CALL_SITE_BYTES])
{
	const char *name;
	struct error err;

	call_site_write(site, text);
	if (source_lines_name(lines, text, &name, &err) < 0)
		fail_msg("%s", err.text);
	return name;
}

static void a_site_of_this_program_has_its_line(void **state)
{
	static char text[CALL_SITE_BYTES], again[CALL_SITE_BYTES];
	char expected[64], own[PATH_MAX];
	struct source_lines *lines;
	struct call_site site;
	uintptr_t address;
	struct error err;
	const char *name;

	(void)state;
	assert_int_equal(source_lines_open(&lines, &err), 0);
	assert_non_null(realpath("/proc/self/exe", own));
	address = caller();
	snprintf(expected, sizeof expected, "test_call_site.c:%d", __LINE__ - 1);
	site = site_at(address, own);
	name = name_of(lines, &site, text);
#ifdef WITH_DW
	assert_string_equal(call_site_short(name), expected);
	assert_int_equal(*name, '/');
	assert_null(source_lines_doubt(lines, 0));
	/* Another build of the file. */
	site.build_id_bytes = 2;
	name = name_of(lines, &site, again);
#endif
	snprintf(again, sizeof again, "%s(+0x%lx)", own, (unsigned long)site.offset);
	assert_string_equal(name, again);
	assert_non_null(strstr(source_lines_doubt(lines, 0), own));
	assert_null(source_lines_doubt(lines, 1));
	source_lines_close(lines);
}

static void sites_without_a_file_keep_module_and_offset(void **state)
{
	static const struct {
		const char *module, *name;
		bool doubt;
	} cases[] = {
		{"/no/such/file", "/no/such/file(+0x10)", true},
		{"/dev/zero", "/dev/zero(+0x10)", true},
		{"/etc/passwd", "/etc/passwd(+0x10)", true},
		{"/", "/(+0x10)", true},
		{"", "(+0x10)", false},
	};
	static char texts[5][CALL_SITE_BYTES];
	struct source_lines *lines;
	size_t doubts = 0;
	struct error err;

	(void)state;
	assert_int_equal(source_lines_open(&lines, &err), 0);
	for (size_t i = 0; i < 5; i++) {
		struct call_site site = {.offset = 0x10};

		strcpy(site.module, cases[i].module);
		assert_string_equal(name_of(lines, &site, texts[i]), cases[i].name);
		doubts += cases[i].doubt;
	}
	assert_non_null(source_lines_doubt(lines, doubts - 1));
	assert_null(source_lines_doubt(lines, doubts));
	source_lines_close(lines);
}

static void functions_of_cxx_have_their_names(void **state)
{
	static const struct {
		const char *symbol, *name;
	} cases[] = {
		{"_ZN2ns1fIiEEvT_", "void ns::f<int>(int)"},
		{"_ZZN12_GLOBAL__N_14swapEvENKUlvE_clEv", "(anonymous namespace)::swap()::{lambda()#1}::operator()() const"},
		{"_ZN3vecdvERKS_", "vec::operator/(vec const&)"},
		{"_ZN3vecdvEi.isra.0", "vec::operator/(int)"},
		{"main", NULL}, {"", NULL}, {"_Z", NULL}, {"_ZN2ns", NULL},
	};

	(void)state;
	if (!dlopen("libstdc++.so.6", RTLD_NOW))
		skip();
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char *name = demangle(cases[i].symbol);

		if (!cases[i].name)
			assert_null(name);
		else
			assert_string_equal(name, cases[i].name);
		free(name);
	}
}

static void narrow_columns_leave_out_folders(void **state)
{
	(void)state;
	assert_string_equal(call_site_short("/a/b.c:5"), "b.c:5");
	assert_string_equal(call_site_short("b.c:5"), "b.c:5");
	assert_string_equal(call_site_short("/a/prog(main+0x2d)"), "prog(main+0x2d)");
	assert_string_equal(call_site_short("/a (b)/prog(main+0x2d)"), "prog(main+0x2d)");
	assert_string_equal(call_site_short("/a/prog(vec::operator/(vec const&)+0x2d)"),
			    "prog(vec::operator/(vec const&)+0x2d)");
	assert_string_equal(call_site_short("/operator/prog(main+0x2d)"), "prog(main+0x2d)");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_of_a_site_is_read),
		cmocka_unit_test(other_texts_are_no_sites),
		cmocka_unit_test(a_site_of_this_program_has_its_line),
		cmocka_unit_test(sites_without_a_file_keep_module_and_offset),
		cmocka_unit_test(functions_of_cxx_have_their_names),
		cmocka_unit_test(narrow_columns_leave_out_folders),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
