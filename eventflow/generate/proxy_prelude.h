/* What all proxy programs have in common, as C. */
#ifndef EVENTFLOW_PROXY_PRELUDE_H
#define EVENTFLOW_PROXY_PRELUDE_H

extern const char proxy_prelude[];

#endif
