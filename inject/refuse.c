/*
 * Functions of UCX that communicate in other ways than by tagged and active messages.  They are not
 * delayed, so a program that needs them is ended.  This file does without UCX's headers: whatever
 * the arguments are, they are not used.
 */
#include "inject/fail.h"

#define REFUSE(name)                                                                             \
	void name(void);                                                                         \
	void name(void)                                                                          \
	{                                                                                        \
		fail("MPI calls " #name " for one-sided communication or the like, which is not "  \
		     "delayed: the program is ended");                                            \
	}

REFUSE(ucp_am_send_nbx)
REFUSE(ucp_put)
REFUSE(ucp_put_nb)
REFUSE(ucp_put_nbi)
REFUSE(ucp_put_nbx)
REFUSE(ucp_get)
REFUSE(ucp_get_nb)
REFUSE(ucp_get_nbi)
REFUSE(ucp_get_nbx)
REFUSE(ucp_atomic_post)
REFUSE(ucp_atomic_fetch_nb)
REFUSE(ucp_atomic_op_nbx)
REFUSE(ucp_stream_send_nb)
REFUSE(ucp_stream_send_nbx)
