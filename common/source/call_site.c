#include "common/source/call_site.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char digits[] = "0123456789abcdef";

void call_site_write(const struct call_site *site, char text[static CALL_SITE_BYTES])
{
	int at = snprintf(text, CALL_SITE_BYTES, "%s+0x%" PRIx64, site->module, site->offset);

	if (!site->build_id_bytes)
		return;
	text[at++] = '[';
	for (size_t i = 0; i < site->build_id_bytes; i++) {
		text[at++] = digits[site->build_id[i] >> 4];
		text[at++] = digits[site->build_id[i] & 15];
	}
	strcpy(text + at, "]");
}

/* Read the build id that ends the text, and shorten *length to what is before it. */
static bool read_build_id(struct call_site *site, const char *text, size_t *length)
{
	const char *open, *digit;
	size_t count;

	if (!*length || text[*length - 1] != ']')
		return true;
	open = memrchr(text, '[', *length);
	count = open ? (size_t)(text + *length - 1 - (open + 1)) : 0;
	if (!open || count % 2 || count > 2 * sizeof site->build_id)
		return false;
	for (size_t i = 0; i < count; i++) {
		digit = strchr(digits, open[1 + i]);
		if (!digit || !*digit)
			return false;
		site->build_id[i / 2] = (unsigned char)(site->build_id[i / 2] << 4 |
							(digit - digits));
	}
	site->build_id_bytes = count / 2;
	*length = (size_t)(open - text);
	return true;
}

bool call_site_read(struct call_site *site, const char *text)
{
	size_t length = strlen(text);
	const char *plus;
	size_t count;

	*site = (struct call_site){0};
	if (!read_build_id(site, text, &length))
		return false;
	plus = memrchr(text, '+', length);
	if (!plus || strncmp(plus, "+0x", 3) != 0 || (size_t)(plus - text) >= sizeof site->module)
		return false;
	count = strspn(plus + 3, digits);
	site->offset = strtoull(plus + 3, NULL, 16);
	memcpy(site->module, text, (size_t)(plus - text));
	return count && count <= 16 && plus + 3 + count == text + length;
}

int call_site_place(const char *text, char **name, struct error *err)
{
	struct call_site site;
	int made;

	made = call_site_read(&site, text)
		       ? asprintf(name, "%s(+0x%" PRIx64 ")", site.module, site.offset)
		       : asprintf(name, "%s", text);
	if (made >= 0)
		return 0;
	*name = NULL;
	return error_set_memory(err, strlen(text));
}

const char *call_site_short(const char *name)
{
	/* A function may be operator/. */
	const char *function = strchr(name, '('), *division = strstr(name, "operator/");
	const char *slash = memrchr(name, '/', function && function < division
						       ? (size_t)(division - name) : strlen(name));

	return slash ? slash + 1 : name;
}

bool call_site_is(const char *written, const char *text, const char *name)
{
	return !strcmp(written, text) || !strcmp(written, name) ||
	       !strcmp(written, call_site_short(name));
}
