/*
 * Script of a page.  It adds one thing: the values under the pointer, below a chart of lines.  It
 * reads them off the picture, which has ticks and paths, so that charts know nothing of it.
 */
#ifndef COMMON_DRAW_HTML_SCRIPT_H
#define COMMON_DRAW_HTML_SCRIPT_H

extern const char html_script[];

#endif
