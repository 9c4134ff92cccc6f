#include "trace/journal/journal_sites.h"

#include "common/array.h"
#include "common/source/loaded_module.h"

#include <stdlib.h>

int journal_sites_make(struct journal_sites **sites, struct error *err)
{
	return allocate(sites, 1, sizeof **sites, err);
}

void journal_sites_free(struct journal_sites *sites)
{
	if (sites)
		number_map_release(&sites->numbers);
	free(sites);
}

static void note_recent(struct journal_sites *sites, uintptr_t address, uint32_t number)
{
	const size_t slot = journal_sites_slot(address);

	sites->recent[slot].address = address;
	sites->recent[slot].number = number;
}

bool journal_sites_look_up(struct journal_sites *sites, uintptr_t address, uint32_t *number)
{
	*number = number_map_get(&sites->numbers, address, 0);
	if (*number == NUMBER_MAP_EMPTY)
		return false;
	note_recent(sites, address, *number);
	return true;
}

int journal_sites_add(struct journal_sites *sites, uintptr_t address, uint32_t *number,
		      struct error *err)
{
	*number = (uint32_t)sites->numbers.count + 1;
	TRY(number_map_add(&sites->numbers, address, 0, *number, err));
	note_recent(sites, address, *number);
	return 0;
}

const char *journal_site_text(struct journal_sites *sites, uintptr_t address)
{
	loaded_module_find(&sites->site, address);
	call_site_write(&sites->site, sites->text);
	return sites->text;
}
