#include "usage/publish/names.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

const char *anonymous_name(const struct pseudonym_key *key, char kind, const char *name,
			   char to[static ANONYMOUS_BYTES])
{
	*to = '\0';
	if (*name)
		pseudonym(key, kind, name, to);
	return to;
}

const char *anonymous_program(const struct pseudonym_key *key, const char *program,
			      char to[static ANONYMOUS_BYTES])
{
	const char *const slash = strrchr(program, '/');
	char folder[4096], of_folder[PSEUDONYM_BYTES], name[PSEUDONYM_BYTES];

	if (!slash)
		return anonymous_name(key, 'p', program, to);
	snprintf(folder, sizeof folder, "%.*s", (int)(slash - program), program);
	pseudonym(key, 'f', folder, of_folder);
	pseudonym(key, 'p', slash + 1, name);
	snprintf(to, ANONYMOUS_BYTES, "/%s/%s", of_folder, name);
	return to;
}

const char *anonymous_id(const struct pseudonym_key *key, const char *id,
			 char to[static ANONYMOUS_BYTES])
{
	enum { ID_BYTES = 48 };
	char clean[ID_BYTES];
	size_t count;

	if (strcmp(id, "nojob") == 0 || strcmp(id, "unknown") == 0 ||
	    (strlen(id) < ANONYMOUS_BYTES && id[strspn(id, "0123456789_")] == '\0')) {
		snprintf(to, ANONYMOUS_BYTES, "%s", id);
		return to;
	}
	for (count = 0; id[count] && count < ID_BYTES - 1; count++)
		clean[count] = isalnum((unsigned char)id[count]) ? id[count] : '_';
	clean[count] = '\0';
	return anonymous_name(key, 'j', clean, to);
}

/* All of these are shorter than ANONYMOUS_BYTES. */
static bool is_state(const char *state)
{
	static const char *const states[] = {
		/* Slurm, in full and as squeue shortens them */
		"BOOT_FAIL", "CANCELLED", "COMPLETED", "COMPLETING", "CONFIGURING", "DEADLINE",
		"FAILED", "LAUNCH_FAILED", "NODE_FAIL", "OUT_OF_MEMORY", "PENDING", "POWER_UP_NODE",
		"PREEMPTED", "RECONFIG_FAIL", "REQUEUED", "REQUEUE_FED", "REQUEUE_HOLD", "RESIZING",
		"RESV_DEL_HOLD", "REVOKED", "RUNNING", "SIGNALING", "SPECIAL_EXIT", "STAGE_OUT",
		"STOPPED", "SUSPENDED", "TIMEOUT", "UPDATE_DB", "BF", "CA", "CD", "CF", "CG", "DL",
		"NF", "OOM", "PD", "PR", "RD", "RF", "RH", "RQ", "RS", "RV", "SE", "SI", "SO", "ST",
		"TO",
		/* PBS */
		"ARRAY_STARTED", "BEGUN", "EXITING", "EXPIRED", "FINISHED", "HELD", "MOVED",
		"QUEUED", "TRANSIT", "USER_SUSPENDED", "WAITING", "B", "E", "F", "H", "M", "Q", "R",
		"S", "T", "U", "W", "X",
		/* LSF */
		"DONE", "EXIT", "EXITED", "PEND", "PROV", "PSUSP", "RUN", "SSUSP", "UNKNOWN",
		"UNKWN", "USUSP", "WAIT", "ZOMBI",
		/* Grid Engine, and what others call an end */
		"C", "COMPLETE", "DELETED", "DR", "ENDED", "EQW", "ERROR", "HQW", "KILLED", "OK",
		"QW", "SUCCESS"};

	for (size_t i = 0; i < sizeof states / sizeof *states; i++)
		if (!strcasecmp(state, states[i]))
			return true;
	return false;
}

const char *anonymous_state(const struct pseudonym_key *key, const char *state,
			    char to[static ANONYMOUS_BYTES])
{
	if (!is_state(state))
		return anonymous_name(key, 's', state, to);
	snprintf(to, ANONYMOUS_BYTES, "%s", state);
	return to;
}
