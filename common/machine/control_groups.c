#include "common/machine/control_groups.h"

#include <stdio.h>
#include <string.h>

/* Whether a list with commas has this word. */
static bool lists(const char *words, const char *word)
{
	const size_t length = strlen(word);

	for (; *words; words += strcspn(words, ","), words += *words == ',')
		if (strcspn(words, ",") == length && !strncmp(words, word, length))
			return true;
	return false;
}

/* Visit a group and those above it, up to `top`. */
static void visit_up(const char *top, const char *group, bool version_2, control_group_seen *seen,
		     void *data)
{
	const size_t top_bytes = strlen(top);
	char folder[4400];

	if (snprintf(folder, sizeof folder, "%s%s", top, group) >= (int)sizeof folder)
		return;
	for (;;) {
		char *slash = strrchr(folder, '/');

		seen(data, folder, version_2);
		if (!slash || slash < folder + top_bytes)
			return;
		*slash = '\0';
	}
}

/* Lines are "0::GROUP" (version 2) and "N:CONTROLLERS:GROUP" (version 1). */
void control_groups_visit(const char *groups, const char *root, const char *controller,
			  control_group_seen *seen, void *data)
{
	FILE *file = fopen(groups, "re");
	char line[4096 + 64], top[256];

	if (!file)
		return;
	while (fgets(line, sizeof line, file)) {
		char *controllers = strchr(line, ':');
		char *group = controllers ? strchr(controllers + 1, ':') : NULL;

		if (!group)
			continue;
		controllers++;
		*group++ = '\0';
		group[strcspn(group, "\n")] = '\0';
		if (*controllers && !lists(controllers, controller))
			continue;
		snprintf(top, sizeof top, "%s%s%s", root, *controllers ? "/" : "",
			 *controllers ? controller : "");
		visit_up(top, group, !*controllers, seen, data);
	}
	fclose(file);
}
