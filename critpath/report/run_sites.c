#include "critpath/report/run_sites.h"

#include "common/string_map.h"

#include <string.h>

/* State of naming: for each name the first site that has it. */
struct naming {
	struct run_sites *sites;
	const struct measured_run *run;
	uint32_t *same; /* [number]: first site with the same name */
	struct string_map firsts;
};

static uint32_t most_of(const struct measured_run *run)
{
	uint32_t most = NO_SITE;

	for (uint32_t r = 0; r < run->rank_count; r++)
		for (size_t i = 0; i < run->ranks[r].sites.count; i++)
			if (run->ranks[r].sites.items[i] > most)
				most = run->ranks[r].sites.items[i];
	return most;
}

static int name_site(struct naming *naming, uint32_t site, struct error *err)
{
	const char **name = &naming->sites->names[site];
	uint32_t bytes;

	if (*name)
		return 0;
	TRY(source_lines_name(naming->sites->lines, measured_site_text(naming->run, site), name,
			      err));
	bytes = (uint32_t)strlen(*name);
	naming->same[site] = string_map_get(&naming->firsts, *name, bytes);
	if (naming->same[site] != STRING_MAP_EMPTY)
		return 0;
	naming->same[site] = site;
	return string_map_add(&naming->firsts, *name, bytes, site, err);
}

static int name_rank(struct naming *naming, struct measured_rank *rank, struct error *err)
{
	for (size_t i = 0; i < rank->sites.count; i++) {
		uint32_t *site = &rank->sites.items[i];

		if (*site == NO_SITE)
			continue;
		TRY(name_site(naming, *site, err));
		*site = naming->same[*site];
	}
	return 0;
}

static int name_all(struct naming *naming, uint32_t most, struct error *err)
{
	TRY(allocate(&naming->sites->names, (size_t)most + 1, sizeof *naming->sites->names, err));
	TRY(allocate(&naming->same, (size_t)most + 1, sizeof *naming->same, err));
	for (uint32_t r = 0; r < naming->run->rank_count; r++)
		TRY(name_rank(naming, &naming->run->ranks[r], err));
	return 0;
}

int run_sites_find(struct run_sites *sites, struct measured_run *run, struct error *err)
{
	struct naming naming = {.sites = sites, .run = run};
	const uint32_t most = most_of(run);
	int result;

	*sites = (struct run_sites){0};
	if (most == NO_SITE)
		return 0;
	TRY(source_lines_open(&sites->lines, err));
	result = name_all(&naming, most, err);
	free(naming.same);
	string_map_release(&naming.firsts);
	if (result < 0) {
		run_sites_release(sites);
	} else {
		run->site_names = sites->names;
		run->site_count = most + 1;
	}
	return result;
}

void run_sites_release(struct run_sites *sites)
{
	free(sites->names);
	source_lines_close(sites->lines);
	*sites = (struct run_sites){0};
}
