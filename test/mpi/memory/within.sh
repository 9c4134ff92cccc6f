# Limit the processor time of each process of a run, because elapsed time may be long on a busy
# machine.  End processes that sleep for ever, too.
within() { # SECONDS COMMAND...
	(ulimit -t "$1" && shift && exec timeout 500 "$@")
}
