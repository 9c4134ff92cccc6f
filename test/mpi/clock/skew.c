/*
 * A cluster's clocks on one computer: preloaded, it makes CLOCK_MONOTONIC of
 * rank r go r * 50 ms fast and r * 20 ppm faster.
 */
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { OFFSET_NS = 50000000, DRIFT_PPM = 20 };

int clock_gettime(clockid_t clock, struct timespec *time)
{
	static int64_t rank = -1;
	long result = syscall(SYS_clock_gettime, clock, time);
	int64_t ns;

	if (result == 0 && clock == CLOCK_MONOTONIC) {
		if (rank < 0) {
			const char *text = getenv("PMI_RANK");

			text = text ? text : getenv("OMPI_COMM_WORLD_RANK");
			rank = text ? atoi(text) : 0;
		}
		ns = time->tv_sec * INT64_C(1000000000) + time->tv_nsec;
		ns += rank * (OFFSET_NS + ns / 1000000 * DRIFT_PPM);
		time->tv_sec = ns / 1000000000;
		time->tv_nsec = ns % 1000000000;
	}
	return (int)result;
}
