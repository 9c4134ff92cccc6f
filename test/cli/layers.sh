#!/bin/bash
# Every folder includes only what the table in doc/architecture.md allows it.
. "$SOURCE/test/cli/tap.sh"

# From the table, for every folder: "folder: word word ...".
rules() {
	awk -F'|' '/^\| folder \| holds \| may use \|/ {table = 1; next}
		table && !/^\|/ {exit}
		table && $2 ~ /`/ {gsub(/[`\/ ]/, "", $2); gsub(/,/, " ", $4); print $2 ":" $4}' \
		"$SOURCE/doc/architecture.md"
}

# What the files of a folder include, in the words of the table: "file word".
included() {
	find "$SOURCE/$1" \( -name '*.[ch]' -o -name '*.def' -o -name '*.f90' \) -exec awk '
		function name_of(header) {
			if (header ~ /^otf2\//) return "OTF2"
			if (header ~ /^(mpi|mpio)\.h$/) return "MPI"
			if (header == "glpk.h") return "GLPK"
			if (header == "yaml.h") return "YAML"
			if (header == "cmocka.h") return "cmocka"
			return ""
		}
		/^[ \t]*#[ \t]*include[ \t]*</ {
			split($0, part, /[<>]/)
			word = name_of(part[2])
			if (word != "") print FILENAME, word
		}
		/^[ \t]*#[ \t]*include[ \t]*"/ {
			split($0, part, "\"")
			word = part[2]
			if (word !~ /\//) { print FILENAME, "."; next }	# beside it
			sub(/\/.*/, "", word)
			print FILENAME, word
		}' {} +
}

# only FOLDER WORD...: the folder includes nothing but these, itself, and the C library.
only() {
	folder=$1
	shift
	included "$folder" >included
	allowed=" $folder . $* "
	while read -r file word; do
		case $allowed in
		*" $word "*) ;;
		*) echo "$file includes $word" ;;
		esac
	done <included >forbidden
	cat forbidden
	[ ! -s forbidden ]
}

rules >rules.txt
check "the table of layers in doc/architecture.md is found" grep -q '^goal: *common *$' rules.txt
while IFS=: read -r folder words; do
	check "$folder/ uses only $(echo $words)" only "$folder" $words
done <rules.txt

for folder in "$SOURCE"/*/; do
	folder=$(basename "$folder")
	[ -n "$(find "$SOURCE/$folder" -name '*.[ch]' -print -quit)" ] || continue
	[ "$folder" = build ] ||
		check "$folder/ is in the table of layers" grep -q "^$folder:" rules.txt
done

mkdir -p wrong && printf '#include <glpk.h>\n#include "llamp/path/path_engine.h"\n' >wrong/wrong.c
SOURCE=. only wrong common >found
check "an include that is not allowed is found" test "$(wc -l <found)" -eq 2

# The stages have no layer in common with their neighbours' code: no cycle in the table.
cycle_free() {
	awk -F: '{n = split($2, word, " "); for (i = 1; i <= n; i++) if (word[i] ~ /^[a-z]/) print word[i], $1}' \
		rules.txt | tsort >/dev/null
}
check "no two layers use each other" cycle_free
