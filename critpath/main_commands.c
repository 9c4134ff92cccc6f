/* The commands of critpath and critpath-mpi. */
#include "critpath/commands.h"

const struct command *const critpath_commands[] = {
	&path_command,	     &waits_command, &causes_command, &imbalance_command, &profile_command,
	&efficiency_command, &graph_command, &below_command,  &view_command,	  NULL,
};
