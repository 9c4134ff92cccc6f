/*
 * Any network, as a list of its links.
 *
 *	# comment
 *	host NAME [NAME]...
 *	link NAME NAME CLASS
 *
 * Hosts are numbered in the order in which they are named.  Names that are no hosts are switches.
 * The file is looked for beside the parameter file.
 *
 * A route has the fewest links.  Of several it is one with the least latency at the given values,
 * and then the one whose links come first in the file.  Every node passes messages on, a host with
 * several links, too.  For pairs of inner nodes, which are not hosts with one link to a switch, the
 * last link of their route is kept: the routes from one node are a tree.
 */
#include "llamp/network/topology_kind.h"

#include "common/input.h"
#include "common/string_map.h"

#include <stdio.h>
#include <string.h>

/* The table of inner nodes takes 2 bytes for each pair. */
enum { MOST_INNER = 8192, MOST_PORTS = UINT16_MAX };

/* Where a node is in the table, and what is between it and that place. */
struct attachment {
	uint32_t inner;
	uint32_t class;		/* of its only link */
	bool is_leaf;
};

/* A link as seen from one of its ends. */
struct port {
	uint32_t to;
	uint32_t class : 16, back : 16; /* its number at the other end */
};

struct edges {
	struct input file;
	struct string_map names;		/* to number of a name */
	ARRAY(uint32_t) hosts;			/* numbers of names */
	ARRAY(struct link) list;		/* by numbers of names, then by nodes */
	uint32_t name_count;
	uint32_t inner_count;
	struct attachment *attached;		/* [node] */
	uint32_t *first;			/* [node]: first of its ports */
	struct port *ports;
	/*
	 * [from][to], inner nodes: number of the port of `to` at which the route arrives.
	 */
	uint16_t *table;
	uint32_t *inner;			/* nodes of the table */
};

static void release_edges(void *shape)
{
	struct edges *edges = shape;

	input_release(&edges->file);
	string_map_release(&edges->names);
	array_release(&edges->hosts);
	array_release(&edges->list);
	free(edges->attached);
	free(edges->table);
	free(edges->first);
	free(edges->ports);
	free(edges->inner);
}

/* ------------------------------------------------------------------- the file */

struct reader {
	struct topology *topology;
	struct edges *edges;
	const char *path;
	const char *at, *end;	/* rest of the line */
	unsigned line;
	const struct yaml_file *file;
	const struct yaml_entry *entry;
	struct error *err;
};

static int wrong(const struct reader *reader, const char *what)
{
	return error_set(reader->err, STATUS_DATA, "%s:%u: %s", reader->path, reader->line, what);
}

/* Take the next word of the line; *bytes becomes 0 at its end. */
static const char *next_word(struct reader *reader, uint32_t *bytes)
{
	const char *begin;

	while (reader->at < reader->end && strchr(" \t\r", *reader->at) && *reader->at)
		reader->at++;
	begin = reader->at;
	while (reader->at < reader->end && !(strchr(" \t\r", *reader->at) && *reader->at))
		reader->at++;
	*bytes = (uint32_t)(reader->at - begin);
	return begin;
}

/* Find the number of a name, which becomes a new one if it is not known. */
static int number_of(struct reader *reader, uint32_t *number)
{
	struct edges *edges = reader->edges;
	uint32_t bytes;
	const char *name = next_word(reader, &bytes);

	if (!bytes)
		return wrong(reader, "a name is missing (expected: link NAME NAME CLASS)");
	*number = string_map_get(&edges->names, name, bytes);
	if (*number != STRING_MAP_EMPTY)
		return 0;
	if (edges->name_count == TOPOLOGY_MOST_HOSTS)
		return error_set(reader->err, STATUS_LIMIT, "%s:%u: more than %d nodes",
				 reader->path, reader->line, TOPOLOGY_MOST_HOSTS);
	*number = edges->name_count++;
	return string_map_add(&edges->names, name, bytes, *number, reader->err);
}

static int read_hosts(struct reader *reader)
{
	struct edges *edges = reader->edges;

	do {
		const uint32_t known = edges->name_count;
		uint32_t number;

		TRY(number_of(reader, &number));
		if (number != known)
			return wrong(reader, "a host is named twice, or after one of its links");
		TRY(array_push(&edges->hosts, number, reader->err));
		while (reader->at < reader->end && strchr(" \t\r", *reader->at) && *reader->at)
			reader->at++;
	} while (reader->at < reader->end);
	return 0;
}

