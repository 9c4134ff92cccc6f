/*
 * Names of people, programs and places, and what stands for them in logs, records and tables that are published.
 *
 *	u	user		h	host, and what has an "@"	b	build id
 *	a	project		d	domain of science		j	id of a job that is no number
 *	p	program		f	folder of a program, or of logs
 *	s	state of a job that no scheduler has
 */
#ifndef USAGE_PUBLISH_NAMES_H
#define USAGE_PUBLISH_NAMES_H

#include "usage/publish/pseudonym.h"

enum { ANONYMOUS_BYTES = 2 * PSEUDONYM_BYTES + 2 };

/* Name for one of the kind; "" for "".  Returns `to`. */
const char *anonymous_name(const struct pseudonym_key *key, char kind, const char *name,
			   char to[static ANONYMOUS_BYTES]);

/* "/FOLDER/NAME" for a path, "NAME" for a name: runs of one executable still have one name.  Returns `to`. */
const char *anonymous_program(const struct pseudonym_key *key, const char *program,
			      char to[static ANONYMOUS_BYTES]);

/*
 * Id of a job or step.  Digits and "_" stay.  Others may name a host, as PBS's do: the name is that of the id as
 * names of logs have it (usage/log/job_log.h).  Returns `to`.
 */
const char *anonymous_id(const struct pseudonym_key *key, const char *id,
			 char to[static ANONYMOUS_BYTES]);

/*
 * State of a job.  Those of Slurm, PBS, LSF and Grid Engine stay, in any case of letters.  Others are words of the site,
 * and may name somebody.  Returns `to`.
 */
const char *anonymous_state(const struct pseudonym_key *key, const char *state,
			    char to[static ANONYMOUS_BYTES]);

#endif
