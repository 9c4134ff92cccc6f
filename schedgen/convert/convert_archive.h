/*
 * Convert the archive of a run to a GOAL graph in a file, as the command schedgen does
 * (doc/trace-to-goal.md).
 *
 *	struct archive_options options = {.convert = {.compute_scale = 1, .copies = 1}};
 *	struct summary summary;
 *
 *	convert_archive("app.trace", "app.bin", &options, &summary, err);
 *	... summary_print(stderr, &summary) ...
 *	summary_release(&summary);
 */
#ifndef SCHEDGEN_CONVERT_ARCHIVE_H
#define SCHEDGEN_CONVERT_ARCHIVE_H

#include "schedgen/convert/convert.h"
#include "schedgen/convert/summary.h"

struct archive_options {
	/* Of all ranks; convert_archive sets the pointers in it but for first_rules. */
	struct convert_options convert;
	const char *rules, *preset;	/* file of rules, and preset after it; each may be NULL */
	struct slice_edge from, to;	/* slice to convert */
	bool repeat;			/* the whole run, from an archive of some iterations */
	unsigned threads;		/* 0: convert_ranks_threads */
	enum goal_format format;
	const char *how;		/* line for FILE.calls (goal/calls.h), or NULL */
};

/*
 * Convert the archive, write the graph to `output` and its calls beside it, and fill *summary,
 * which the caller releases on success.  On failure no output is left.  An output that would
 * overwrite an input is refused (STATUS_USAGE).
 *
 * It is STATUS_DATA if one of first_rules fits no call.
 *
 * Messages of the program that are sent but never received are left out of the graph.  Any other
 * message with one end is STATUS_DATA, because the archive is not complete.
 */
int convert_archive(const char *archive, const char *output, const struct archive_options *options,
		    struct summary *summary, struct error *err);

#endif
