/* Parts of reading parameters.  Private to llamp/network/parameters*.c. */
#ifndef LLAMP_PARAMETERS_READ_H
#define LLAMP_PARAMETERS_READ_H

#include "common/yaml.h"
#include "llamp/network/parameters.h"

/*
 * Set the mapping: block, cyclic, trace, or a file with a host for each rank, which is read.  It
 * is looked for beside the file `beside`.
 */
int mapping_parse(struct network *network, const char *text, const char *beside,
		  struct error *err);

/* Read the rows under `sizes:`, and the mapping under `intra-node:`. */
int sizes_read(struct model_parameters *parameters, const struct yaml_file *file,
	       const struct yaml_entry *entry, struct error *err);
int node_read(struct model_parameters *parameters, const struct yaml_file *file,
	      const struct yaml_entry *entry, struct error *err);

/*
 * Add a variable like `like`, one of VARIABLE_L, ..., with another name and value.  Returns its
 * index.  There is room for all that a file can have.
 */
uint32_t parameters_add(struct model_parameters *parameters, uint32_t like, const char *name,
			int64_t value_as);

/* Let loggps know the network if messages differ or the ranks of a node share NICs. */
void parameters_connect(struct model_parameters *parameters);

#endif
