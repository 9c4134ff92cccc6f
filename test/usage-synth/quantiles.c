#include "test/usage-synth/quantiles.h"

#include <stdio.h>

int quantiles_parse(struct quantiles *of, const char *text, struct error *err)
{
	const char *at = text;
	int used = 0;

	for (of->count = 0; of->count < QUANTILE_MARKS; of->count++) {
		struct quantile_mark *mark = &of->marks[of->count];
		const struct quantile_mark *before = of->count ? mark - 1 : NULL;

		if (sscanf(at, "%lf:%lf%n", &mark->share, &mark->value, &used) != 2 ||
		    (before ? !(mark->share >= before->share && mark->value >= before->value)
			    : mark->share != 0))
			break;
		at += used;
		if (!*at && mark->share == 1) {
			of->count++;
			return 0;
		}
		if (*at++ != ',')
			break;
	}
	return error_set(
		err, STATUS_USAGE,
		"'%s': expected SHARE:VALUE,... with at most %d marks that ascend from share 0 to 1",
		text, QUANTILE_MARKS);
}

double quantile(const struct quantiles *of, double share)
{
	const struct quantile_mark *high = of->marks;
	double part;

	while (high < of->marks + of->count - 1 && high->share < share)
		high++;
	if (high == of->marks || high->share == share)
		return high->value;
	part = (share - high[-1].share) / (high->share - high[-1].share);
	return high[-1].value + part * (high->value - high[-1].value);
}
