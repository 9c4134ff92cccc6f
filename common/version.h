/* Name and version for --version, man pages and written files. */
#ifndef COMMON_VERSION_H
#define COMMON_VERSION_H

#define PROJECT_NAME "llamp"
#define PROJECT_VERSION "0.1.0"

#endif
