/* Names of files in the directory of a trace. */
#ifndef TRACE_CALL_TRACE_NAMES_H
#define TRACE_CALL_TRACE_NAMES_H

#define ARCHIVE_FILE_NAME "traces.otf2"	/* the anchor file */
#define FLOW_FILE_NAME "flow.efg"	/* event flow graphs */

#endif
