#include "common/heatmap/colours.h"

#include <math.h>

const uint32_t heatmap_anchors[2][HEATMAP_ANCHORS] = {
	[HEATMAP_FIRE] = {0x000000, 0x6a1599, 0xd31f24, 0xff9d1e, 0xfff34d},
	[HEATMAP_SAFE] = {0x00204d, 0x414d6b, 0x7c7b78, 0xbcae6d, 0xffe945},
};

/* Place of a value on a scale: 0 is its low end, 1 its high end. */
static double scale_place(const struct heatmap_scale *scale, double value)
{
	if (!scale->logarithmic)
		return (value - scale->low) / (scale->high - scale->low);
	return value > scale->low ? log(value / scale->low) / log(scale->high / scale->low) : 0;
}

int heatmap_level(const struct heatmap_scale *scale, double value)
{
	const double place = scale_place(scale, value) * (HEATMAP_LEVELS - 1);

	if (isnan(value))
		return -1;
	return (int)fmin(fmax(round(place), 0), HEATMAP_LEVELS - 1);
}

static uint32_t mix_channel(uint32_t one, uint32_t other, int shift, double share)
{
	const double from = one >> shift & 0xff, to = other >> shift & 0xff;

	return (uint32_t)lround(from + share * (to - from)) << shift;
}

uint32_t heatmap_colour(enum heatmap_palette palette, int level)
{
	const double place = (double)level / (HEATMAP_LEVELS - 1) * (HEATMAP_ANCHORS - 1);
	const int first = place < HEATMAP_ANCHORS - 2 ? (int)place : HEATMAP_ANCHORS - 2;
	const uint32_t one = heatmap_anchors[palette][first];
	const uint32_t other = heatmap_anchors[palette][first + 1];
	const double share = place - first;

	return mix_channel(one, other, 16, share) | mix_channel(one, other, 8, share) |
	       mix_channel(one, other, 0, share);
}
