/*
 * Logs of jobs that ended without one: node files of dead processes become logs of their nodes.
 *
 * Several may collect at once, in any process: a file has one collector at a time, and is removed after its log
 * is there.  One that is stopped in between makes the same log again, under the same name.  If files of other
 * users are collected, a log that names its user names the owner of the node file, whatever that says.
 */
#ifndef USAGE_LOG_COLLECT_H
#define USAGE_LOG_COLLECT_H

#include "common/array.h"
#include "usage/log/job_log.h"

#include <stdbool.h>

/* What happened to a node file. */
struct collected {
	char *path;	  /* of the node file */
	char *log;	  /* name of the log in its directory; NULL: none */
	char *job, *step; /* or NULL */
	enum job_end end;
	uint32_t ranks, ranks_seen;
	bool in_use;   /* a process of the job lives, or somebody else collects it */
	char *problem; /* why there is no log; NULL: none */
};

struct collection {
	ARRAY(struct collected) files; /* by path */
	uint32_t logs, in_use, problems;
};

struct collect_options {
	const char *logs; /* directory of logs */
	bool own;	  /* only files of this user, whose logs name the user as the files do */
	bool same;	  /* only files of jobs whose logs go to this directory */
};

/*
 * Collect the node files in a directory, and add them to *collection, zeroed before the first.  Damaged files,
 * and logs that cannot be written, are problems of their files, which stay.  Fails only if the directory
 * cannot be read.
 */
int collect(struct collection *collection, const char *directory,
	    const struct collect_options *options, struct error *err);

/* The same for all that exist of a list of directories, with colons between them. */
int collect_list(struct collection *collection, const char *directories,
		 const struct collect_options *options, struct error *err);

void collection_release(struct collection *collection);

#endif
