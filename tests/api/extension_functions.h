/* Functions of extensions, for a test that calls several.  Before it includes this file, the test defines FUNCTIONS(F),
 * which is F(name) for each of them.  The function clName is then called as clName_. */
#ifndef CULVERT_TESTS_API_EXTENSION_FUNCTIONS_H
#define CULVERT_TESTS_API_EXTENSION_FUNCTIONS_H

#include "tests/api/api_test.h"

#include <string.h>

#define DECLARE(name) static name##_fn name##_;
FUNCTIONS(DECLARE)
#undef DECLARE

/* False, and failed checks, for functions that the platform does not have. */
static bool functions_find(cl_platform_id platform)
{
	bool all = true;
#define FIND(name)                                                                               \
	do {                                                                                     \
		void *found = clGetExtensionFunctionAddressForPlatform(platform, #name);         \
		memcpy(&name##_, &found, sizeof(found));                                         \
		all = api_test_check(found != NULL, #name, __FILE__, __LINE__) && all;           \
	} while (0);
	FUNCTIONS(FIND)
#undef FIND
	return all;
}

#endif
