#include "pmpi/library.h"

#include "common/error.h"
#include "launch/launcher.h"
#include "pmpi/sink.h"
#include "preload/preload.h"

#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEFINE(Name) __typeof__(library_##Name) library_##Name, next_##Name;
LIBRARY_FUNCTIONS(DEFINE)

/* Set if a library that fits all programs has loaded this one. */
static preload_next_function *preload_next;

/* Find the function of this name that comes after this library. */
static void *next_function(const char *name)
{
	return preload_next ? preload_next(name) : dlsym(RTLD_NEXT, name);
}

/* The MPI library, and where its file is in memory. */
struct mpi_library {
	void *handle; /* NULL: it is not known */
	uintptr_t begin, end;
};

static void library_extent(const struct dl_phdr_info *info, struct mpi_library *mpi)
{
	mpi->begin = mpi->end = info->dlpi_addr;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const uintptr_t end = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr +
				      info->dlpi_phdr[i].p_memsz;

		if (info->dlpi_phdr[i].p_type == PT_LOAD && end > mpi->end)
			mpi->end = end;
	}
}

/* Find the MPI library by its file: one that is named libmpi... and has PMPI_Init itself. */
static int find_mpi(struct dl_phdr_info *info, size_t bytes, void *found)
{
	const char *name = strrchr(info->dlpi_name, '/');
	struct mpi_library *mpi = found;
	void *handle, *function;
	Dl_info place;

	(void)bytes;
	name = name ? name + 1 : info->dlpi_name;
	if (strncmp(name, "libmpi", 6) != 0)
		return 0;
	handle = dlopen(info->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
	function = handle ? dlsym(handle, "PMPI_Init") : NULL;
	if (function && dladdr(function, &place) && (uintptr_t)place.dli_fbase == info->dlpi_addr) {
		mpi->handle = handle;
		library_extent(info, mpi);
		return 1;
	}
	if (handle)
		dlclose(handle);
	return 0;
}

/*
 * The function of the MPI library, or the next one if that is not known.  Mostly the next one is of the MPI
 * library itself: looking it up once more would take as long as all else when a program starts.
 */
static void *own_function(const struct mpi_library *mpi, void *next, const char *name)
{
	if (!mpi->handle || ((uintptr_t)next >= mpi->begin && (uintptr_t)next < mpi->end))
		return next;
	return dlsym(mpi->handle, name);
}

void library_find(void)
{
	preload_next_function **next;
	struct mpi_library mpi = {0};

	*(void **)&next = dlsym(RTLD_DEFAULT, PRELOAD_NEXT);
	preload_next = next ? *next : NULL;
	dl_iterate_phdr(find_mpi, &mpi);
	/* Keep NULL for a function that the library lacks.  The program cannot call it. */
#define FIND(Name)                                             \
	*(void **)&next_##Name = next_function("PMPI_" #Name); \
	*(void **)&library_##Name = own_function(&mpi, *(void **)&next_##Name, "PMPI_" #Name);
	LIBRARY_FUNCTIONS(FIND)
	if (mpi.handle)
		dlclose(mpi.handle);
	launcher_note(LIBRARY_MPI);
}

const char *library_other_tool(void)
{
	static const char *const names[] = {"PMPI_Init", "PMPI_Init_thread", "PMPI_Finalize"};
	Dl_info mpi, tool;

	if (preload_next)
		return NULL;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		void *called = next_function(names[i]), *next = next_function(names[i] + 1);

		if (called && next && dladdr(called, &mpi) && dladdr(next, &tool) &&
		    tool.dli_fbase != mpi.dli_fbase)
			return tool.dli_fname;
	}
	return NULL;
}

/* File of a function, unless it is of this library, of one that leads here, or of MPI. */
static const char *foreign_file(const void *function)
{
	const void *const known[] = {(const void *)library_find, (const void *)preload_next,
				     *(const void **)&library_Init};
	Dl_info of, other;

	if (!function || !dladdr(function, &of))
		return NULL;
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (known[i] && dladdr(known[i], &other) && other.dli_fbase == of.dli_fbase)
			return NULL;
	return of.dli_fname;
}

const char *library_first_tool(void)
{
	static const char *const names[] = {"MPI_Init", "MPI_Init_thread"};
	const char *tool = NULL;

	for (size_t i = 0; i < sizeof names / sizeof *names && !tool; i++) {
		tool = foreign_file(dlsym(RTLD_DEFAULT, names[i]));
		if (!tool)
			tool = foreign_file(next_function(names[i]));
	}
	return tool;
}

/* Find the MPI of the library that has MPI_Init: dependencies of this library may bring another one. */
static const struct mpi_implementation *mpi_of_file(const char *path)
{
	void *handle = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
	const struct mpi_implementation *mpi = launcher_mpi_of_library(handle);

	if (handle)
		dlclose(handle);
	return mpi;
}

void library_must_fit(void)
{
	const struct mpi_implementation *found;
	Dl_info mpi, own;

	if (!dladdr(*(void **)&library_Init, &mpi) || !dladdr(&library_Init, &own))
		return;
	found = mpi_of_file(mpi.dli_fname);
	if (found == launcher_own_mpi())
		return;
	fprintf(stderr, "%s: %s was built for %s, but the program uses %s (%s)\n", sink.name,
		own.dli_fname, launcher_own_mpi()->title, found->title, mpi.dli_fname);
	exit(STATUS_LIMIT);
}
