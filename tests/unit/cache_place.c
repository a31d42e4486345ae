/* Prints where the process's cache is, "off" where it has none, behind "secure" in a process
 * that may do more than its user: for set_uid.sh. */
#include "config.h"

#include "cache/cache.h"

#include <stdio.h>
#include <sys/auxv.h>

int main(void)
{
	struct cache *cache = cache_default();
	const char *folder = cache ? cache_folder(cache) : "off";
	printf("%s%s\n", getauxval(AT_SECURE) ? "secure " : "", folder ? folder : "nowhere");
	return 0;
}
