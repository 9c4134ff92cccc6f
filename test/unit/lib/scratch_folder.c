#include "test/unit/lib/scratch_folder.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

char scratch[64];

int scratch_make(void **state)
{
	(void)state;
	strcpy(scratch, "/tmp/test-goal-XXXXXX");
	return mkdtemp(scratch) ? 0 : -1;
}

int scratch_empty(void)
{
	DIR *directory = opendir(scratch);
	struct dirent *entry;
	int files = 0;

	assert_non_null(directory);
	while ((entry = readdir(directory)) != NULL) {
		char path[512];

		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		snprintf(path, sizeof path, "%s/%s", scratch, entry->d_name);
		assert_int_equal(unlink(path), 0);
		files++;
	}
	closedir(directory);
	return files;
}

int scratch_remove(void **state)
{
	(void)state;
	scratch_empty();
	return rmdir(scratch);
}

char scratch_path[64];

int scratch_file_make(void **state)
{
	int file;

	(void)state;
	strcpy(scratch_path, "/tmp/test-file-XXXXXX");
	file = mkstemp(scratch_path);
	return file < 0 ? -1 : close(file);
}

int scratch_file_remove(void **state)
{
	(void)state;
	return unlink(scratch_path);
}
