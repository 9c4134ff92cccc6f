#include "llamp/graph/cost_rules.h"

#define L [VARIABLE_L]
#define o [VARIABLE_o]
#define g [VARIABLE_g]
#define G [VARIABLE_G]
#define O [VARIABLE_O]

/* n overheads: n (o + s O). */
#define OVERHEADS(n) .per_size = {O = (n)}

const struct cost_coefficients cost_rules[COST_RULE_COUNT] = {
	[COST_OVERHEAD] = {.each = {o = 1}, OVERHEADS(1)},
	[COST_EAGER] = {.each = {o = 1, L = 1}, .per_byte = {G = 1}, OVERHEADS(1)},
	[COST_READ_REQUEST] = {.each = {o = 1, L = 1}, OVERHEADS(1)},
	[COST_READ_RECV] = {.each = {o = 1, L = 2}, .per_byte = {G = 1}, OVERHEADS(1)},
	[COST_READ_SEND] = {.each = {o = 1, L = 3}, .per_byte = {G = 1}, OVERHEADS(1)},
	[COST_LATENCY] = {.each = {L = 1}},
	[COST_PAPER_RECV] = {.each = {o = 2, L = 3}, .per_byte = {G = 1}, OVERHEADS(2)},
	[COST_PAPER_SEND] = {.each = {o = 3, L = 3}, .per_byte = {G = 1}, OVERHEADS(3)},
	[COST_READ_DATA] = {.each = {L = 2}, .per_byte = {G = 1}},
	[COST_PAPER_CLEAR] = {.each = {o = 1, L = 2}, OVERHEADS(1)},
	[COST_PAPER_DATA] = {.each = {o = 1, L = 3}, .per_byte = {G = 1}, OVERHEADS(1)},
	[COST_BYTES] = {.per_byte = {G = 1}},
	[COST_NIC] = {.per_byte = {G = 1}},
	[COST_NIC_GAP] = {.each = {g = 1}, .per_byte = {G = 1}},
	[COST_GAP] = {.each = {g = 1}},
	[COST_TRANSFER] = {.per_byte = {G = 1}},
};
