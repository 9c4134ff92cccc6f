/* Predictions compared with measurements at sizes from which no parameter was made. */
#ifndef MEASURE_CHECKS_H
#define MEASURE_CHECKS_H

#include "measure/params/predict.h"
#include "measure/statistics/samples.h"

enum { CHECK_MESSAGES = 16, MOST_CHECKS = 8 };

struct check {
	uint64_t bytes;
	struct summary trip;  /* ping-pong: a round trip */
	struct summary burst; /* as predict_burst_ns, of CHECK_MESSAGES messages */
};

struct checks {
	struct check of[MOST_CHECKS];
	size_t count;
};

/* Prediction / measurement - 1; NAN if it was not measured. */
double check_ping_pong_error(const struct check *check, const struct parameters *parameters);
double check_burst_error(const struct check *check, const struct parameters *parameters);

#endif
