#include "critpath/match/run_sites.h"

#include "common/number_map.h"
#include "common/string_map.h"
#include "critpath/match/site_texts.h"

#include <string.h>

/* State of naming. */
struct naming {
	struct run_sites *sites;
	struct measured_run *run;
	struct dist *dist;
	name_sites *name;
	void *data;
	size_t own;	   /* texts of own sites */
	uint32_t *numbers; /* [text] */
	uint32_t count;	   /* of different names, on process 0 */
};

/* ----------------------------------------------------------------------- texts */

/* Let the calls of a rank have the places of their texts, plus 1, for sites. */
static int run_sites_list_rank(struct naming *naming, struct number_map *places,
			       struct measured_rank *rank, struct error *err)
{
	for (size_t i = 0; i < rank->sites.count; i++) {
		uint32_t *site = &rank->sites.items[i], place;
		const char *text;

		if (*site == NO_SITE)
			continue;
		place = number_map_get(places, *site, 0);
		if (place == NUMBER_MAP_EMPTY) {
			text = measured_site_text(naming->run, *site);
			TRY(string_table_add(&naming->sites->texts, text, strlen(text), &place,
					     err));
			TRY(number_map_add(places, *site, 0, place, err));
		}
		*site = place + 1;
	}
	return 0;
}

static int list_own(struct naming *naming, struct error *err)
{
	const struct measured_run *run = naming->run;
	struct number_map places = {0};
	int result = 0;

	for (uint32_t r = run->own_first; result == 0 && r < run->own_end; r++)
		result = run_sites_list_rank(naming, &places, &run->ranks[r], err);
	number_map_release(&places);
	naming->own = naming->sites->texts.starts.count;
	return result;
}

/* ----------------------------------------------------------------------- names */

/* Number the name of a text. */
static int number_name(struct naming *naming, struct string_map *firsts, size_t text,
		       const char *name, struct error *err)
{
	const uint32_t bytes = (uint32_t)strlen(name);
	uint32_t number = string_map_get(firsts, name, bytes);

	if (number == STRING_MAP_EMPTY) {
		number = ++naming->count;
		naming->sites->names[number] = name;
		TRY(string_map_add(firsts, name, bytes, number, err));
	}
	naming->numbers[text] = number;
	return 0;
}

static int name_texts(struct naming *naming, struct error *err)
{
	const size_t count = naming->sites->texts.starts.count;
	struct string_map firsts = {0};
	const char **names;
	int result;

	TRY(allocate(&naming->sites->names, count + 1, sizeof *naming->sites->names, err));
	TRY(allocate(&naming->numbers, count, sizeof *naming->numbers, err));
	TRY(allocate(&names, count, sizeof *names, err));
	result = naming->name(naming->data, &naming->sites->texts, names, err);
	for (size_t i = 0; result == 0 && i < count; i++)
		result = number_name(naming, &firsts, i, names[i], err);
	string_map_release(&firsts);
	free(names);
	return result;
}

/* --------------------------------------------------------------------- sharing */

/* Let process 0 have all texts.  *any becomes false if there is none. */
static int join_texts(struct naming *naming, bool *any, struct error *err)
{
	uint64_t most = naming->own;

	TRY(dist_allreduce(naming->dist, &most, 1, DIST_MAX, err));
	*any = most > 0;
	return *any ? site_texts_join(&naming->sites->texts, naming->dist, err) : 0;
}

static int tell_numbers(struct naming *naming, struct error *err)
{
	struct dist *dist = naming->dist;
	int result = 0;

	if (dist->rank != 0)
		result = allocate(&naming->numbers, naming->own, sizeof *naming->numbers, err);
	TRY(dist_agree(dist, result, err));
	TRY(dist_bcast(dist, 0, &naming->count, sizeof naming->count, err));
	return site_texts_tell(&naming->sites->texts, naming->numbers, naming->own, dist, err);
}

static void number_calls(const struct naming *naming)
{
	const struct measured_run *run = naming->run;

	for (uint32_t r = run->own_first; r < run->own_end; r++)
		for (size_t i = 0; i < run->ranks[r].sites.count; i++) {
			uint32_t *site = &run->ranks[r].sites.items[i];

			if (*site != NO_SITE)
				*site = naming->numbers[*site - 1];
		}
}

static int run_sites_name(struct naming *naming, struct error *err)
{
	bool any;
	int result = 0;

	TRY(dist_agree(naming->dist, list_own(naming, err), err));
	TRY(join_texts(naming, &any, err));
	if (!any)
		return 0;
	if (naming->dist->rank == 0)
		result = name_texts(naming, err);
	TRY(dist_agree(naming->dist, result, err));
	TRY(tell_numbers(naming, err));
	number_calls(naming);
	naming->run->site_names = naming->sites->names;
	naming->run->site_count = naming->count + 1;
	return 0;
}

int run_sites_find(struct run_sites *sites, struct measured_run *run, struct dist *dist,
		   name_sites *name, void *data, struct error *err)
{
	struct naming naming = {
		.sites = sites, .run = run, .dist = dist, .name = name, .data = data};
	int result;

	*sites = (struct run_sites){0};
	result = run_sites_name(&naming, err);
	free(naming.numbers);
	if (result < 0)
		run_sites_release(sites);
	return result;
}

void run_sites_release(struct run_sites *sites)
{
	free(sites->names);
	string_table_release(&sites->texts);
	*sites = (struct run_sites){0};
}
