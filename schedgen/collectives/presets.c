/* Rules by which MPI implementations choose algorithms, embedded when the program is built. */
#include "schedgen/collectives/rules.h"

/* The rule files in schedgen/collectives/presets, character by character, with a NUL at the end. */
#define EMBED(symbol, file)                                          \
	__asm__(".pushsection .rodata\n" #symbol ":\n.incbin \"" file \
		"\"\n.byte 0\n.popsection\n");                       \
	extern const char symbol[] __attribute__((visibility("hidden")))

EMBED(preset_mpich, "schedgen/collectives/presets/mpich.yaml");
EMBED(preset_openmpi, "schedgen/collectives/presets/openmpi.yaml");
EMBED(preset_paper, "schedgen/collectives/presets/paper.yaml");

const struct preset presets[] = {
	{"mpich", preset_mpich},
	{"openmpi", preset_openmpi},
	{"paper", preset_paper},
	{NULL, NULL},
};
