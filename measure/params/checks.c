#include "measure/params/checks.h"

double check_ping_pong_error(const struct check *check, const struct parameters *parameters)
{
	return 2 * predict_one_way_ns(parameters, check->bytes) / check->trip.lower_decile - 1;
}

double check_burst_error(const struct check *check, const struct parameters *parameters)
{
	return predict_burst_ns(parameters, CHECK_MESSAGES, check->bytes) /
		       check->burst.lower_decile -
	       1;
}
