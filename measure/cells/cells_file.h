/*
 * Files of the overlap benchmark: JSON lines, a header, cells as they are measured, and an end.
 *
 *	{"schema": "llamp-overlap-1", "hosts": [...], ...}
 *	{"begin": true, "bench": "receiver", "bytes": 65536, "compute_ns": 45254.83, ...}
 *	{"bench": "receiver", "bytes": 65536, "compute_ns": 45254.83, ..., "full": [50, ...], ...}
 *	{"end": "complete", "work_drift": 0.002}
 *
 * A run that ends early leaves the cells that it has measured.  A later run may add cells to the same file
 * if its header says the same: after a line {"resumed": DATE}.  doc/overlap.schema.json describes the lines.
 */
#ifndef MEASURE_CELLS_FILE_H
#define MEASURE_CELLS_FILE_H

#include "measure/cells/cell.h"

#include <stdio.h>

/* First member of the header. */
#define CELLS_SCHEMA "llamp-overlap-1"

/* A variable of the environment that changes what the library does. */
struct cells_setting {
	char *name, *value;
};

/* Where and how the cells were measured.  Texts are owned; NULL is the empty text. */
struct cells_header {
	char *hosts[2]; /* of ranks 0 and 1 */
	bool one_host;
	char *mpi;	 /* name and version of the library */
	char *transport; /* as far as the environment tells: "UCX tcp", "shared memory"; or "" */
	char *processor;
	unsigned processors;   /* of the host of rank 0 */
	char *cores[2];	       /* list of processors that ranks 0 and 1 may use: "0-3" */
	char *start;	       /* UTC */
	char *thread_level;    /* provided: "MPI_THREAD_FUNNELED" */
	char *options;	       /* of the command line that say what is measured */
	unsigned ranks, pairs; /* of all pairs, each measures the same at once */
	unsigned repeat;       /* rounds of a cell */
	bool both_types;       /* noncontig receives the vector, too */
	bool pinned;	       /* threads of nload */
	double load;	       /* processes that wanted to run before; negative if unknown */
	double work_ns;	       /* of one operation of the kernel `work` as calibrated */
	/* The rendezvous threshold is between these; both 0: unknown, UINT64_MAX: none. */
	uint64_t S_low, S_high;
	ARRAY(struct cells_setting) settings;
};

struct cells_file {
	char *path;
	struct cells_header header;
	/* In the order of cell_spec_compare, the last of equal specifications only. */
	ARRAY(struct cell) cells;
	char *end;	       /* "complete", "interrupted", "time limit", or NULL: it was killed */
	struct cell_spec last; /* begun and not measured, if `end` is NULL and `began` */
	bool began;
	double work_drift; /* change of work_ns during the run, as a share; NAN: not measured */
};

/*
 * Read a file.  A last line without a line end is left out, as a killed run may have cut it.  Other faults are errors with
 * "path:line: ": STATUS_DATA, or STATUS_LIMIT for lines that are too long or nested too deep.
 */
int cells_file_read(const char *path, struct cells_file *file, struct error *err);
void cells_file_release(struct cells_file *file);

/*
 * Check that a run with header `now` may add cells to the file: all but start, load, calibration and
 * measured threshold is the same.  STATUS_USAGE names what differs.
 */
int cells_file_may_append(const struct cells_file *file, const struct cells_header *now,
			  struct error *err);

/* Find the cell with this specification; NULL if there is none. */
const struct cell *cells_file_find(const struct cells_file *file, const struct cell_spec *spec);

/* Write one line each, and flush it.  The owner checks the stream. */
void cells_write_header(FILE *stream, const struct cells_header *header);
void cells_write_resumed(FILE *stream, const char *start); /* of the run that adds cells, UTC */
void cells_write_begin(FILE *stream, const struct cell_spec *spec); /* it is being measured */
void cells_write_cell(FILE *stream, const struct cell *cell);
void cells_write_end(FILE *stream, const char *why, double work_drift);

void cells_header_release(struct cells_header *header);

#endif
