/* Indexes of usage whose jobs SQL puts in, and what figures say about them. */
#ifndef TEST_MAKE_INDEX_H
#define TEST_MAKE_INDEX_H

#include "usage/figures/figure_result.h"

/* Texts 1 to 8, which are names. */
#define MAKE_TEXTS                                                                              \
	"INSERT INTO texts(id, text) VALUES(1, ''), (2, 'alpha'), (3, 'beta'), (4, 'single'), " \
	"(5, 'multiple'), (6, 'log'), (7, 'no MPI'), (8, 'gamma');"

/* A table i with the numbers n from 1 to `n`. */
#define MAKE_NUMBERS(n) \
	"WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < " #n ") "

/* Jobs; VALUES or SELECT follows. */
#define MAKE_JOBS                                                                                 \
	"INSERT INTO job_data(id, system, job, step, start_ns, application, mpi_ns, process_ns, " \
	"ranks, nodes, ranks_per_node, threads, level_given, average_ns, local_ns, p2p_ns, "      \
	"completion_ns, collective_ns, core_hours, mean_ns, most_ns) "

/*
 * Jobs of two applications: alpha has 1000 s on 2 threads, half in MPI; beta 1000 s, a tenth.  Both call
 * MPI_Allreduce and MPI_Allreduce_c 10 times each with 8 and 24 B, alpha MPI_Isend, MPI_Waitall, MPI_Comm_rank,
 * MPI_Init for 2000 s and MPI_Finalize for 1000 s.
 */
extern const char made_applications[];

/* Latencies alone, of 1 B twice and of 1 KiB, and profiled, also of 4 MiB. */
extern const char made_ping_pong[];

/* Two records of the filter, of which one has a log, and one of another programme, with a log. */
extern const char made_records[];

/* Path of the index in the folder `scratch`. */
const char *made_index_path(void);

/* Make the index with what the statements insert.  Fails the test. */
void make_index(const char *sql);

/* Put more into the index.  Fails the test. */
void add_to_index(const char *sql);

/* Open the index for figures.  Fails the test. */
void open_index(struct figure_source *source, struct figure_scope scope);

/* Ask for a figure by its name or number.  Fails the test.  End with figure_result_release. */
struct figure_result ask_figure(struct figure_source *source, const char *name);

/* Values of a row, which fail the test if there is none. */
double number_at(const struct figure_result *result, size_t row, int column);
const char *text_at(const struct figure_result *result, size_t row, int column);

/* Fail the test unless the values are equal to 9 digits. */
void must_be(double value, double wanted);

/* Remove the index: a teardown of cmocka. */
int index_remove(void **state);

#endif
