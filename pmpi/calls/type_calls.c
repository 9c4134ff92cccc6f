/* Datatypes freed: their sizes are kept no longer. */
#include "pmpi/sizes.h"

EXPORT int MPI_Type_free(MPI_Datatype *type)
{
	sizes_forget_types();
	BRACKET(Type_free, type);
	return call_end(&call, result);
}
