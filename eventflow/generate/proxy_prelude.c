#include "eventflow/generate/proxy_prelude.h"

/* The file prelude.inc, character by character, with a NUL at the end. */
__asm__(".pushsection .rodata\n.globl proxy_prelude\n.hidden proxy_prelude\nproxy_prelude:\n"
	".incbin \"eventflow/generate/prelude.inc\"\n.byte 0\n.popsection\n");
