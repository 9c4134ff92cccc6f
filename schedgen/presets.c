#include "schedgen/rules.h"

/* The rule files in schedgen/presets, character by character, with a NUL behind. */
#define EMBED(symbol, file)                                          \
	__asm__(".pushsection .rodata\n" #symbol ":\n.incbin \"" file \
		"\"\n.byte 0\n.popsection\n");                       \
	extern const char symbol[] __attribute__((visibility("hidden")))

EMBED(preset_mpich, "schedgen/presets/mpich.yaml");
EMBED(preset_openmpi, "schedgen/presets/openmpi.yaml");
EMBED(preset_paper, "schedgen/presets/paper.yaml");

const struct preset presets[] = {
	{"mpich", preset_mpich},
	{"openmpi", preset_openmpi},
	{"paper", preset_paper},
	{NULL, NULL},
};
