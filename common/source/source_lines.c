#include "common/source/source_lines.h"

#include "common/array.h"
#include "common/output.h"
#include "common/source/demangle.h"
#include "common/string_map.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#ifdef WITH_DW
#include <elfutils/libdwfl.h>
#else
typedef struct Dwfl Dwfl;
typedef struct Dwfl_Module Dwfl_Module;
#endif

/* A program or library, one for each path and build id. */
struct module {
	struct call_site site; /* the first in it */
	Dwfl *dwfl;	       /* NULL: it gives no lines */
	Dwfl_Module *file;
	char *doubt; /* why, or NULL */
};

struct source_lines {
	ARRAY(struct module) modules;
	ARRAY(char *) names;
	struct string_map numbers; /* of names, by site */
	ARRAY(size_t) doubts;	   /* modules that have one */
};

int source_lines_open(struct source_lines **lines, struct error *err)
{
	return allocate(lines, 1, sizeof **lines, err);
}

const char *source_lines_doubt(const struct source_lines *lines, size_t number)
{
	return number < lines->doubts.count
		       ? lines->modules.items[lines->doubts.items[number]].doubt
		       : NULL;
}

/* --------------------------------------------------------------------- modules */

static int doubt(struct source_lines *lines, const char *why, struct error *err)
{
	const size_t number = lines->modules.count - 1;
	struct module *module = &lines->modules.items[number];

	if (asprintf(&module->doubt, "%s: %s: its call sites have no lines", module->site.module,
		     why) < 0) {
		module->doubt = NULL;
		return error_set_memory(err, strlen(module->site.module));
	}
	return array_push(&lines->doubts, number, err);
}

#ifdef WITH_DW

static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_build_id_find_elf,
	.find_debuginfo = dwfl_standard_find_debuginfo,
	.section_address = dwfl_offline_section_address,
};

static int read_file(struct source_lines *lines, struct module *module, struct error *err)
{
	const unsigned char *build_id;
	GElf_Addr place;
	int bytes;

	module->dwfl = dwfl_begin(&callbacks);
	if (!module->dwfl)
		return error_set_memory(err, sizeof *module);
	dwfl_report_begin(module->dwfl);
	module->file = dwfl_report_offline(module->dwfl, "", module->site.module, -1);
	dwfl_report_end(module->dwfl, NULL, NULL);
	if (!module->file)
		return doubt(lines, "is not a program or library", err);
	bytes = dwfl_module_build_id(module->file, &build_id, &place);
	if (module->site.build_id_bytes &&
	    ((size_t)(bytes > 0 ? bytes : 0) != module->site.build_id_bytes ||
	     memcmp(build_id, module->site.build_id, (size_t)bytes) != 0)) {
		module->file = NULL;
		return doubt(lines, "is not the file that was traced (its build id differs)", err);
	}
	return 0;
}

static bool name_function(const struct call_site *site, const char *function, GElf_Addr place,
			  char **name)
{
	char *readable = demangle(function);
	const int bytes = asprintf(name, "%s(%s+0x%" PRIx64 ")", site->module,
				   readable ? readable : function, (uint64_t)place);

	free(readable);
	return bytes >= 0;
}

/* Find the line of a site, or its function.  True if one is known. */
static bool look_up(const struct module *module, const struct call_site *site, char **name)
{
	const char *file, *folder = NULL, *function;
	GElf_Addr bias = 0, address;
	Dwfl_Line *line;
	int number;

	dwfl_module_getelf(module->file, &bias);
	/* The call ends before its return address, which may belong to another line. */
	address = site->offset + bias - 1;
	line = dwfl_module_getsrc(module->file, address);
	file = line ? dwfl_lineinfo(line, NULL, &number, NULL, NULL, NULL) : NULL;
	if (file && number > 0) {
		if (*file != '/')
			folder = dwfl_line_comp_dir(line);
		return asprintf(name, "%s%s%s:%d", folder ? folder : "", folder ? "/" : "", file,
				number) >= 0;
	}
	function = dwfl_module_addrinfo(module->file, address, &address, &(GElf_Sym){0}, NULL, NULL,
					NULL);
	return function && name_function(site, function, address + 1, name);
}

static void close_file(struct module *module)
{
	if (module->dwfl)
		dwfl_end(module->dwfl);
}

#else

static int read_file(struct source_lines *lines, struct module *module, struct error *err)
{
	(void)module;
	return doubt(lines, "not read, as this program was built without libdw", err);
}

static bool look_up(const struct module *module, const struct call_site *site, char **name)
{
	(void)module, (void)site, (void)name;
	return false;
}

static void close_file(struct module *module)
{
	(void)module;
}

#endif

static bool same_module(const struct call_site *a, const struct call_site *b)
{
	return !strcmp(a->module, b->module) && a->build_id_bytes == b->build_id_bytes &&
	       !memcmp(a->build_id, b->build_id, a->build_id_bytes);
}

/* Find or open the module of a site. */
static int find_module(struct source_lines *lines, const struct call_site *site, size_t *number,
		       struct error *err)
{
	struct stat status;

	for (*number = 0; *number < lines->modules.count; ++*number)
		if (same_module(&lines->modules.items[*number].site, site))
			return 0;
	TRY(array_push(&lines->modules, (struct module){.site = *site}, err));
	if (!*site->module)
		return 0;
	/* Only regular files: a damaged trace may name anything. */
	if (stat(site->module, &status) < 0)
		return doubt(lines, strerror(errno), err);
	if (!S_ISREG(status.st_mode))
		return doubt(lines, "not a file", err);
	TRY(output_note_input(site->module, err));
	return read_file(lines, &lines->modules.items[*number], err);
}

/* ----------------------------------------------------------------------- names */

static int make_name(struct source_lines *lines, const char *text, char **name, struct error *err)
{
	struct call_site site;
	size_t number;

	if (!call_site_read(&site, text))
		return call_site_place(text, name, err);
	TRY(find_module(lines, &site, &number, err));
	if (lines->modules.items[number].file &&
	    look_up(&lines->modules.items[number], &site, name))
		return 0;
	return call_site_place(text, name, err);
}

int source_lines_name(struct source_lines *lines, const char *text, const char **name,
		      struct error *err)
{
	const uint32_t bytes = (uint32_t)strlen(text);
	uint32_t number = string_map_get(&lines->numbers, text, bytes);
	char *made;

	if (number != STRING_MAP_EMPTY) {
		*name = lines->names.items[number];
		return 0;
	}
	TRY(make_name(lines, text, &made, err));
	number = (uint32_t)lines->names.count;
	if (array_push(&lines->names, made, err) < 0) {
		free(made);
		return -1;
	}
	*name = made;
	return string_map_add(&lines->numbers, text, bytes, number, err);
}

void source_lines_close(struct source_lines *lines)
{
	if (!lines)
		return;
	for (size_t i = 0; i < lines->modules.count; i++) {
		close_file(&lines->modules.items[i]);
		free(lines->modules.items[i].doubt);
	}
	for (size_t i = 0; i < lines->names.count; i++)
		free(lines->names.items[i]);
	array_release(&lines->modules);
	array_release(&lines->names);
	array_release(&lines->doubts);
	string_map_release(&lines->numbers);
	free(lines);
}
