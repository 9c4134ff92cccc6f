/*
 * The path engine: T and its slopes by longest paths, in exact arithmetic.
 *
 * T as a function of one p, which moves the variables of a direction, is the maximum over the
 * paths of the graph of a constant plus a slope times p, so it is convex and piecewise linear.
 * The engine finds the line T follows at a point by one pass in topological order
 * (evaluate.h); everything else is a few such passes.
 *
 * All functions only read the graph, and may be called for one graph by several threads.
 */
#ifndef LLAMP_PATH_ENGINE_H
#define LLAMP_PATH_ENGINE_H

#include "llamp/path/breakpoints.h"
#include "llamp/path/evaluate.h"
#include "llamp/path/tolerance.h"

#endif
