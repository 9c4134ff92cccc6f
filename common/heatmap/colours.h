/*
 * Colours of heat maps: fixed ones, the same in light and dark, on a screen and on paper.
 *
 * A palette is a list of colours at equal distances from 0 to 1, with straight lines between them in
 * sRGB.  The lightness of both palettes only grows, so they survive a grey-scale printer.
 *
 *	fire	#000000 black, #6a1599 purple, #d31f24 red, #ff9d1e orange, #fff34d yellow
 *	safe	#00204d, #414d6b, #7c7b78, #bcae6d, #ffe945: from blue to yellow, which people with any
 *		kind of colour vision tell apart
 */
#ifndef COMMON_HEATMAP_COLOURS_H
#define COMMON_HEATMAP_COLOURS_H

#include <stdbool.h>
#include <stdint.h>

enum heatmap_palette { HEATMAP_FIRE, HEATMAP_SAFE };

/* Colours of a palette, as 0xRRGGBB. */
enum { HEATMAP_ANCHORS = 5 };
extern const uint32_t heatmap_anchors[2][HEATMAP_ANCHORS];

/* Values of the two ends of a palette; values beyond them have the colours of the ends. */
struct heatmap_scale {
	const char *name; /* at the colour bar */
	bool logarithmic;
	double low, high; /* low < high; 0 < low if logarithmic */
};

/*
 * Number of the level nearest to a value, -1 for NAN.  Levels are at equal distances on the scale: the
 * first is its low end, the last its high end, the middle one has the colour of the third anchor.
 */
enum { HEATMAP_LEVELS = 51 };
int heatmap_level(const struct heatmap_scale *scale, double value);

/* Colour of a level, as 0xRRGGBB. */
uint32_t heatmap_colour(enum heatmap_palette palette, int level);

#endif