static int read_link(struct reader *reader)
{
	char class[TOPOLOGY_CLASS_BYTES];
	struct link link;
	uint32_t bytes;
	const char *word;
	int found;

	TRY(number_of(reader, &link.from));
	TRY(number_of(reader, &link.to));
	word = next_word(reader, &bytes);
	if (!bytes)
		return wrong(reader, "the class of the link is missing (link NAME NAME CLASS)");
	snprintf(class, sizeof class, "%.*s", bytes < sizeof class ? (int)bytes : 0, word);
	found = topology_add_class(reader->topology, reader->file, reader->entry, class,
				   reader->err);
	if (found < 0)
		return error_prefix(reader->err, "%s:%u", reader->path, reader->line);
	link.class = (uint32_t)found;
	next_word(reader, &bytes);
	if (bytes)
		return wrong(reader, "more words than link NAME NAME CLASS");
	if (link.from == link.to)
		return wrong(reader, "a link leads to the node where it begins");
	if (reader->edges->list.count == TOPOLOGY_MOST_LINKS)
		return error_set(reader->err, STATUS_LIMIT, "%s: more than %d links", reader->path,
				 TOPOLOGY_MOST_LINKS);
	return array_push(&reader->edges->list, link, reader->err);
}

static int edges_read_line(struct reader *reader)
{
	uint32_t bytes;
	const char *word = next_word(reader, &bytes);

	if (!bytes || word[0] == '#')
		return 0;
	if (bytes == 4 && !memcmp(word, "host", 4))
		return read_hosts(reader);
	if (bytes == 4 && !memcmp(word, "link", 4))
		return read_link(reader);
	return wrong(reader, "expected 'host NAME' or 'link NAME NAME CLASS'");
}

static int edges_read_lines(struct reader *reader)
{
	const char *at = (const char *)reader->edges->file.bytes;
	const char *const end = at + reader->edges->file.count;

	while (at < end) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));

		reader->at = at;
		reader->end = newline ? newline : end;
		reader->line++;
		at = newline ? newline + 1 : end;
		TRY(edges_read_line(reader));
	}
	return 0;
}

/* Number hosts before switches, each in the order of their names. */
static int number_nodes(struct reader *reader)
{
	struct edges *edges = reader->edges;
	uint32_t *node, switches = (uint32_t)edges->hosts.count;

	if (!edges->hosts.count)
		return error_set(reader->err, STATUS_DATA, "%s: no host: name them in lines"
				 " 'host NAME'", reader->path);
	TRY(allocate(&node, edges->name_count, sizeof *node, reader->err));
	for (uint32_t i = 0; i < edges->hosts.count; i++)
		node[edges->hosts.items[i]] = i + 1;
	for (uint32_t name = 0; name < edges->name_count; name++)
		node[name] = node[name] ? node[name] - 1 : switches++;
	for (size_t i = 0; i < edges->list.count; i++) {
		edges->list.items[i].from = node[edges->list.items[i].from];
		edges->list.items[i].to = node[edges->list.items[i].to];
	}
	free(node);
	return topology_set_size(reader->topology, reader->file, reader->entry,
				 edges->hosts.count, edges->name_count - edges->hosts.count,
				 reader->err);
}

/* Make the path of a file that is named in another file. */
static char *path_beside(const char *beside, const char *name, struct error *err)
{
	const char *slash = name[0] == '/' ? NULL : strrchr(beside, '/');
	const size_t folder = slash ? (size_t)(slash - beside) + 1 : 0;
	char *path;

	if (allocate(&path, folder + strlen(name) + 1, 1, err) < 0)
		return NULL;
	memcpy(path, beside, folder);
	strcpy(path + folder, name);
	return path;
}

static int read_edges(struct topology *topology, const struct yaml_file *file,
		      const struct yaml_entry *entry, struct error *err)
{
	const struct yaml_entry *name = topology_find(entry, "file");
	struct reader reader = {.topology = topology, .file = file, .entry = entry, .err = err};
	char *path;
	int result;

	if (!name || name->kind != YAML_SCALAR)
		return yaml_error(file, name ? name : entry, err,
				  "the topology needs 'file: FILE' with its links");
	TRY(topology_allocate_shape(topology, sizeof *reader.edges, err));
	reader.edges = topology->shape;
	path = path_beside(file->path, name->text, err);
	if (!path)
		return -1;
	reader.path = path;
	result = input_open(&reader.edges->file, path, err);
	if (result == 0)
		result = edges_read_lines(&reader);
	if (result == 0)
		result = number_nodes(&reader);
	free(path);
	/* Names are not needed any more. */
	string_map_release(&reader.edges->names);
	input_release(&reader.edges->file);
	reader.edges->file = (struct input){0};
	return result;
}

