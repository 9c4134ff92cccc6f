/* Greatest common divisor of two numbers that are not negative.  That of 0 and b is b. */
#ifndef LLAMP_COMMON_DIVISOR_H
#define LLAMP_COMMON_DIVISOR_H

static inline __int128 common_divisor(__int128 a, __int128 b)
{
	while (a) {
		const __int128 rest = b % a;

		b = a;
		a = rest;
	}
	return b;
}

#endif
