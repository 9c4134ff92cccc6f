/*
 * Call sites as text: "MODULE+0xOFFSET[BUILD-ID]", as in
 * "/home/me/halo+0x12f4[8a41bb3e...]".
 *
 * MODULE is the path of the program or library, empty if the address is in none.  OFFSET is the
 * return address of the call, as an address of the ELF file: it does not depend on where the module
 * was loaded.  BUILD-ID, in hexadecimal digits, identifies the contents of the file; it is left out
 * with its brackets if the file has none.
 */
#ifndef COMMON_CALL_SITE_H
#define COMMON_CALL_SITE_H

#include "common/error.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Most bytes of a build id; it has 20 in most files. */
enum { CALL_SITE_BUILD_ID = 64 };

/* Room for the text. */
enum { CALL_SITE_BYTES = PATH_MAX + 2 * CALL_SITE_BUILD_ID + 24 };

struct call_site {
	char module[PATH_MAX];
	uint64_t offset;
	unsigned char build_id[CALL_SITE_BUILD_ID];
	size_t build_id_bytes;
};

void call_site_write(const struct call_site *site, char text[static CALL_SITE_BYTES]);

/* Read a text.  False if it is none of a call site. */
bool call_site_read(struct call_site *site, const char *text);

/*
 * Name a site by the place in its file, "/home/me/halo(+0x12f4)".  A text that is no call site is its own
 * name.  *name is to be freed.
 */
int call_site_place(const char *text, char **name, struct error *err);

/*
 * Whether a site that a user wrote is the one with this text and this name (common/source/source_lines.h): it is
 * its text, its name, or its name without folders.
 */
bool call_site_is(const char *written, const char *text, const char *name);

/* Part of a name (common/source/source_lines.h) for narrow columns: without folders. */
const char *call_site_short(const char *name);

#endif
