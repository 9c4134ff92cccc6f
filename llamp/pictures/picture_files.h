/*
 * Pictures as files, each alone and fit for a paper: `llamp report --svg DIR`.
 *
 *	curve, tolerances			all programs in one picture
 *	critical-path, rank-switches, lambda_L, lambda_G, messages, bytes, ranks	one for each program
 *
 * With several programs the latter have the number of the program, from 1, at the end of their
 * names.  Each picture is two files: NAME.svg as wide as a page of text (180 mm), and
 * NAME-column.svg as wide as a column (88 mm).  The letters have 8.5 pt in both.  Pictures of what
 * there is not, such as the rank switches of a path that stays on its rank, are left out.
 */
#ifndef LLAMP_PICTURE_FILES_H
#define LLAMP_PICTURE_FILES_H

#include "common/array.h"
#include "common/output.h"
#include "llamp/analysis/findings.h"

#include <stdbool.h>

/*
 * Draw the pictures of `count` programs, at least one, for the folder, which is created if it is
 * missing.  *files gets an output for each, which is closed but not in its place: end with
 * output_commit_all or output_discard, also after a failure.
 */
struct picture_files {
	ARRAY(struct output) outputs;
	bool made_folder;
};
int picture_files_draw(struct picture_files *files, const char *folder,
		       const struct findings *runs, size_t count, struct error *err);

#endif
