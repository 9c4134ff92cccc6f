/*
 * Slim Flies (Besta and Hoefler, "Slim Fly: a cost effective low-diameter network topology", 2014).
 *
 * The switches are a graph of McKay, Miller and Siran with diameter 2, for a prime power
 * q = 4 w + delta, delta in {-1, 0, 1}.  There are 2 q^2 of them with (3 q - delta) / 2 links
 * each: (0, x, y) and (1, m, c) with x, y, m, c in the field of q elements.  With a primitive
 * element e,
 *
 *	(0, x, y) - (0, x, y')	if y - y' is in X
 *	(1, m, c) - (1, m, c')	if c - c' is in X'
 *	(0, x, y) - (1, m, c)	if y = m x + c
 *
 *	delta 1		X = {e^0, e^2, ..., e^(q-3)}	X' = {e^1, e^3, ..., e^(q-2)}
 *	delta 0		X = {e^0, e^2, ..., e^(q-2)}	X' = {e^1, e^3, ..., e^(q-1)}
 *	delta -1	X = {e^0, e^2, ..., e^(2w-2), e^(2w-1), e^(2w+1), ..., e^(4w-3)}
 *			X' = {e^1, e^3, ..., e^(2w-1), e^(2w), e^(2w+2), ..., e^(4w-2)}
 *
 * Links of hosts are class host, links between switches class router.  Of several routes with two
 * links between switches, the one by way of the switch with the smallest number is taken.
 */
#include "llamp/network/topology_kind.h"

#include <string.h>

enum { HOST, ROUTER };

enum { MOST_Q = 128 };

struct slim_fly {
	uint32_t q, hosts;
	/* The field: elements are polynomials over the integers modulo p, written in base p. */
	uint32_t p;
	uint16_t power[2 * MOST_Q];		/* [i]: e^i */
	uint16_t log[MOST_Q];			/* of an element that is not 0 */
	bool in[2][MOST_Q];			/* whether an element is in X, X' */
};

/* ------------------------------------------------------------------- the field */

/* a + sign b, digit by digit. */
static uint32_t slim_fly_add(const struct slim_fly *fly, uint32_t a, uint32_t b, bool subtract)
{
	uint32_t sum = 0;

	for (uint32_t place = 1; place < fly->q; place *= fly->p) {
		const uint32_t digit = a / place % fly->p;
		const uint32_t other = b / place % fly->p;

		sum += (digit + (subtract ? fly->p - other : other)) % fly->p * place;
	}
	return sum;
}

static uint32_t multiply(const struct slim_fly *fly, uint32_t a, uint32_t b)
{
	return a && b ? fly->power[fly->log[a] + fly->log[b]] : 0;
}

/*
 * Fill the powers of x modulo the polynomial x^k + `rest`.  False unless they are all elements but
 * 0, so that x is primitive.
 */
static bool fill_powers(struct slim_fly *fly, uint32_t rest)
{
	const uint32_t top = fly->q / fly->p;
	uint32_t at = 1;

	for (uint32_t i = 0; i < fly->q - 1; i++) {
		const uint32_t carry = at / top;

		if (i > 0 && at <= 1)
			return false;
		fly->power[i] = fly->power[i + fly->q - 1] = (uint16_t)at;
		fly->log[at] = (uint16_t)i;
		at = at % top * fly->p;
		for (uint32_t k = 0; k < carry; k++)
			at = slim_fly_add(fly, at, rest, true);
	}
	return at == 1;
}

/* Whether q is a power of a prime, which becomes fly->p. */
static bool is_prime_power(struct slim_fly *fly)
{
	uint32_t rest = fly->q;

	for (fly->p = 2; rest % fly->p; fly->p++)
		;
	while (rest % fly->p == 0)
		rest /= fly->p;
	return rest == 1;
}

static void fill_sets(struct slim_fly *fly)
{
	const uint32_t w = (fly->q + 1) / 4;
	const bool minus = fly->q % 4 == 3;

	for (uint32_t i = 0; i < fly->q - 1; i++) {
		const bool even = i % 2 == 0;

		fly->in[0][fly->power[i]] = minus ? even == (i < 2 * w - 1) : even;
		fly->in[1][fly->power[i]] = minus ? even != (i < 2 * w) : !even;
	}
	/* e^(q-1) = e^0 is also in X' if its exponents end with q - 1. */
	if (fly->q % 4 != 1)
		fly->in[1][1] = true;
}

/* --------------------------------------------------------------------- the kind */

static int read_slim_fly(struct topology *topology, const struct yaml_file *file,
			 const struct yaml_entry *entry, struct error *err)
{
	struct slim_fly *fly;
	uint32_t rest = 1;
	int delta;

	TRY(topology_allocate_shape(topology, sizeof *fly, err));
	fly = topology->shape;
	TRY(topology_number(file, entry, "q", 3, 0, &fly->q, err));
	if (fly->q > MOST_Q || fly->q % 4 == 2 || !is_prime_power(fly))
		return yaml_error(file, topology_find(entry, "q"), err, "q: expected a power of a"
				  " prime from 3 to %d", MOST_Q);
	delta = fly->q % 4 == 3 ? -1 : (int)(fly->q % 4);
	TRY(topology_number(file, entry, "hosts", 1, (uint32_t)((3 * (int)fly->q - delta) / 2 + 1) / 2,
			    &fly->hosts, err));
	while (!fill_powers(fly, rest))
		rest++;
	fill_sets(fly);
	return topology_set_size(topology, file, entry, UINT64_C(2) * fly->q * fly->q * fly->hosts,
				 UINT64_C(2) * fly->q * fly->q, err);
}

