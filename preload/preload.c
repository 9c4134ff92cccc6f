#include "preload/preload.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define HIDDEN __attribute__((visibility("hidden")))

/*
 * Made by build-aux/stubs.sh: where the name of each function begins, in bytes from the table itself, and where each jump
 * leads, NULL if it has not been called.  Neither table has addresses to relocate in all processes of a site.
 */
extern const int preload_names[] HIDDEN;
extern void *preload_slots[] HIDDEN;

/* Called by the jumps. */
void *preload_resolve(unsigned number) HIDDEN;

preload_next_function *llamp_preload_next;
uint64_t llamp_preload_ns;
static pid_t own_process; /* that was loaded with this library */

/* An entry of launch/mpi_implementations.def. */
static const struct implementation {
	const char *key, *versions, *symbol;
} implementations[] = {
#define LAUNCHER(name)
#define TEST_SETTING(key, variable, value)
#define MPI(key, title, macro, versions, symbol, rank, size, local_size) {#key, versions, symbol},
#include "launch/mpi_implementations.def"
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool loaded;    /* the library for the program's MPI, or there is none for it */
static void *library;  /* that library, or NULL */
static void *late_mpi; /* MPI, if the program has loaded it where RTLD_NEXT does not look */

static void *next_function(const char *name)
{
	void *function = dlsym(RTLD_NEXT, name);

	return function || !late_mpi ? function : dlsym(late_mpi, name);
}

/* Whether a file is named libmpi*.so.VERSION with one of these versions. */
static bool is_mpi_file(const char *path, const char *versions)
{
	const char *name = strrchr(path, '/'), *suffix;
	char version[16];
	size_t length;

	name = name ? name + 1 : path;
	suffix = strstr(name, ".so.");
	if (strncmp(name, "libmpi", 6) != 0 || !suffix)
		return false;
	suffix += 4;
	length = strcspn(suffix, ".");
	if (length == 0 || length >= sizeof version - 2)
		return false;
	for (const char *known = versions; known;
	     known = strchr(known, ' '), known += known != NULL)
		if (strncmp(known, suffix, length) == 0 && strspn(known, "0123456789") == length)
			return true;
	return false;
}

static bool is_mpi(const char *path)
{
	for (size_t i = 0; i < sizeof implementations / sizeof *implementations; i++)
		if (is_mpi_file(path, implementations[i].versions))
			return true;
	return false;
}

/* Find MPI among the libraries that the program has loaded for itself. */
static int find_late_mpi(struct dl_phdr_info *info, size_t bytes, void *nothing)
{
	(void)bytes, (void)nothing;
	for (size_t i = 0; i < sizeof implementations / sizeof *implementations; i++) {
		void *handle;

		if (!is_mpi_file(info->dlpi_name, implementations[i].versions))
			continue;
		handle = dlopen(info->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
		if (handle && dlsym(handle, "PMPI_Init")) {
			late_mpi = handle;
			return 1;
		}
	}
	return 0;
}

/* MPI, which the program has: the first implementation whose symbol is there. */
static const char *mpi_key(void)
{
	const struct implementation *mpi = implementations;

	while (*mpi->symbol && !next_function(mpi->symbol))
		mpi++;
	return mpi->key;
}

/* Load DIRECTORY/NAME-KEY.so, where this library is DIRECTORY/NAME.so.  A site may have none for this MPI. */
static void load_library(void)
{
	static const char ending[] = ".so";
	Dl_info own;
	char path[4096];
	size_t length;

	if (!dladdr(preload_slots, &own))
		return;
	length = strlen(own.dli_fname);
	if (length < sizeof ending ||
	    strcmp(own.dli_fname + length - (sizeof ending - 1), ending) != 0)
		return;
	length -= sizeof ending - 1;
	if ((size_t)snprintf(path, sizeof path, "%.*s-%s.so", (int)length, own.dli_fname,
			     mpi_key()) >= sizeof path)
		return;
	llamp_preload_next = next_function;
	/* A copy made by fork is as old as its library. */
	if (getpid() != own_process)
		llamp_preload_ns = 0;
	library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	llamp_preload_next = NULL;
}

/* Whether MPI is there, and what its calls go to is known. */
static bool mpi_is_found(bool late)
{
	if (loaded)
		return true;
	if (!dlsym(RTLD_NEXT, "PMPI_Init")) {
		if (!late)
			return false;
		dl_iterate_phdr(find_late_mpi, NULL);
		if (!late_mpi)
			return false;
	}
	loaded = true;
	load_library();
	return true;
}

/* ------------------------------------------------ calls that lead nowhere */

/* What MPI_Initialized and MPI_Finalized say where there is no MPI. */
static int not_yet(int *flag)
{
	*flag = 0;
	return 0;
}

/* A function that the program's MPI lacks: MPI_ERR_OTHER of both implementations. */
static int missing(void)
{
	enum { ERROR_OPEN_MPI = 16, ERROR_MPICH = 15 };

	return loaded && strcmp(mpi_key(), "openmpi") == 0 ? ERROR_OPEN_MPI : ERROR_MPICH;
}

/*
 * The function MPI_X of a tool that the program is linked with, or that is preloaded behind this library.  The
 * tool goes on by PMPI_X, which is here again, and so both get the call.
 */
static void *function_of_tool(const char *name)
{
	char below[128];
	void *function = *name == 'P' ? NULL : next_function(name), *mpi;
	Dl_info tool, own;

	snprintf(below, sizeof below, "P%s", name);
	mpi = function ? next_function(below) : NULL;
	if (!mpi || function == mpi || !dladdr(function, &tool) || !dladdr(mpi, &own) ||
	    tool.dli_fbase == own.dli_fbase || is_mpi(tool.dli_fname))
		return NULL;
	return function;
}

static void *function_of(const char *name)
{
	void *function = library ? function_of_tool(name) : NULL;

	if (!function && library)
		function = dlsym(library, name);
	if (!function)
		function = next_function(name);
	return function;
}

/* Find where a jump leads: called by the jumps of preload_slots that are not set. */
void *preload_resolve(unsigned number)
{
	const char *name = (const char *)preload_names + preload_names[number];
	bool found;
	void *function;

	pthread_mutex_lock(&lock);
	found = mpi_is_found(true);
	pthread_mutex_unlock(&lock);
	function = found ? function_of(name) : NULL;
	if (function)
		__atomic_store_n(&preload_slots[number], function, __ATOMIC_RELEASE);
	else if (strcmp(name + (*name == 'P'), "MPI_Initialized") == 0 ||
		 strcmp(name + (*name == 'P'), "MPI_Finalized") == 0)
		function = (void *)not_yet;
	else
		function = (void *)missing;
	return function;
}

/* Load the library for the program's MPI, which may have work to do before the first call. */
__attribute__((constructor)) static void load(void)
{
	struct timespec now;

	own_process = getpid();
	clock_gettime(CLOCK_MONOTONIC, &now);
	llamp_preload_ns = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
	mpi_is_found(false);
}
