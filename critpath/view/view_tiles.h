/*
 * Shares of the time of each row in tiles, equal parts of the run: what the page of `critpath view`
 * shows of runs with too many calls for it.
 */
#ifndef CRITPATH_VIEW_TILES_H
#define CRITPATH_VIEW_TILES_H

#include "critpath/view/view_calls.h"

/* Number of tiles of a row, so that all rows together have not many more than a million. */
uint32_t view_tile_count(uint32_t rows);

/*
 * Divide the time of the part into tiles.  Write for each row and tile three bytes: the time that is wait before, execution and wait after
 * of MPI calls, in 255ths of the tile.  The rest is time outside of MPI.
 */
int view_pack_tiles(struct pack *pack, const struct waits *waits, const struct run_part *part,
		    uint32_t count, struct error *err);

#endif
