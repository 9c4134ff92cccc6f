/* Scripts and style of the page, embedded when the program is built. */
#include "critpath/view/view_page.h"

/* Files of critpath/view/, character by character, with a NUL at the end. */
#define EMBED(symbol, file)                                                               \
	__asm__(".pushsection .rodata\n.globl " #symbol "\n.hidden " #symbol "\n" #symbol \
		":\n.incbin \"" file "\"\n.byte 0\n.popsection\n")

EMBED(view_page_style, "critpath/view/view_page.css");
EMBED(view_data_script, "critpath/view/view_data.js");
EMBED(view_draw_script, "critpath/view/view_draw.js");
EMBED(view_tell_script, "critpath/view/view_tell.js");
EMBED(view_window_script, "critpath/view/view_window.js");
EMBED(view_page_script, "critpath/view/view_page.js");
EMBED(view_below_script, "critpath/view/view_below.js");
