/*
 * Cells as the LogGPS model predicts them (doc/model.md, protocol `read`, no limited resources): messages move while
 * ranks compute.
 *
 * With o' = o + s O, B = (s - 1) G, l = L + 2 o, c the computation, and times from the start of rank 0:
 *
 *	sender		received = 2 o' + L + B, above S 2 o' + 3 L + B
 *			full = max(o' + c, received + o + L) + o
 *	receiver	received = 2 o + 2 L + 2 o' + B, above S 2 o + 4 L + 2 o' + B
 *			full = max(o + c, received)
 *	cpu		full = o' + c, above S max(o' + c, 2 o' + 4 L + B)
 *	both		rank 1 begins 3 l earlier.  First message: received as by `sender`; rank 0 goes on at
 *			t0 = o' + c, above S max(o' + c, received + L), rank 1 at t1 = max(c - 3 l, received).
 *			Second one: received = t1 + 2 o' + L + B, above S max(t0, t1 + o' + L) + o' + 2 L + B
 *			full = max(t0 + c, received)
 */
#ifndef MEASURE_CELL_MODEL_H
#define MEASURE_CELL_MODEL_H

#include "measure/cells/cell.h"
#include "measure/params/predict.h"

/*
 * Predict `full` of a cell in ns, for one message at once without tests between two ranks; persistent ones are as others.
 * NAN for all that is not in the table above.
 */
double cell_model_full_ns(const struct parameters *model, const struct cell_spec *spec);

/* Measured / predicted - 1; NAN without a prediction. */
double cell_model_residual(const struct parameters *model, const struct cell *cell);

#endif
