# A limit of the time that each process of a run uses, for on a machine with much else to do it
# may take long; one that sleeps for ever is ended all the same.
within() { # SECONDS COMMAND...
	(ulimit -t "$1" && shift && exec timeout 500 "$@")
}
