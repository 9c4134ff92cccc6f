/*
 * Planes as a script for gnuplot, with their data, so that people can change titles, fonts and terminals.
 *
 *	gnuplot -e "set terminal pdfcairo size 30cm,6cm; set output 'planes.pdf'" planes.gp
 */
#ifndef MEASURE_GNUPLOT_H
#define MEASURE_GNUPLOT_H

#include "measure/planes/planes.h"

/* The owner of the stream checks it for errors. */
void planes_gnuplot(FILE *stream, const struct planes *planes, enum heatmap_palette palette);

#endif
