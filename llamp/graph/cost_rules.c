#include "llamp/graph/cost_rules.h"

#define L [VARIABLE_L]
#define o [VARIABLE_o]
#define g [VARIABLE_g]
#define G [VARIABLE_G]
#define O [VARIABLE_O]

/* A number of o, L and B; each o is o + s O. */
#define STEP(os, Ls, Bs) {.each = {o = (os), L = (Ls)}, .per_byte = {G = (Bs)}, .per_size = {O = (os)}}
#define O_OF(os, Ls, Bs) (os)
#define L_OF(os, Ls, Bs) (Ls)
#define B_OF(os, Ls, Bs) (Bs)

/* The steps of a protocol; each argument but two is a triple in parentheses. */
#define PROTOCOL(protocol, name, announcement, data, report)                                \
	[COST_##protocol##_ANNOUNCEMENT] = STEP announcement,                               \
	[COST_##protocol##_RECV] = STEP(O_OF data + 1, L_OF data, B_OF data),               \
	[COST_##protocol##_SEND] = STEP(O_OF data + 1 + O_OF report, L_OF data + L_OF report, \
					B_OF data + B_OF report),                           \
	[COST_##protocol##_INJECTION] = STEP(O_OF data, L_OF data - B_OF data, 0),          \
	[COST_##protocol##_DATA] = STEP data,                                               \
	[COST_##protocol##_REPORT] = STEP report,

const struct cost_coefficients cost_rules[COST_RULE_COUNT] = {
	[COST_OVERHEAD] = STEP(1, 0, 0),
	[COST_EAGER] = STEP(1, 1, 1),
	[COST_LATENCY] = STEP(0, 1, 0),
	[COST_BYTES] = STEP(0, 0, 1),
	[COST_NIC] = STEP(0, 0, 1),
	[COST_NIC_GAP] = {.each = {g = 1}, .per_byte = {G = 1}},
	[COST_GAP] = {.each = {g = 1}},
	[COST_TRANSFER] = STEP(0, 0, 1),
	RENDEZVOUS_PROTOCOLS(PROTOCOL)
};
