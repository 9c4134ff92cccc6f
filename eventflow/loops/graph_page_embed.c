/* Script and style of the page of a graph, embedded when the program is built. */
#include "eventflow/loops/graph_page.h"

/* Files character by character, with a NUL at the end. */
#define EMBED(symbol, file)                                                               \
	__asm__(".pushsection .rodata\n.globl " #symbol "\n.hidden " #symbol "\n" #symbol \
		":\n.incbin \"" file "\"\n.byte 0\n.popsection\n")

EMBED(graph_page_style, "eventflow/loops/graph_page.css");
EMBED(graph_page_script, "eventflow/loops/graph_page.js");
