#include "llamp/path/line.h"

struct rational lines_meet(struct line flatter, struct line steeper)
{
	return rational_reduced(flatter.constant - steeper.constant,
				steeper.slope - flatter.slope);
}

void breakpoints_release(struct breakpoints *breakpoints)
{
	array_release(&breakpoints->list);
}
