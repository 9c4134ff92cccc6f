#include "common/source/loaded_module.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* An address, and the site that it becomes. */
struct search {
	uintptr_t address;
	struct call_site *site;
};

static bool holds(const struct dl_phdr_info *info, uintptr_t address)
{
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &info->dlpi_phdr[i];

		if (part->p_type == PT_LOAD &&
		    address - info->dlpi_addr - part->p_vaddr < part->p_memsz)
			return true;
	}
	return false;
}

/* Find the build id among the notes of a segment. */
static void read_notes(struct call_site *site, const char *at, size_t bytes)
{
	const char *const end = at + bytes;
	ElfW(Nhdr) note;

	while ((size_t)(end - at) >= sizeof note) {
		size_t name, content;

		memcpy(&note, at, sizeof note);
		at += sizeof note;
		name = (note.n_namesz + (size_t)3) & ~(size_t)3;
		content = (note.n_descsz + (size_t)3) & ~(size_t)3;
		if (name > (size_t)(end - at) || content > (size_t)(end - at) - name)
			return;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && !memcmp(at, "GNU", 4) &&
		    note.n_descsz <= sizeof site->build_id) {
			site->build_id_bytes = note.n_descsz;
			memcpy(site->build_id, at + name, note.n_descsz);
			return;
		}
		at += name + content;
	}
}

/* End the path, without what the kernel appends to that of a file which was removed since. */
static void end_module(char *path, size_t length)
{
	static const char removed[] = " (deleted)";
	const size_t more = sizeof removed - 1;

	path[length] = 0;
	if (length > more && !strcmp(path + length - more, removed))
		path[length - more] = 0;
}

/*
 * Name the module absolutely if possible: the program may have been started in another folder.  The
 * kernel does it, as realpath takes kilobytes of the stack.
 */
static void name_module(struct call_site *site, const char *name)
{
	enum { ROOM = sizeof site->module - 1 };
	char link[32] = "/proc/self/exe";
	ssize_t length;
	int file = -1;

	/* The first module, the program, has no name; that of the kernel's functions is no file. */
	if (*name) {
		file = open(name, O_PATH | O_CLOEXEC);
		snprintf(link, sizeof link, "/proc/self/fd/%d", file);
	}
	length = readlink(link, site->module, ROOM);
	if (file >= 0)
		close(file);
	if (length > 0)
		end_module(site->module, (size_t)length);
	else
		snprintf(site->module, sizeof site->module, "%s", name);
}

static int look_at_module(struct dl_phdr_info *info, size_t bytes, void *data)
{
	struct search *search = data;
	struct call_site *site = search->site;

	(void)bytes;
	if (!holds(info, search->address))
		return 0;
	site->offset = search->address - info->dlpi_addr;
	name_module(site, info->dlpi_name);
	for (int i = 0; i < info->dlpi_phnum && !site->build_id_bytes; i++) {
		const ElfW(Phdr) *part = &info->dlpi_phdr[i];

		if (part->p_type == PT_NOTE)
			read_notes(site, (const char *)(info->dlpi_addr + part->p_vaddr),
				   part->p_memsz);
	}
	return 1;
}

void loaded_module_find(struct call_site *site, uintptr_t address)
{
	struct search search = {address, site};

	memset(site, 0, sizeof *site);
	site->offset = address;
	dl_iterate_phdr(look_at_module, &search);
}