/* ------------------------------------------------------------------ the table */

/* Tell each port its number at the other end: the ports of a node are in the order of the list. */
static int number_ports(struct edges *edges, uint32_t nodes, struct error *err)
{
	uint32_t *next;

	TRY(allocate(&next, nodes, sizeof *next, err));
	for (size_t i = 0; i < edges->list.count; i++) {
		const struct link *link = &edges->list.items[i];
		const uint32_t there = next[link->from]++, back = next[link->to]++;

		if (there > MOST_PORTS || back > MOST_PORTS) {
			free(next);
			return error_set(err, STATUS_LIMIT, "a node has more than %d links",
					 MOST_PORTS + 1);
		}
		edges->ports[edges->first[link->from] + there].back = (uint16_t)back;
		edges->ports[edges->first[link->to] + back].back = (uint16_t)there;
	}
	free(next);
	return 0;
}

static int list_ports(const struct topology *topology, struct edges *edges, struct error *err)
{
	const uint32_t nodes = topology->host_count + topology->switch_count;

	TRY(allocate(&edges->first, (size_t)nodes + 1, sizeof *edges->first, err));
	TRY(allocate(&edges->ports, 2 * edges->list.count, sizeof *edges->ports, err));
	for (size_t i = 0; i < edges->list.count; i++) {
		edges->first[edges->list.items[i].from]++;
		edges->first[edges->list.items[i].to]++;
	}
	for (uint32_t node = 1; node <= nodes; node++)
		edges->first[node] += edges->first[node - 1];
	for (size_t i = edges->list.count; i-- > 0;) {
		const struct link *link = &edges->list.items[i];

		edges->ports[--edges->first[link->from]] = (struct port){link->to, link->class, 0};
		edges->ports[--edges->first[link->to]] = (struct port){link->from, link->class, 0};
	}
	return number_ports(edges, nodes, err);
}

/* Find the inner nodes, and what is attached to them. */
static int attach(const struct topology *topology, struct edges *edges, struct error *err)
{
	const uint32_t hosts = topology->host_count, nodes = hosts + topology->switch_count;

	TRY(allocate(&edges->attached, nodes, sizeof *edges->attached, err));
	TRY(allocate(&edges->inner, nodes, sizeof *edges->inner, err));
	for (uint32_t node = nodes; node-- > 0;) {
		const struct port *port = &edges->ports[edges->first[node]];
		struct attachment *attached = &edges->attached[node];

		if (node < hosts && edges->first[node + 1] - edges->first[node] == 1 &&
		    port->to >= hosts) {
			*attached = edges->attached[port->to];
			attached->class = port->class;
			attached->is_leaf = true;
			continue;
		}
		if (edges->inner_count == MOST_INNER)
			return error_set(err, STATUS_LIMIT, "the network has more than %d switches"
					 " and hosts with several links", MOST_INNER);
		attached->inner = edges->inner_count;
		edges->inner[edges->inner_count++] = node;
	}
	return 0;
}

/* Shortest routes from one node. */
struct search {
	uint32_t *links;		/* [inner]: of its route, + 1; 0: not reached */
	__int128 *latency_as;		/* [inner]: of its links and switches */
	uint32_t *queue;
};

static int64_t link_latency(const struct topology *topology, uint32_t class)
{
	return topology->latency_as[topology->one_class ? 0 : class];
}

static int search_from(const struct topology *topology, struct edges *edges, uint32_t source,
		       struct search *search, struct error *err)
{
	uint16_t *arrival = &edges->table[(size_t)source * edges->inner_count];
	uint32_t taken = 0, count = 1;

	memset(search->links, 0, edges->inner_count * sizeof *search->links);
	search->links[source] = 1;
	search->latency_as[source] = 0;
	search->queue[0] = source;
	while (taken < count) {
		const uint32_t at = search->queue[taken++], node = edges->inner[at];

		for (uint32_t i = edges->first[node]; i < edges->first[node + 1]; i++) {
			const struct port *port = &edges->ports[i];
			const uint32_t to = edges->attached[port->to].inner;
			const __int128 latency_as = search->latency_as[at] + topology->switch_as +
						    link_latency(topology, port->class);

			if (edges->attached[port->to].is_leaf)
				continue;
			if (!search->links[to])
				search->queue[count++] = to;
			else if (search->links[to] != search->links[at] + 1 ||
				 latency_as >= search->latency_as[to])
				continue;
			search->links[to] = search->links[at] + 1;
			search->latency_as[to] = latency_as;
			arrival[to] = port->back;
		}
	}
	if (count < edges->inner_count)
		return error_set(err, STATUS_DATA, "the links of the network do not connect all of"
				 " its nodes");
	return 0;
}

