/* Output of `llamp place`. */
#ifndef LLAMP_REPORT_PLACEMENT_H
#define LLAMP_REPORT_PLACEMENT_H

#include "llamp/placement/placement.h"
#include "llamp/report/report.h"

void report_placements(struct report *report, const struct placement_task *task,
		       const struct placements *placements);

/* Forms in which launchers read a mapping. */
enum mapping_form {
	MAPPING_FORM_LLAMP,	/* number of the host of each rank, for `mapping:` */
	MAPPING_FORM_MPICH,	/* mpiexec -f FILE */
	MAPPING_FORM_OPENMPI,	/* mpirun --rankfile FILE */
	MAPPING_FORM_SLURM,	/* SLURM_HOSTFILE=FILE srun --distribution=arbitrary */
};

/* Write a mapping.  names[host] is the name of a host; NULL: host0, host1, ... */
void report_mapping(FILE *stream, enum mapping_form form, const uint32_t *hosts,
		    uint32_t rank_count, const char *const *names);

#endif
