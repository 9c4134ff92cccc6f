/*
 * The path engine: T and its slopes by longest paths, in exact arithmetic.
 *
 * A parameter p moves the variables of a direction.  The length of each path is a constant plus a
 * slope times p, and T is their maximum, so T is convex and piecewise linear in p.  One pass in
 * topological order finds the line that T follows at a point (evaluate.h).  All other answers are
 * found by a few such passes.
 *
 * All functions only read the graph, so several threads may call them for one graph.
 */
#ifndef LLAMP_PATH_ENGINE_H
#define LLAMP_PATH_ENGINE_H

#include "llamp/path/breakpoints.h"
#include "llamp/path/evaluate.h"
#include "llamp/path/tolerance.h"

#endif
