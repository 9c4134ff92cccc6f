/* Tables and views of an index, and the functions of MPI that they name. */
#ifndef USAGE_INDEX_SCHEMA_H
#define USAGE_INDEX_SCHEMA_H

#include "trace/call/mpi_functions.h"

/* Value of `schema` in the table meta. */
#define USAGE_SCHEMA "llamp-usage 4"

/* Value of sqlite3's application_id: it tells an index from other databases. */
enum { USAGE_APPLICATION_ID = 0x6c757367 };

/* All statements that make an empty index: the file schema.sql. */
extern const char usage_schema_sql[];

/* Id of the function (rest), the calls of the catch-all cell: it has the bits of `key` in the table cell_data. */
enum { USAGE_REST_ID = 1023 };

/*
 * How a function is called: "blocking", "nonblocking", "persistent", or NULL where the question
 * makes no sense.  Only messages and collectives have a mode.
 */
const char *usage_function_mode(const struct mpi_function *function);

/*
 * Form of a function: of messages the mode; of collectives "scalar", "vector", "neighbour"; else
 * NULL.
 */
const char *usage_function_form(const struct mpi_function *function);

#endif
