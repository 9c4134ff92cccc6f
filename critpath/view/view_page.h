/*
 * A measured run as a page for browsers: `critpath view -o run.html`.
 *
 * The page is one file that asks for nothing from the network.  It has tables of the ranks and
 * functions on the critical path, the run packed into text (critpath/view/view_calls.h), and a script
 * (critpath/view_*.js) that draws it.  Runs of more than VIEW_MOST_CALLS calls are packed as
 * tiles (critpath/view/view_tiles.h), with the longest segments of the critical path.
 */
#ifndef CRITPATH_VIEW_PAGE_H
#define CRITPATH_VIEW_PAGE_H

#include "common/draw/run_part.h"
#include "critpath/report/run_report.h"

enum { VIEW_MOST_CALLS = 1500000, VIEW_MOST_SEGMENTS = 400000 };

/*
 * Write a part of the run, with tables of the totals of the whole run.  The owner of the stream
 * checks it for errors.
 */
int view_page_write(FILE *stream, const struct findings *findings, const struct run_part *part,
		    struct error *err);

/* Style and script of the page: the files of critpath/ with these names. */
extern const char view_page_style[];
extern const char view_data_script[], view_draw_script[], view_tell_script[];
extern const char view_window_script[], view_page_script[], view_below_script[];

#endif
