/*
 * Whether an event flow graph alone, the counts of its edges without their sets of visits, fixes the order of the
 * events: whether only one walk from the first to the last node takes each edge as often as its count says.
 */
#ifndef EVENTFLOW_ORDER_H
#define EVENTFLOW_ORDER_H

#include "trace/flow/flow.h"

/*
 * Set *fixed.  Decided by the theorem of van Aardenne-Ehrenfest and de Bruijn: walks are the trees of last exits
 * towards the last node, each with all orders of the other exits of each node.  So the walk is the only one if
 * the exits but the last lead to one node, from each node, and if no last exit can be another edge without closing a
 * circle of last exits.
 */
int flow_order_is_fixed(const struct flow_graph *graph, bool *fixed, struct error *err);

#endif
