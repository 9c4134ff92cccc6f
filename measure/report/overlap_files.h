/* Files of the overlap benchmark, with what each of them says. */
#ifndef MEASURE_OVERLAP_FILES_H
#define MEASURE_OVERLAP_FILES_H

#include "measure/cells/verdict.h"
#include "measure/params/predict.h"

/* Sizes at which both kernels were measured: what communication takes from the computation. */
struct stolen_row {
	enum bench bench;
	uint64_t bytes;
	unsigned cells;
	double stolen_ns; /* median of cell_stolen_ns over certain cells */
	double share;	  /* median of that by T_comm */
};

/* Certain cells of a benchmark compared with a model, up to its threshold S or above it. */
struct model_row {
	enum bench bench;
	bool above;
	struct summary residuals; /* of cell_model_residual */
};

struct overlap_findings {
	struct cells_file file;
	struct size_classes classes;
	struct library_class library;
	double uncertain; /* share of the cells whose ratio_error is unknown or too large; NAN without cells */
	double rejected; /* share of the rounds in which a processor was taken away; NAN without rounds */
	double ratio_error; /* median over all cells with one */
	ARRAY(const struct cell *)
	negative; /* certain ones with ratio_seq below -ratio_error, lowest first */
	ARRAY(struct stolen_row) stolen; /* by benchmark and size */
	/* The model that cells are compared with, not owned, and how they do; NULL: none. */
	const struct parameters *model;
	ARRAY(struct model_row) model_rows;
};

struct overlap_files {
	struct overlap_findings *items;
	uint32_t count;
};

/* Read the files, by several threads, and find what they say.  On success end with overlap_files_release. */
int overlap_files_read(struct overlap_files *files, char *const *paths, uint32_t count,
		       struct error *err);

/* Compare the cells of all files with a model, which must outlive them. */
int overlap_files_compare(struct overlap_files *files, const struct parameters *model,
			  struct error *err);
void overlap_files_release(struct overlap_files *files);

/* Median of the ratio_seq (nload: slowdown) of plain cells that decide, of sizes from..to; NAN: none. */
int overlap_median(const struct cells_file *file, enum bench bench, uint64_t from, uint64_t to,
		   double *median, struct error *err);

#endif
