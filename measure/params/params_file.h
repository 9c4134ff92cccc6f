/* Reading the parameters of a network from a file, as `llamp-measure params` writes it. */
#ifndef MEASURE_PARAMS_FILE_H
#define MEASURE_PARAMS_FILE_H

#include "common/error.h"
#include "measure/params/predict.h"

/*
 * Read L, o, g, G, O and S; what a file lacks is 0, without S no message uses the rendezvous protocol.  A file without L
 * is STATUS_DATA, and so are keys that the prediction of cells does not know.
 */
int params_file_read(const char *path, struct parameters *parameters, struct error *err);

#endif
