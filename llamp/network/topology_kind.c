#include "llamp/network/topology_kind.h"

#include "common/options.h"
#include "common/units.h"

#include <math.h>
#include <string.h>

const struct yaml_entry *topology_find(const struct yaml_entry *entry, const char *key)
{
	for (const struct yaml_entry *at = entry->first; at; at = at->next)
		if (!strcmp(at->key, key))
			return at;
	return NULL;
}

int topology_allocate_shape(struct topology *topology, size_t bytes, struct error *err)
{
	return allocate(&topology->shape, 1, bytes, err);
}

static int read_number(const struct yaml_file *file, const struct yaml_entry *at, const char *key,
		       uint32_t least, uint32_t *number, struct error *err)
{
	struct error reason = {0};
	uint64_t value;

	if (at->kind != YAML_SCALAR)
		return yaml_error(file, at, err, "%s: expected a whole number", key);
	if (parse_count(at->text, least, TOPOLOGY_MOST_HOSTS, &value, &reason) < 0)
		return yaml_error(file, at, err, "%s: %s", key, reason.text);
	*number = (uint32_t)value;
	return 0;
}

int topology_number(const struct yaml_file *file, const struct yaml_entry *entry, const char *key,
		    uint32_t least, uint32_t otherwise, uint32_t *number, struct error *err)
{
	const struct yaml_entry *at = topology_find(entry, key);

	if (at)
		return read_number(file, at, key, least, number, err);
	if (!otherwise)
		return yaml_error(file, entry, err, "the topology needs '%s: NUMBER'", key);
	*number = otherwise;
	return 0;
}

int topology_numbers(const struct yaml_file *file, const struct yaml_entry *entry, const char *key,
		     uint32_t least, uint32_t numbers[TOPOLOGY_MOST_DIMENSIONS], uint32_t *count,
		     struct error *err)
{
	const struct yaml_entry *list = topology_find(entry, key);

	*count = 0;
	if (!list || list->kind != YAML_SEQUENCE || !list->first)
		return yaml_error(file, list ? list : entry, err,
				  "the topology needs '%s: [NUMBER, ...]'", key);
	for (const struct yaml_entry *at = list->first; at; at = at->next) {
		if (*count == TOPOLOGY_MOST_DIMENSIONS)
			return yaml_error(file, at, err, "%s: more than %d numbers", key,
					  TOPOLOGY_MOST_DIMENSIONS);
		TRY(read_number(file, at, key, least, &numbers[(*count)++], err));
	}
	return 0;
}

int topology_set_size(struct topology *topology, const struct yaml_file *file,
		      const struct yaml_entry *entry, uint64_t hosts, uint64_t switches,
		      struct error *err)
{
	if (hosts > TOPOLOGY_MOST_HOSTS || switches > TOPOLOGY_MOST_HOSTS) {
		yaml_error(file, entry, err,
			   "the network is too large: at most %d hosts and as"
			   " many switches",
			   TOPOLOGY_MOST_HOSTS);
		err->status = STATUS_LIMIT;
		return -1;
	}
	topology->host_count = (uint32_t)hosts;
	topology->switch_count = (uint32_t)switches;
	return 0;
}

int topology_add_class(struct topology *topology, const struct yaml_file *file,
		       const struct yaml_entry *entry, const char *name, struct error *err)
{
	if (strlen(name) >= TOPOLOGY_CLASS_BYTES || !name[0] ||
	    name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-")])
		return yaml_error(file, entry, err,
				  "a class of links needs a name of at most %d"
				  " letters, digits and hyphens",
				  TOPOLOGY_CLASS_BYTES - 1);
	for (uint32_t i = 0; i < topology->class_count; i++)
		if (!strcmp(topology->classes[i], name))
			return (int)i;
	if (topology->class_count == TOPOLOGY_MOST_CLASSES)
		return yaml_error(file, entry, err, "more than %d classes of links",
				  TOPOLOGY_MOST_CLASSES);
	strcpy(topology->classes[topology->class_count], name);
	return (int)topology->class_count++;
}

int topology_add_hop(struct hops *hops, uint32_t from, uint32_t to, uint32_t class,
		     struct error *err)
{
	return array_push(hops, ((struct hop){.from = from, .to = to, .class = class}), err);
}

int topology_add_link(struct links *links, uint32_t from, uint32_t to, uint32_t class,
		      struct error *err)
{
	if (links->count == TOPOLOGY_MOST_LINKS)
		return error_set(err, STATUS_LIMIT, "the network has more than %d links",
				 TOPOLOGY_MOST_LINKS);
	return array_push(links, ((struct link){from, to, class}), err);
}

void topology_place_on_circle(uint32_t i, uint32_t count, double radius, double *x, double *y)
{
	const double angle = 2 * M_PI * i / count;

	*x = 0.5 + radius * sin(angle);
	*y = 0.5 - radius * cos(angle);
}
