/* The loop tree in the page of a graph. */
#include "common/draw/markup.h"
#include "eventflow/loops/graph_page.h"

#include <inttypes.h>

enum { BLOCKS_BYTES = 200 };

static void print_call(const struct page_rows *rows, const struct tree_line *line, FILE *stream)
{
	const uint32_t shown = rows->shown[line->node];

	fprintf(stream, "<li><a href=\"#n%u\">", shown);
	markup_print(stream, rows->page->shown->nodes.items[shown].label);
	fputs("</a></li>\n", stream);
}

/* Write the first line of what has others in it, and open their list. */
static void print_group(const struct tree_line *line, bool open, FILE *stream)
{
	char blocks[BLOCKS_BYTES];

	fprintf(stream, "<li><details%s><summary>", open ? " open=\"\"" : "");
	if (line->kind == TREE_LOOP) {
		fprintf(stream, "loop %u <span class=\"n\">%" PRIu64 "\u00d7", line->chain,
			line->count);
		if (line->rounds)
			fprintf(stream, ", %" PRIu64 " rounds of %" PRIu64, line->rounds,
				line->round_length);
		fputs("</span>", stream);
	} else if (line->kind == TREE_ROOT) {
		fputs("root", stream);
	} else {
		fputs("sequence", stream);
		if (line->blocks) {
			fputs(" <span class=\"n\">in iterations ", stream);
			markup_print(stream, flow_blocks_text(line->blocks, line->block_count,
							      blocks, sizeof blocks));
			fputs("</span>", stream);
		}
	}
	fputs("</summary><ul>\n", stream);
}

/*
 * Groups below the first depth are closed at first, those below the other one are not there:
 * browsers have a limit.
 */
enum { OPEN_DEPTH = 6, MOST_DEPTH = 60 };

void graph_page_tree(const struct page_rows *rows, struct html *html)
{
	const struct tree_lines *lines = rows->page->lines;
	uint32_t depth = 0;

	fputs("<ul class=\"tree\">\n", html->stream);
	for (size_t i = 0; i < lines->count; i++) {
		const struct tree_line *line = &lines->items[i];

		if (line->depth > MOST_DEPTH)
			continue;
		for (; depth > line->depth; depth--)
			fputs("</ul></details></li>\n", html->stream);
		if (line->kind == TREE_CALL || line->kind == TREE_CHAIN) {
			print_call(rows, line, html->stream);
			continue;
		}
		print_group(line, line->depth < OPEN_DEPTH, html->stream);
		depth++;
	}
	for (; depth; depth--)
		fputs("</ul></details></li>\n", html->stream);
	fputs("</ul>\n", html->stream);
}
