#include "usage/publish/names.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

const char *anonymous_name(const struct pseudonym_key *key, char kind, const char *name,
			   char to[static ANONYMOUS_BYTES])
{
	*to = '\0';
	if (*name)
		pseudonym(key, kind, name, to);
	return to;
}

const char *anonymous_program(const struct pseudonym_key *key, const char *program,
			      char to[static ANONYMOUS_BYTES])
{
	const char *const slash = strrchr(program, '/');
	char folder[4096], of_folder[PSEUDONYM_BYTES], name[PSEUDONYM_BYTES];

	if (!slash)
		return anonymous_name(key, 'p', program, to);
	snprintf(folder, sizeof folder, "%.*s", (int)(slash - program), program);
	pseudonym(key, 'f', folder, of_folder);
	pseudonym(key, 'p', slash + 1, name);
	snprintf(to, ANONYMOUS_BYTES, "/%s/%s", of_folder, name);
	return to;
}

const char *anonymous_id(const struct pseudonym_key *key, const char *id,
			 char to[static ANONYMOUS_BYTES])
{
	enum { ID_BYTES = 48 };
	char clean[ID_BYTES];
	size_t count;

	if (strcmp(id, "nojob") == 0 || strcmp(id, "unknown") == 0 ||
	    (strlen(id) < ANONYMOUS_BYTES && id[strspn(id, "0123456789_")] == '\0')) {
		snprintf(to, ANONYMOUS_BYTES, "%s", id);
		return to;
	}
	for (count = 0; id[count] && count < ID_BYTES - 1; count++)
		clean[count] = isalnum((unsigned char)id[count]) ? id[count] : '_';
	clean[count] = '\0';
	return anonymous_name(key, 'j', clean, to);
}
