#include "critpath/causes/wait_shares.h"

#include "common/units.h"

/* number * part / whole, rounded down; part <= whole, and whole is less than 2^63. */
static __int128 scale(__int128 number, uint64_t part, uint64_t whole)
{
	return number / whole * part + number % whole * part / whole;
}

static struct cell_sum *cell_sum_of(struct wait_shares *shares, const struct cells *cells,
			       const struct wait_share *share)
{
	return &shares->sums.items[cells->list.items[share->portion.cell].match];
}

/* Add up P+ and P- of each cell. */
static int add_up(struct wait_shares *shares, const struct cells *cells, struct error *err)
{
	shares->stamp++;
	shares->met.count = 0;
	while (shares->sums.count < cells->list.count)
		TRY(array_push(&shares->sums, (struct cell_sum){0}, err));
	for (size_t i = 0; i < shares->list.count; i++) {
		const struct wait_share *share = &shares->list.items[i];
		struct cell_sum *sum = cell_sum_of(shares, cells, share);

		if (sum->stamp != shares->stamp) {
			*sum = (struct cell_sum){.stamp = shares->stamp, .largest = SIZE_MAX};
			TRY(array_push(&shares->met, cells->list.items[share->portion.cell].match,
				       err));
		}
		if (share->minus) {
			sum->minus_ns += share->portion.ns;
			continue;
		}
		sum->plus_ns += share->portion.ns;
		if (sum->largest == SIZE_MAX ||
		    share->portion.ns > shares->list.items[sum->largest].portion.ns)
			sum->largest = i;
	}
	return 0;
}

/* Share the wait among the cells by how much more of their time the first walk has. */
static void share_among_cells(struct wait_shares *shares, enum cell_match match, __int128 wait_as)
{
	struct cell_sum *sums = shares->sums.items, *largest = NULL;
	__int128 left_as = wait_as;
	uint64_t excess_ns = 0;

	for (size_t i = 0; i < shares->met.count; i++) {
		struct cell_sum *sum = &sums[shares->met.items[i]];
		const uint64_t minus_ns = match == MATCH_NONE ? 0 : sum->minus_ns;

		sum->excess_ns = sum->plus_ns > minus_ns ? sum->plus_ns - minus_ns : 0;
		excess_ns += sum->excess_ns;
		if (!largest || sum->excess_ns > largest->excess_ns)
			largest = sum;
	}
	for (size_t i = 0; excess_ns && i < shares->met.count; i++) {
		struct cell_sum *sum = &sums[shares->met.items[i]];

		sum->cost_as = scale(wait_as, sum->excess_ns, excess_ns);
		left_as -= sum->cost_as;
	}
	if (excess_ns)
		largest->cost_as += left_as;
}

/* Share the cost of each cell among its times. */
static void share_within_cells(struct wait_shares *shares, const struct cells *cells)
{
	for (size_t i = 0; i < shares->met.count; i++) {
		struct cell_sum *sum = &shares->sums.items[shares->met.items[i]];

		sum->left_as = sum->cost_as;
	}
	for (size_t i = 0; i < shares->list.count; i++) {
		struct wait_share *share = &shares->list.items[i];
		struct cell_sum *sum = cell_sum_of(shares, cells, share);

		share->cost_as = 0;
		if (share->minus || !sum->cost_as)
			continue;
		share->cost_as = scale(sum->cost_as, share->portion.ns, sum->plus_ns);
		sum->left_as -= share->cost_as;
	}
	for (size_t i = 0; i < shares->met.count; i++) {
		struct cell_sum *sum = &shares->sums.items[shares->met.items[i]];

		if (sum->largest != SIZE_MAX)
			shares->list.items[sum->largest].cost_as += sum->left_as;
	}
}

int wait_shares_find(struct wait_shares *shares, const struct cells *cells, uint64_t wait_ns,
		     struct error *err)
{
	TRY(add_up(shares, cells, err));
	share_among_cells(shares, cells->match, (__int128)wait_ns * AS_PER_NS);
	share_within_cells(shares, cells);
	return 0;
}

void wait_shares_release(struct wait_shares *shares)
{
	array_release(&shares->list);
	array_release(&shares->sums);
	array_release(&shares->met);
}
