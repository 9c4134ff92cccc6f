#!/bin/sh
# Write C source to stdout: wrappers that record the time of MPI functions without a
# handwritten wrapper, and the bytes that functions on files transfer.
#
#     MPICC=... wrappers.sh TABLE OBJECT...
#
# TABLE is trace/call/mpi_functions.def.  The OBJECTs have the handwritten wrappers.
# Prototypes come from mpi.h, so that a function that the MPI library lacks gets no
# wrapper.
set -eu
table=$1
shift

cat <<'END'
/* Made by build-aux/wrappers.sh. */
#include "pmpi/sums.h"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

static inline void add_transfer(const struct call *call, uint64_t bytes)
{
	struct mpi_event *event = call_event(call, EVENT_TRANSFER);

	event->comm = NO_COMM;
	event->bytes = bytes;
}

#define MOVING(Name, PARAMETERS, ARGUMENTS, COUNT, TYPE)                     \
	EXPORT int MPI_##Name PARAMETERS                                     \
	{                                                                    \
		COUNTED_BRACKET(sums_transfer(&sums, COUNT, TYPE), Name,     \
				UNWRAP ARGUMENTS);                           \
		if (result == MPI_SUCCESS)                                   \
			add_transfer(&call, bytes_of(COUNT, TYPE));          \
		return call_end(&call, result);                              \
	}

#define PLAIN(Name, PARAMETERS, ARGUMENTS)                                   \
	EXPORT int MPI_##Name PARAMETERS                                     \
	{                                                                    \
		BRACKET(Name, UNWRAP ARGUMENTS);                             \
		return call_end(&call, result);                              \
	}

END

{
	sed -n 's/^MPI_FUNCTION(\([A-Za-z0-9_]*\), \([A-Z0-9]*\),.*/traced \1 \2/p' "$table"
	nm -P "$@" | sed -n 's/^MPI_\([A-Za-z0-9_]*\) T .*/wrapped \1/p'
	# Print one prototype a line, without attributes.
	echo '#include <mpi.h>' | $MPICC -E -P -x c - | tr '\n\t' '  ' | tr ';' '\n' |
		sed -n 's/^.*\<int  *PMPI_\([A-Za-z0-9_]*\)  *(\([^()]*\)).*/\1 \2/p
			s/^.*\<int  *PMPI_\([A-Za-z0-9_]*\)(\([^()]*\)).*/\1 \2/p'
} | awk '
# Rename a parameter to "a" and its number.
function renamed(text, number,   words, count, i, meant, brackets) {
	gsub(/\*/, " * ", text)
	brackets = ""
	if (match(text, / *\[.*/)) {
		brackets = substr(text, RSTART)
		text = substr(text, 1, RSTART - 1)
	}
	count = split(text, words, " ")
	meant = 0
	for (i = 1; i <= count; i++)
		if (words[i] !~ /^(const|volatile|struct|unsigned|\*)$/)
			meant++
	if (meant > 1)
		count--
	text = ""
	for (i = 1; i <= count; i++)
		text = text words[i] " "
	return text "a" number brackets
}

# Find the count and the type of the data that a file operation transfers.
function moved(list, count,   i) {
	for (i = 2; i <= count; i++)
		if (list[i] ~ /MPI_Datatype/ && list[i - 1] ~ /(^| )(int|MPI_Count)( |$)/)
			return "a" (i - 1) ", a" i
	return ""
}

$1 == "traced" && NF == 3 { traced[$2] = $3; next }
$1 == "wrapped" && NF == 2 { wrapped[$2] = 1; next }
traced[$1] && !wrapped[$1] {
	name = $1
	wrapped[name] = 1
	sub(/^[^ ]+ */, "")
	sub(/ +$/, "")
	count = $0 == "void" ? 0 : split($0, list, ",")
	parameters = count ? "" : "void"
	arguments = ""
	for (i = 1; i <= count; i++) {
		parameters = parameters (i > 1 ? ", " : "") renamed(list[i], i)
		arguments = arguments (i > 1 ? ", " : "") "a" i
	}
	moves = traced[name] == "IO" && name ~ /read|write/ ? moved(list, count) : ""
	if (moves)
		print "MOVING(" name ", (" parameters "), (" arguments "), " moves ")"
	else
		print "PLAIN(" name ", (" parameters "), (" arguments "))"
}'
