/*
 * Preloaded into a traced program: after the archive is complete, the tracer's FAIL_AT-th allocation
 * on rank FAIL_RANK fails.  FAIL_DIRECTORY is the trace, FAIL_RANK_FROM names the variable with the
 * rank of the process.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int is_mine = -1;
static int count;

static int is_rank(void)
{
	const char *rank = getenv(getenv("FAIL_RANK_FROM"));

	return rank && strcmp(rank, getenv("FAIL_RANK")) == 0;
}

static int fails(void *caller)
{
	char anchor[4096];
	Dl_info info;

	if (is_mine < 0)
		is_mine = getenv("FAIL_AT") && is_rank();
	if (!is_mine || !dladdr(caller, &info) || !strstr(info.dli_fname, "libllamptrace"))
		return 0;
	snprintf(anchor, sizeof anchor, "%s/traces.otf2", getenv("FAIL_DIRECTORY"));
	return access(anchor, F_OK) == 0 && ++count == atoi(getenv("FAIL_AT"));
}

void *calloc(size_t items, size_t bytes)
{
	extern void *__libc_calloc(size_t, size_t);

	return fails(__builtin_return_address(0)) ? NULL : __libc_calloc(items, bytes);
}

void *malloc(size_t bytes)
{
	extern void *__libc_malloc(size_t);

	return fails(__builtin_return_address(0)) ? NULL : __libc_malloc(bytes);
}

void *realloc(void *old, size_t bytes)
{
	extern void *__libc_realloc(void *, size_t);

	return fails(__builtin_return_address(0)) ? NULL : __libc_realloc(old, bytes);
}
