/* Programs and libraries that this process has loaded. */
#ifndef COMMON_LOADED_MODULE_H
#define COMMON_LOADED_MODULE_H

#include "common/source/call_site.h"

/*
 * Find the module that holds an address; a site without a module if there is none.  Takes little of the
 * stack, as threads of the program may have small ones.
 */
void loaded_module_find(struct call_site *site, uintptr_t address);

#endif
