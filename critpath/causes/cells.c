#include "critpath/causes/cells.h"

/* Add computation and calls of a function at a site. */
static int add_pair(struct cells *cells, uint32_t function, uint32_t site, struct error *err)
{
	const uint32_t number = (uint32_t)cells->list.count;
	uint32_t first = number;

	if (cells->match == MATCH_FUNCTION) {
		first = number_map_get(&cells->by_function, function, 0);
		if (first == NUMBER_MAP_EMPTY) {
			first = number;
			TRY(number_map_add(&cells->by_function, function, 0, number, err));
		}
	}
	for (uint32_t kind = CELL_COMPUTE; kind <= CELL_CALL; kind++) {
		const struct cell cell = {cell_code(function, site, (enum cell_kind)kind),
					  first + kind};

		TRY(array_push(&cells->list, cell, err));
	}
	return number_map_add(&cells->by_call, function, site, number, err);
}

int cells_init(struct cells *cells, enum cell_match match, struct error *err)
{
	*cells = (struct cells){.match = match};
	return add_pair(cells, NO_FUNCTION, 0, err);
}

void cells_release(struct cells *cells)
{
	array_release(&cells->list);
	number_map_release(&cells->by_call);
	number_map_release(&cells->by_function);
}

int cells_number(struct cells *cells, uint64_t code, uint32_t *number, struct error *err)
{
	const uint32_t function = cell_function(code), site = cell_site(code);

	*number = number_map_get(&cells->by_call, function, site);
	if (*number == NUMBER_MAP_EMPTY) {
		*number = (uint32_t)cells->list.count;
		TRY(add_pair(cells, function, site, err));
	}
	*number += cell_kind(code);
	return 0;
}
