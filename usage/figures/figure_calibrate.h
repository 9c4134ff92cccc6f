/* Exposures of the jobs of a sample, calibrated by those that were also traced. */
#ifndef USAGE_FIGURES_FIGURE_CALIBRATE_H
#define USAGE_FIGURES_FIGURE_CALIBRATE_H

#include "usage/index/database.h"

/*
 * Make the table calibration (figure_source.h), and set the exposures: of a job that was traced lambda_L, of the others
 * the counted one times the factor of the application, or of all traced jobs, or 1.
 */
int figure_calibrate(struct usage_db *db, struct error *err);

#endif
