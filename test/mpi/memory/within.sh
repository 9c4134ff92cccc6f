# Limit the processor time of each process of a run, since elapsed time may be long on a busy
# machine; a process that sleeps for ever is ended, too.
within() { # SECONDS COMMAND...
	(ulimit -t "$1" && shift && exec timeout 500 "$@")
}
