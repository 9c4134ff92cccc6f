#include "inject/lock.h"

#include <pthread.h>

static pthread_mutex_t data = PTHREAD_MUTEX_INITIALIZER,
		       matching = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

void lock(void)
{
	pthread_mutex_lock(&data);
}

void unlock(void)
{
	pthread_mutex_unlock(&data);
}

void matching_lock(void)
{
	pthread_mutex_lock(&matching);
}

void matching_unlock(void)
{
	pthread_mutex_unlock(&matching);
}