static int fill_table(const struct topology *topology, struct edges *edges,
		      struct search *search, struct error *err)
{
	const uint32_t count = edges->inner_count;

	TRY(allocate(&edges->table, (size_t)count * count, sizeof *edges->table, err));
	TRY(allocate(&search->links, count, sizeof *search->links, err));
	TRY(allocate(&search->latency_as, count, sizeof *search->latency_as, err));
	TRY(allocate(&search->queue, count, sizeof *search->queue, err));
	for (uint32_t source = 0; source < count; source++)
		TRY(search_from(topology, edges, source, search, err));
	return 0;
}

static int finish_edges(struct topology *topology, const struct yaml_file *file,
			const struct yaml_entry *entry, struct error *err)
{
	struct edges *edges = topology->shape;
	struct search search = {0};
	int result = list_ports(topology, edges, err);

	if (result == 0)
		result = attach(topology, edges, err);
	if (result == 0)
		result = fill_table(topology, edges, &search, err);
	free(search.links);
	free(search.latency_as);
	free(search.queue);
	if (result < 0)
		return error_prefix(err, "%s:%u", file->path, entry->line);
	return 0;
}

/* ---------------------------------------------------------------------- the kind */

/*
 * The last link of the route between two inner nodes, as a port of the node where it ends.  NULL at
 * the end of the route.
 */
static const struct port *last_port(const struct edges *edges, uint32_t from, uint32_t to)
{
	const uint16_t arrival = edges->table[(size_t)from * edges->inner_count + to];

	return from == to ? NULL : &edges->ports[edges->first[edges->inner[to]] + arrival];
}

static void route_edges(const struct topology *topology, uint32_t from, uint32_t to,
			uint16_t links[TOPOLOGY_MOST_CLASSES])
{
	const struct edges *edges = topology->shape;
	const struct attachment *a = &edges->attached[from], *b = &edges->attached[to];
	const struct port *port;

	links[a->class] += a->is_leaf;
	links[b->class] += b->is_leaf;
	for (uint32_t at = b->inner; (port = last_port(edges, a->inner, at));
	     at = edges->attached[port->to].inner)
		links[port->class]++;
}

/* Add the links from a node to the last one, from the last on. */
static int add_back(const struct edges *edges, uint32_t from, uint32_t to, struct hops *hops,
		    struct error *err)
{
	const struct port *port;

	while ((port = last_port(edges, from, to))) {
		TRY(topology_add_hop(hops, port->to, edges->inner[to], port->class, err));
		to = edges->attached[port->to].inner;
	}
	return 0;
}

static void reverse(struct hop *hops, size_t count)
{
	for (size_t i = 0; i < count / 2; i++) {
		const struct hop hop = hops[i];

		hops[i] = hops[count - 1 - i];
		hops[count - 1 - i] = hop;
	}
}

static int hops_in_edges(const struct topology *topology, uint32_t from, uint32_t to,
			 struct hops *hops, struct error *err)
{
	const struct edges *edges = topology->shape;
	const struct attachment *a = &edges->attached[from], *b = &edges->attached[to];

	if (b->is_leaf)
		TRY(topology_add_hop(hops, edges->inner[b->inner], to, b->class, err));
	TRY(add_back(edges, a->inner, b->inner, hops, err));
	if (a->is_leaf)
		TRY(topology_add_hop(hops, from, edges->inner[a->inner], a->class, err));
	reverse(hops->items, hops->count);
	return 0;
}

static int links_of_edges(const struct topology *topology, struct links *links, struct error *err)
{
	const struct edges *edges = topology->shape;

	for (size_t i = 0; i < edges->list.count; i++)
		TRY(topology_add_link(links, edges->list.items[i].from, edges->list.items[i].to,
				      edges->list.items[i].class, err));
	return 0;
}

/* Switches are a circle; a host is outside of its switch, or on a circle of its own. */
static void place_in_edges(const struct topology *topology, uint32_t node, double *x, double *y)
{
	if (node < topology->host_count)
		topology_place_on_circle(node, topology->host_count, 0.5, x, y);
	else
		topology_place_on_circle(node - topology->host_count, topology->switch_count, 0.35,
					 x, y);
}

static const char *const edges_keys[] = {"file", NULL};

const struct topology_kind topology_edges = {
	.name = "edges",
	.keys = edges_keys,
	.read = read_edges,
	.finish = finish_edges,
	.route = route_edges,
	.hops = hops_in_edges,
	.links = links_of_edges,
	.place = place_in_edges,
	.release = release_edges,
};
