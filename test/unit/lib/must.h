/* MUST(call): fail the test with the text of the local `struct error err` if the call fails. */
#ifndef TEST_MUST_H
#define TEST_MUST_H

#include "common/error.h"

#define MUST(call)                                           \
	do {                                                 \
		if ((call) < 0)                              \
			fail_msg("%s: %s", #call, err.text); \
	} while (0)

#endif
