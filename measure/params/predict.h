/*
 * The LogGPS parameters of a network, and what they predict (doc/model.md).
 *
 * Overheads are o + s O for s bytes, and a message takes L + B on the network, B = (s - 1) G.
 * Messages of more than S bytes use the rendezvous protocol `read`.  A rank has one CPU and one NIC:
 * overheads follow one another, and messages leave at least max(g, B) apart.
 */
#ifndef MEASURE_PREDICT_H
#define MEASURE_PREDICT_H

#include <stdint.h>

#define NO_THRESHOLD UINT64_MAX

struct parameters {
	double L_ns, o_ns, g_ns;
	double G_ns, O_ns; /* per byte */
	uint64_t S;	   /* bytes, or NO_THRESHOLD */
};

/* Overhead of a message o + s O, and its time on the network B = (s - 1) G; without data B is 0. */
double predict_overhead_ns(const struct parameters *parameters, uint64_t bytes);
double predict_transfer_ns(const struct parameters *parameters, uint64_t bytes);

/* From the start of a send to the end of its receive, which has been posted. */
double predict_one_way_ns(const struct parameters *parameters, uint64_t bytes);

/*
 * From the start of the first of `messages` blocking sends, whose receiver receives one after the
 * other and then answers with 1 byte, to the end of the receive of the answer.
 */
double predict_burst_ns(const struct parameters *parameters, unsigned messages, uint64_t bytes);

#endif
