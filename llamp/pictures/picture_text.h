/* Names and quantities of variables, and counts, in pictures. */
#ifndef LLAMP_PICTURE_TEXT_H
#define LLAMP_PICTURE_TEXT_H

#include "common/draw/axis.h"
#include "llamp/network/variables.h"

/* Quantity of the variable's values: a time, or a number of ns per byte. */
enum quantity picture_quantity(const struct variable *variable);

/* Write "network latency L" or, for a time per byte, "gap per byte G (ns/B)".  Returns `name`. */
const char *picture_variable_name(const struct variable *variable, char *name, size_t room);

/* Write "12.4 ms, 5.3 %", a time with its share of T.  Returns `text`. */
const char *picture_share(double ns, double runtime_ns, char *text, size_t room);

#endif
