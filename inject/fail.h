/* Ending the program because its messages could not be delayed. */
#ifndef INJECT_FAIL_H
#define INJECT_FAIL_H

/*
 * Print "llamp-inject: " and the text, and end this process with STATUS_LIMIT: the launcher then
 * ends the others.  A program that went on would give figures without the delay.
 */
_Noreturn void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
