/* Logs without names of people, programs and hosts, for publication. */
#ifndef USAGE_INDEX_ANONYMISE_H
#define USAGE_INDEX_ANONYMISE_H

#include "usage/index/bad_logs.h"
#include "usage/index/pseudonym.h"
#include "usage/log/job_log.h"

/*
 * Replace the user, the hosts, and of the program the folder and the name, each by a pseudonym, so
 * that runs of one executable still have one name.  The build id and the hash of the arguments, by
 * which a program can be guessed, become hashes; the reason, a text for people, is left out.
 */
int job_log_anonymise(struct job_log *log, const struct pseudonym_key *key, struct error *err);

/*
 * Write the logs of a folder anonymised to a new one, in the same folders and under the same
 * names: all of them, or no folder.  Logs that cannot be read are added to `bad` and left out. 
 * written: number of logs.
 */
int anonymise_logs(const char *from, const char *to, const struct pseudonym_key *key,
		   struct bad_logs *bad, uint64_t *written, struct error *err);

#endif
