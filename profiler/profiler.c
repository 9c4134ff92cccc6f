#include "profiler/profiler.h"

struct profiler profiler;
