#include "measure/params/predict.h"

#include <math.h>

double predict_overhead_ns(const struct parameters *of, uint64_t bytes)
{
	return of->o_ns + (double)bytes * of->O_ns;
}

double predict_transfer_ns(const struct parameters *of, uint64_t bytes)
{
	return bytes ? (double)(bytes - 1) * of->G_ns : 0;
}

double predict_one_way_ns(const struct parameters *of, uint64_t bytes)
{
	const unsigned latencies = bytes > of->S ? 3 : 1;

	return 2 * predict_overhead_ns(of, bytes) + latencies * of->L_ns +
	       predict_transfer_ns(of, bytes);
}

/* The end of the last receive.  Sender and receiver never wait for each other. */
static double eager_burst_ns(const struct parameters *of, unsigned messages, uint64_t bytes)
{
	const double o_ns = predict_overhead_ns(of, bytes), B_ns = predict_transfer_ns(of, bytes);
	double sent_ns = 0, injected_ns = -INFINITY, received_ns = 0;

	for (unsigned i = 0; i < messages; i++) {
		sent_ns += o_ns;
		injected_ns = fmax(sent_ns, injected_ns + fmax(of->g_ns, B_ns));
		received_ns = fmax(received_ns, injected_ns + of->L_ns + B_ns) + o_ns;
	}
	return received_ns;
}

/* The same where a send ends one latency after its receive. */
static double rendezvous_burst_ns(const struct parameters *of, unsigned messages, uint64_t bytes)
{
	const double o_ns = predict_overhead_ns(of, bytes), B_ns = predict_transfer_ns(of, bytes);
	double sent_ns = 0, received_ns = 0;

	for (unsigned i = 0; i < messages; i++) {
		const double met_ns = fmax(received_ns, sent_ns + o_ns + of->L_ns);

		received_ns = met_ns + o_ns + 2 * of->L_ns + B_ns;
		sent_ns = received_ns + of->L_ns;
	}
	return received_ns;
}

double predict_burst_ns(const struct parameters *of, unsigned messages, uint64_t bytes)
{
	const double burst_ns = bytes > of->S ? rendezvous_burst_ns(of, messages, bytes)
					      : eager_burst_ns(of, messages, bytes);

	return burst_ns + predict_one_way_ns(of, 1);
}
