/* Logs, records of the scheduler and tables of a site without names of people, programs and places, for publication. */
#ifndef USAGE_PUBLISH_ANONYMISE_H
#define USAGE_PUBLISH_ANONYMISE_H

#include "usage/log/job_log.h"
#include "usage/publish/pseudonym.h"
#include "usage/publish/tables.h"

/*
 * Replace what names somebody or something by names of usage/publish/names.h: user, hosts, folder and name
 * of the program, ids that are no numbers, who built the MPI library.  The build id and the hash of the arguments,
 * by which a program can be guessed, become hashes; the reason, a text for people, is left out.
 */
int job_log_anonymise(struct job_log *log, const struct pseudonym_key *key, struct error *err);

/*
 * Write the logs of a folder, and what else is given, anonymised to a new folder: all, or no folder.  Folders
 * of days (YYYY/MM/DD) and names of files that the profiler gave stay; other folders and files get names.
 * What cannot be read of logs and records is added to `done->bad` and left out; of a table it is an error.  The
 * caller releases done->bad, also after an error.
 */
int anonymise(const struct anonymise_from *from, const char *to, const struct pseudonym_key *key,
	      struct anonymised *done, struct error *err);

#endif
