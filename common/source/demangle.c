#include "common/source/demangle.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>

/* Longer ones are not for people. */
enum { MOST_BYTES = 4096 };

typedef char *cxa_demangle(const char *symbol, char *room, size_t *bytes, int *status);

static cxa_demangle *library;

static void open_library(void)
{
	static const char *const names[] = {"libstdc++.so.6", "libc++abi.so.1"};

	for (size_t i = 0; !library && i < sizeof names / sizeof *names; i++) {
		void *opened = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);

		if (opened)
			*(void **)&library = dlsym(opened, "__cxa_demangle");
	}
}

/* Leave out " [clone .isra.0]": the compiler has several of one function. */
static char *without_clones(char *name)
{
	char *clone = name ? strstr(name, " [clone ") : NULL;

	if (clone)
		*clone = '\0';
	return name;
}

char *demangle(const char *symbol)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	int status;

	if (strncmp(symbol, "_Z", 2) != 0 || strnlen(symbol, MOST_BYTES) == MOST_BYTES)
		return NULL;
	pthread_once(&once, open_library);
	return library ? without_clones(library(symbol, NULL, NULL, &status)) : NULL;
}
