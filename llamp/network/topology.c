#include "llamp/network/topology_kind.h"

#include "common/options.h"
#include "common/units.h"

#include <stdio.h>
#include <string.h>

static const struct topology_kind *const kinds[] = {
	&topology_fat_tree, &topology_dragonfly, &topology_torus, &topology_mesh,
	&topology_hyperx,   &topology_slim_fly,	 &topology_edges,
};

enum { KIND_COUNT = sizeof kinds / sizeof *kinds };

/* ------------------------------------------------------------------- reading */

static int read_time(const struct yaml_file *file, const struct yaml_entry *at, int64_t *as,
		     struct error *err)
{
	struct error reason = {0};

	if (at->kind != YAML_SCALAR)
		return yaml_error(file, at, err, "%s: expected a time", at->key);
	if (parse_time_as(at->text, as, &reason) < 0)
		return yaml_error(file, at, err, "%s: %s", at->key, reason.text);
	return 0;
}

static void list_classes(const struct topology *topology, char *text, size_t room)
{
	size_t used = 0;

	text[0] = '\0';
	for (uint32_t i = 0; i < topology->class_count && used < room; i++)
		used += (size_t)snprintf(text + used, room - used, "%s%s", i ? ", " : "",
					 topology->classes[i]);
}

/* Read the latencies of the kind's classes, of which none may be missing or unknown. */
static int read_latencies(struct topology *topology, const struct yaml_file *file,
			  const struct yaml_entry *links, struct error *err)
{
	char known[TOPOLOGY_MOST_CLASSES * (TOPOLOGY_CLASS_BYTES + 2)];

	list_classes(topology, known, sizeof known);
	for (uint32_t i = 0; i < topology->class_count; i++) {
		const struct yaml_entry *at = topology_find(links, topology->classes[i]);

		if (!at)
			return yaml_error(file, links, err, "links: no latency for class '%s': give"
					  " all of %s, or one name for all links",
					  topology->classes[i], known);
		TRY(read_time(file, at, &topology->latency_as[i], err));
	}
	for (const struct yaml_entry *at = links->first; at; at = at->next) {
		uint32_t i = 0;

		while (i < topology->class_count && strcmp(at->key, topology->classes[i]))
			i++;
		if (i == topology->class_count)
			return yaml_error(file, at, err, "links: unknown class '%s' (expected %s)",
					  at->key, known);
	}
	return 0;
}

/*
 * Read `links:`: a latency for every class of the kind, or one name, such as "wire", for all
 * links together.
 */
static int read_links(struct topology *topology, const struct yaml_file *file,
		      const struct yaml_entry *entry, struct error *err)
{
	const struct yaml_entry *links = topology_find(entry, "links");

	if (!links || links->kind != YAML_MAPPING || !links->first)
		return yaml_error(file, links ? links : entry, err,
				  "the topology needs the latency of its links: 'links: {wire: 274ns}'");
	if (links->first->next)
		return read_latencies(topology, file, links, err);
	for (uint32_t i = 0; i < topology->class_count; i++)
		if (!strcmp(links->first->key, topology->classes[i]))
			return read_latencies(topology, file, links, err);
	topology->class_count = 0;
	topology->one_class = true;
	TRY(topology_add_class(topology, file, links->first, links->first->key, err));
	return read_time(file, links->first, &topology->latency_as[0], err);
}

static int check_keys(const struct topology_kind *kind, const struct yaml_file *file,
		      const struct yaml_entry *entry, struct error *err)
{
	for (const struct yaml_entry *at = entry->first; at; at = at->next) {
		bool known = !strcmp(at->key, "kind") || !strcmp(at->key, "links") ||
			     !strcmp(at->key, "switch");

		for (const char *const *key = kind->keys; *key; key++)
			known |= !strcmp(at->key, *key);
		if (!known)
			return yaml_error(file, at, err, "a topology of kind %s has no '%s'",
					  kind->name, at->key);
	}
	return 0;
}

static int find_kind(const struct topology_kind **kind, const struct yaml_file *file,
		     const struct yaml_entry *entry, struct error *err)
{
	const char *names[KIND_COUNT + 1] = {NULL};
	const struct yaml_entry *at;
	struct error reason = {0};
	int found;

	if (entry->kind != YAML_MAPPING)
		return yaml_error(file, entry, err, "topology: expected 'kind: fat-tree' and so on");
	at = topology_find(entry, "kind");
	for (int i = 0; i < KIND_COUNT; i++)
		names[i] = kinds[i]->name;
	found = parse_choice(at && at->kind == YAML_SCALAR ? at->text : "", "kind of topology",
			     names, &reason);
	if (found < 0)
		return yaml_error(file, at ? at : entry, err, "%s", reason.text);
	*kind = kinds[found];
	return 0;
}

