#define _GNU_SOURCE
/*
 * Simulation of a cluster's clocks on one computer, by LD_PRELOAD.  CLOCK_MONOTONIC of rank r is
 * r * 50 ms ahead and r * 20 ppm faster, and each rank's kernel has another number.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { OFFSET_NS = 50000000, DRIFT_PPM = 20 };

static int64_t own_rank(void)
{
	static int64_t rank = -1;

	if (rank < 0) {
		const char *text = getenv("PMI_RANK");

		text = text ? text : getenv("OMPI_COMM_WORLD_RANK");
		rank = text ? atoi(text) : 0;
	}
	return rank;
}

int open(const char *path, int flags, ...)
{
	va_list rest;
	mode_t mode;
	int file;

	va_start(rest, flags);
	mode = flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(rest, mode_t) : 0;
	va_end(rest);
	if (strcmp(path, "/proc/sys/kernel/random/boot_id") != 0)
		return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
	file = memfd_create("boot_id", 0);
	dprintf(file, "%d\n", (int)own_rank());
	lseek(file, 0, SEEK_SET);
	return file;
}

int clock_gettime(clockid_t clock, struct timespec *time)
{
	long result = syscall(SYS_clock_gettime, clock, time);
	int64_t ns;

	if (result == 0 && clock == CLOCK_MONOTONIC) {
		ns = time->tv_sec * INT64_C(1000000000) + time->tv_nsec;
		ns += own_rank() * (OFFSET_NS + ns / 1000000 * DRIFT_PPM);
		time->tv_sec = ns / 1000000000;
		time->tv_nsec = ns % 1000000000;
	}
	return (int)result;
}
