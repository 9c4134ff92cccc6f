/*
 * Names of C++ functions as they are in their source code, from the symbols of a program.
 *
 * The C++ library of the system knows how: it is opened when the first such symbol is met, so that
 * nothing else needs it.
 */
#ifndef COMMON_DEMANGLE_H
#define COMMON_DEMANGLE_H

/*
 * Return "void ns::f<int>(int)" for the symbol "_ZN2ns1fIiEEvT_" of the Itanium C++ ABI, to be freed.
 * NULL if the symbol is none of C++, or if there is no C++ library.
 */
char *demangle(const char *symbol);

#endif