static int read_topology(struct topology *topology, const struct yaml_file *file,
			 const struct yaml_entry *entry, struct error *err)
{
	const struct yaml_entry *at;

	TRY(find_kind(&topology->kind, file, entry, err));
	TRY(check_keys(topology->kind, file, entry, err));
	for (const char *const *name = topology->kind->classes; name && *name; name++)
		TRY(topology_add_class(topology, file, entry, *name, err));
	TRY(topology->kind->read(topology, file, entry, err));
	TRY(read_links(topology, file, entry, err));
	at = topology_find(entry, "switch");
	if (at)
		TRY(read_time(file, at, &topology->switch_as, err));
	return topology->kind->finish ? topology->kind->finish(topology, file, entry, err) : 0;
}

int topology_read(struct topology *topology, const struct yaml_file *file,
		  const struct yaml_entry *entry, struct error *err)
{
	*topology = (struct topology){0};
	if (read_topology(topology, file, entry, err) == 0)
		return 0;
	topology_release(topology);
	return -1;
}

void topology_release(struct topology *topology)
{
	if (topology->shape && topology->kind->release)
		topology->kind->release(topology->shape);
	free(topology->shape);
	topology->shape = NULL;
}

const char *topology_name(const struct topology *topology)
{
	return topology->kind->name;
}

const char *topology_description(const struct topology *topology,
				 char text[static TOPOLOGY_TEXT_BYTES])
{
	snprintf(text, TOPOLOGY_TEXT_BYTES, "%s of %u host%s", topology_name(topology),
		 topology->host_count, plural(topology->host_count));
	return text;
}

const char *topology_node_name(const struct topology *topology, uint32_t node,
			       char text[static TOPOLOGY_TEXT_BYTES])
{
	const bool is_host = node < topology->host_count;

	snprintf(text, TOPOLOGY_TEXT_BYTES, "%s %u", is_host ? "host" : "switch",
		 is_host ? node : node - topology->host_count);
	return text;
}

const char *topology_latency_name(const struct topology *topology, uint32_t class,
				  char text[static TOPOLOGY_TEXT_BYTES])
{
	if (class < topology->class_count)
		snprintf(text, TOPOLOGY_TEXT_BYTES, "l_%s", topology->classes[class]);
	else
		strcpy(text, "d_switch");
	return text;
}

/* -------------------------------------------------------------------- routes */

void topology_route(const struct topology *topology, uint32_t from, uint32_t to,
		    struct route *route)
{
	uint32_t sum = 0;

	*route = (struct route){0};
	if (from == to)
		return;
	topology->kind->route(topology, from, to, route->links);
	for (uint32_t i = 0; i < TOPOLOGY_MOST_CLASSES; i++)
		sum += route->links[i];
	route->switches = (uint16_t)(sum - 1);
	if (topology->one_class) {
		memset(route->links, 0, sizeof route->links);
		route->links[0] = (uint16_t)sum;
	}
}

int topology_hops(const struct topology *topology, uint32_t from, uint32_t to, struct hops *hops,
		  struct error *err)
{
	hops->count = 0;
	if (from == to)
		return 0;
	TRY(topology->kind->hops(topology, from, to, hops, err));
	for (size_t i = 0; topology->one_class && i < hops->count; i++)
		hops->items[i].class = 0;
	return 0;
}

uint32_t route_links(const struct topology *topology, const struct route *route)
{
	uint32_t sum = 0;

	for (uint32_t i = 0; i < topology->class_count; i++)
		sum += route->links[i];
	return sum;
}

__int128 topology_latency(const struct topology *topology, const struct route *route)
{
	__int128 sum = (__int128)route->switches * topology->switch_as;

	for (uint32_t i = 0; i < topology->class_count; i++)
		sum += (__int128)route->links[i] * topology->latency_as[i];
	return sum;
}

struct topology_symmetry topology_symmetry_of(const struct topology *topology)
{
	if (topology->kind->symmetry)
		return topology->kind->symmetry(topology);
	return (struct topology_symmetry){.alike = 1, .sources = topology->host_count, .stride = 1};
}

/* --------------------------------------------------------------------- graph */

int topology_links(const struct topology *topology, struct links *links, struct error *err)
{
	*links = (struct links){0};
	if (topology->kind->links(topology, links, err) < 0) {
		array_release(links);
		return -1;
	}
	for (size_t i = 0; topology->one_class && i < links->count; i++)
		links->items[i].class = 0;
	return 0;
}

void topology_place(const struct topology *topology, uint32_t node, double *x, double *y)
{
	topology->kind->place(topology, node, x, y);
}
