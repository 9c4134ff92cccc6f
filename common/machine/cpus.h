/*
 * The CPUs that a process may use, hardware threads counted as CPUs, as Linux does.
 *
 * As text they are a list of Linux, "0-3,8", followed by "/1.5" if control groups (cgroups) limit the
 * process to the time of 1.5 CPUs.
 */
#ifndef COMMON_CPUS_H
#define COMMON_CPUS_H

#include <stdbool.h>
#include <stdint.h>

/* Bytes of the text with its final zero. */
enum { CPUS_TEXT_BYTES = 2048 };

/* Write the CPUs of the calling thread; "" if they are not known, or too many for the text. */
void cpus_own(char text[static CPUS_TEXT_BYTES]);

/* Linux has no more. */
enum { CPUS_MOST = 8192 };

/* CPUs that some processes may use.  Zero bytes are the empty set. */
struct cpus {
	uint64_t bits[CPUS_MOST / 64];
	double limit; /* the greatest of all processes; 0: at least one process has none */
	bool any;
};

/* Add the CPUs of a process.  False if the text is not as above. */
bool cpus_add(struct cpus *cpus, const char *text);

/* Number of CPUs, or the limit if that is less. */
double cpus_count(const struct cpus *cpus);

/*
 * Find the least limit, in CPUs, of the control groups in the file `groups` below `root`
 * (common/machine/control_groups.h).  Returns 0 if there is none.
 */
double cpus_limit(const char *groups, const char *root);

#endif
