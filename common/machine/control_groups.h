/*
 * The control groups (cgroups, version 1 or 2) of this process, by which batch systems and containers
 * limit memory and processor time.
 */
#ifndef COMMON_CONTROL_GROUPS_H
#define COMMON_CONTROL_GROUPS_H

#include <stdbool.h>

/* Take the folder of a group's files. */
typedef void control_group_seen(void *data, const char *folder, bool version_2);

/* Where the system describes the groups of this process, and where their folders are. */
#define OWN_CONTROL_GROUPS "/proc/self/cgroup"
#define CONTROL_GROUPS_ROOT "/sys/fs/cgroup"

/*
 * Call `seen` for each group in the file `groups` that limits `controller` ("memory", "cpu"), and for
 * the groups above it.  Groups of version 2 limit all.  Folders may be missing.
 */
void control_groups_visit(const char *groups, const char *root, const char *controller,
			  control_group_seen *seen, void *data);

#endif