/* Switch number: (part q + x) q + y. */
static bool linked(const struct slim_fly *fly, uint32_t a, uint32_t b)
{
	const uint32_t part = a / fly->q / fly->q;
	const uint32_t column_a = a / fly->q % fly->q, column_b = b / fly->q % fly->q;
	const uint32_t row_a = a % fly->q, row_b = b % fly->q;

	if (part == b / fly->q / fly->q)
		return column_a == column_b && fly->in[part][slim_fly_add(fly, row_a, row_b, true)];
	return part == 0
		       ? row_a == slim_fly_add(fly, multiply(fly, column_b, column_a), row_b, false)
		       : row_b ==
				 slim_fly_add(fly, multiply(fly, column_a, column_b), row_a, false);
}

static void route_slim_fly(const struct topology *topology, uint32_t from, uint32_t to,
			   uint16_t links[TOPOLOGY_MOST_CLASSES])
{
	const struct slim_fly *fly = topology->shape;
	const uint32_t a = from / fly->hosts, b = to / fly->hosts;

	links[HOST] = 2;
	if (a != b)
		links[ROUTER] = linked(fly, a, b) ? 1 : 2;
}

/* The k-th of q switches in the other part that are linked with switch a. */
static uint32_t across(const struct slim_fly *fly, uint32_t a, uint32_t k)
{
	const uint32_t part_1 = fly->q * fly->q;
	const uint32_t row = a % fly->q, slope = multiply(fly, k, a / fly->q % fly->q);

	return a < part_1 ? part_1 + k * fly->q + slim_fly_add(fly, row, slope, true)
			  : k * fly->q + slim_fly_add(fly, row, slope, false);
}

/* The switch with the smallest number that is linked with both. */
static uint32_t between(const struct slim_fly *fly, uint32_t a, uint32_t b)
{
	const uint32_t column = a / fly->q * fly->q;
	uint32_t least = UINT32_MAX;

	for (uint32_t k = 0; k < fly->q; k++) {
		const uint32_t other = across(fly, a, k), same = column + k;

		if (linked(fly, other, b) && other < least)
			least = other;
		if (linked(fly, a, same) && linked(fly, same, b) && same < least)
			least = same;
	}
	return least;
}

static int hops_in_slim_fly(const struct topology *topology, uint32_t from, uint32_t to,
			    struct hops *hops, struct error *err)
{
	const struct slim_fly *fly = topology->shape;
	const uint32_t a = from / fly->hosts, b = to / fly->hosts, hosts = topology->host_count;
	uint32_t at = a;

	TRY(topology_add_hop(hops, from, hosts + a, HOST, err));
	if (a != b && !linked(fly, a, b)) {
		at = between(fly, a, b);
		TRY(topology_add_hop(hops, hosts + a, hosts + at, ROUTER, err));
	}
	if (at != b)
		TRY(topology_add_hop(hops, hosts + at, hosts + b, ROUTER, err));
	return topology_add_hop(hops, hosts + b, to, HOST, err);
}

/* List the links of a switch to those with a larger number. */
static int links_of_switch(const struct topology *topology, uint32_t a, struct links *links,
			   struct error *err)
{
	const struct slim_fly *fly = topology->shape;
	const uint32_t column = a / fly->q * fly->q, part_1 = fly->q * fly->q;

	for (uint32_t b = a + 1; b < column + fly->q; b++)
		if (linked(fly, a, b))
			TRY(topology_add_link(links, topology->host_count + a,
					      topology->host_count + b, ROUTER, err));
	for (uint32_t m = 0; a < part_1 && m < fly->q; m++)
		TRY(topology_add_link(links, topology->host_count + a,
				      topology->host_count + across(fly, a, m), ROUTER, err));
	return 0;
}

static int links_of_slim_fly(const struct topology *topology, struct links *links,
			     struct error *err)
{
	const struct slim_fly *fly = topology->shape;

	for (uint32_t host = 0; host < topology->host_count; host++)
		TRY(topology_add_link(links, host, topology->host_count + host / fly->hosts, HOST,
				      err));
	for (uint32_t a = 0; a < topology->switch_count; a++)
		TRY(links_of_switch(topology, a, links, err));
	return 0;
}

/* Switches are a circle, with their hosts outside. */
/*
 * Links are the same after (0, x, y), (1, m, c) -> (0, x + r, y + t), (1, m, c + t - m r), and after
 * -> (0, x, y + s x), (1, m + s, c).  So the switches of each part are alike.
 */
static struct topology_symmetry symmetry_of_slim_fly(const struct topology *topology)
{
	const struct slim_fly *fly = topology->shape;

	return (struct topology_symmetry){.alike = fly->hosts, .sources = 2,
					  .stride = fly->q * fly->q};
}

static void place_in_slim_fly(const struct topology *topology, uint32_t node, double *x,
			      double *y)
{
	if (node < topology->host_count)
		topology_place_on_circle(node, topology->host_count, 0.5, x, y);
	else
		topology_place_on_circle(node - topology->host_count, topology->switch_count, 0.4,
					 x, y);
}

static const char *const slim_fly_keys[] = {"q", "hosts", NULL};
static const char *const classes[] = {"host", "router", NULL};

const struct topology_kind topology_slim_fly = {
	.name = "slim-fly",
	.keys = slim_fly_keys,
	.classes = classes,
	.read = read_slim_fly,
	.route = route_slim_fly,
	.hops = hops_in_slim_fly,
	.links = links_of_slim_fly,
	.symmetry = symmetry_of_slim_fly,
	.place = place_in_slim_fly,
};
