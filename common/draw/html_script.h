/*
 * Script of a page (html_script.js).  It adds two things to a chart of lines: the values under the
 * pointer, and zoom.  It reads the picture, which has ticks and paths, so that charts know nothing of
 * it.  To a heat map it adds the numbers of the cell under the pointer (common/heatmap/heatmap.h).
 */
#ifndef COMMON_DRAW_HTML_SCRIPT_H
#define COMMON_DRAW_HTML_SCRIPT_H

extern const char html_script[];

#endif
