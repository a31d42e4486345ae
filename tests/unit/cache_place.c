/* Prints where the process's cache is, "off" where it has none, behind "secure" in a process
 * that may do more than its user; then each option that has another value than its default: for set_uid.sh. */
#include "config.h"

#include "base/options.h"
#include "cache/cache.h"

#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>

int main(void)
{
	struct cache *cache = cache_default();
	const char *folder = cache ? cache_folder(cache) : "off";
	printf("%s%s", getauxval(AT_SECURE) ? "secure " : "", folder ? folder : "nowhere");
	for (int i = 0; i < OPTION_COUNT; i++) {
		const char *value = option_string((enum option)i);
		if (strcmp(value, option_default((enum option)i)))
			printf(" %s=%s", option_name((enum option)i) + strlen("CULVERT_"), value);
	}
	printf("\n");
	return 0;
}
