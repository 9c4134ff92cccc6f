#include "test/unit/lib/make/random_network.h"

#include "test/unit/lib/make/random_graph.h"

#include <stdlib.h>
#include <unistd.h>

enum { MOST_RANKS = 8 };

#define PICK(numbers, table) (table)[random_below((numbers), sizeof(table) / sizeof *(table))]

static const char *const times[] = {"0", "1ns", "5ns", "100ns", "100ns", "0.5us", "1us", "3us"};
static const char *const gaps[] = {"0", "0.018ns", "1ns", "1ns", "5ns"};

/* Write a mapping with the keys in `keys`: bits of o, L, G. */
static void write_own(FILE *file, unsigned keys, const char *between, uint64_t *numbers)
{
	static const char names[] = {'o', 'L', 'G'};

	for (int i = 0; i < 3; i++)
		if (keys >> i & 1) {
			fprintf(file, "%s%c: %s", between, names[i],
				names[i] == 'G' ? PICK(numbers, gaps) : PICK(numbers, times));
			between = ", ";
		}
}

static void write_sizes(FILE *file, bool with_L, uint64_t *numbers)
{
	static const unsigned limits[] = {0, 1, 4, 5, 100, 4096, 65536};
	const unsigned keys = (1 + (unsigned)random_below(numbers, 7)) & (with_L ? 7 : 5);

	fprintf(file, "sizes:\n");
	for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
		if (random_below(numbers, 3) == 0) {
			fprintf(file, "  - {to: %u", limits[i]);
			write_own(file, keys, ", ", numbers);
			fprintf(file, "}\n");
		}
	fprintf(file, "  - {");
	write_own(file, keys, "", numbers);
	fprintf(file, "}\n");
}

static void write_mapping(FILE *file, const char *mapping, uint64_t *numbers)
{
	FILE *list;

	switch (random_below(numbers, 3)) {
	case 0:
		fprintf(file, "mapping: cyclic\n");
		break;
	case 1:
		fprintf(file, "mapping: %s\n", mapping);
		list = fopen(mapping, "w");
		if (!list)
			abort();
		for (int rank = 0; rank < MOST_RANKS; rank++)
			fprintf(list, "%u # rank %d\n", (unsigned)random_below(numbers, MOST_RANKS),
				rank);
		fclose(list);
		break;
	default:
		break;
	}
}

static void write_topology(FILE *file, uint64_t *numbers)
{
	static const char *const kinds[] = {
		"kind: fat-tree, radix: 4, levels: 3",
		"kind: dragonfly, groups: 3, routers: 2, hosts: 2",
		"kind: torus, size: [2, 4]",
	};
	static const char *const classes[][3] = {{"host", "level2", "level3"},
						 {"tc", "intra", "inter"},
						 {NULL, NULL, NULL}};
	const size_t kind = random_below(numbers, 3);

	fprintf(file, "topology: {%s, links: {", kinds[kind]);
	if (!classes[kind][0] || random_below(numbers, 3) == 0)
		fprintf(file, "wire: %s", PICK(numbers, times));
	else
		for (int i = 0; i < 3; i++)
			fprintf(file, "%s%s: %s", i ? ", " : "", classes[kind][i],
				PICK(numbers, times));
	fprintf(file, "}");
	if (random_below(numbers, 3))
		fprintf(file, ", switch: %s", PICK(numbers, times));
	fprintf(file, "}\n");
}

void random_network_write(FILE *file, const char *mapping, uint64_t *numbers)
{
	const bool topology = random_below(numbers, 2), sizes = random_below(numbers, 2);
	const unsigned ranks = 1 + (unsigned)random_below(numbers, 3);

	fprintf(file, "ranks-per-node: %u\n", ranks);
	write_mapping(file, mapping, numbers);
	/* Ranks of a topology that share a host need a latency of their own. */
	if (topology || !sizes || random_below(numbers, 2)) {
		const unsigned keys = topology ? 2 | (unsigned)random_below(numbers, 8)
					       : 1 + (unsigned)random_below(numbers, 7);

		fprintf(file, "intra-node: {");
		write_own(file, keys, "", numbers);
		fprintf(file, "}\n");
	}
	if (sizes)
		write_sizes(file, !topology, numbers);
	if (topology)
		write_topology(file, numbers);
	if (random_below(numbers, 2))
		fprintf(file, "L: %s\n", PICK(numbers, times));
}

void random_network(struct model_parameters *parameters, const struct loggps *loggps,
		    uint64_t *numbers)
{
	char path[] = "/tmp/random_network.XXXXXX", mapping[] = "/tmp/random_mapping.XXXXXX";
	FILE *file = fdopen(mkstemp(path), "w");
	struct error err;

	close(mkstemp(mapping));
	if (!file)
		abort();
	random_network_write(file, mapping, numbers);
	fclose(file);
	parameters_init(parameters);
	parameters->loggps = *loggps;
	if (parameters_read(parameters, path, &err) < 0) {
		fprintf(stderr, "%s\n", err.text);
		abort();
	}
	unlink(path);
	unlink(mapping);
}
