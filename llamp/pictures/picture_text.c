#include "llamp/pictures/picture_text.h"

#include <stdio.h>

enum quantity picture_quantity(const struct variable *variable)
{
	return variable->unit == UNIT_TIME ? QUANTITY_TIME : QUANTITY_NUMBER;
}

const char *picture_variable_name(const struct variable *variable, char *name, size_t room)
{
	static const char *const meanings[CATEGORY_COUNT] = {[CATEGORY_COMPUTE] = "",
							     [CATEGORY_OVERHEAD] = "overhead ",
							     [CATEGORY_LATENCY] =
								     "network latency ",
							     [CATEGORY_BANDWIDTH] = "gap per byte ",
							     [CATEGORY_GAP] = "gap "};

	snprintf(name, room, "%s%s%s", meanings[variable->category], variable->name,
		 variable->unit == UNIT_TIME_PER_BYTE ? " (ns/B)" : "");
	return name;
}

const char *picture_share(double ns, double runtime_ns, char *text, size_t room)
{
	const double percent = runtime_ns > 0 ? 100 * ns / runtime_ns : 0;
	char time[UNIT_TEXT_BYTES];

	axis_value(QUANTITY_TIME, ns, 3, time);
	if (percent > 0 && percent < 0.05)
		snprintf(text, room, "%s, < 0.1 %%", time);
	else
		snprintf(text, room, "%s, %.1f %%", time, percent);
	return text;
}
