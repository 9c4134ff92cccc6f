/* Waits whose cause belongs to another process. */
#include "critpath/share/share_members.h"
#include "critpath/share/share_run.h"

int share_waits_find(struct waits *waits, const struct measured_run *run, struct dist *dist,
		     struct error *err)
{
	int result = waits_find_own(waits, run, err);

	result = dist_agree(dist, result, err);
	/* In a scan a rank waits for the last of those before it. */
	if (result == 0)
		result = share_members_wait(waits, false, dist, err);
	if (result < 0)
		waits_release(waits);
	return result;
}
