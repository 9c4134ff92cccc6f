#include "common/draw/html_script.h"

/* The file html_script.js, character by character, with a NUL at the end. */
__asm__(".pushsection .rodata\n.globl html_script\n.hidden html_script\nhtml_script:\n"
	".incbin \"common/draw/html_script.js\"\n.byte 0\n.popsection\n");
