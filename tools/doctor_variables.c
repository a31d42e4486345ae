/* Variables of the environment whose name or value is mistyped: programs ignore them without a word. */
#include "config.h"

#include "tools/closest.h"
#include "tools/finding.h"

#include "base/options.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char prefix[] = "CULVERT_";

static void complain(struct findings *findings, const char *name, const char *format, const char *detail)
{
	struct bytes mend = BYTES_INIT;
	bytes_printf(&mend, "unset %s", name);
	finding_add(findings, "variable", FINDING_CAREFUL, bytes_string(&mend), format, name, detail);
	bytes_finish(&mend);
}

/* name: without the prefix.  Names that are like none of ours belong to others. */
static void look_at_name(struct findings *findings, const char *name)
{
	static const char *const others[] = {"BUILD", "TESTS", "APPS", "CTS", "TRACE_FILE", "TEST_CUDA", "TEST_CACHE"};
	struct closest closest = {.word = name};
	struct bytes whole = BYTES_INIT;
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (!strcmp(name, others[i]))
			return;
	for (int i = 0; i < OPTION_COUNT; i++)
		closest_offer(&closest, option_name((enum option)i) + strlen(prefix));
	bytes_printf(&whole, "%s%s", prefix, name);
	if (closest.best && !bytes_failed(&whole))
		complain(findings, whole.data, "%s is not a variable of Culvert%s", closest_hint(&closest, prefix));
	bytes_finish(&whole);
}

static void look_at_variable(struct findings *findings, const char *name)
{
	for (int i = 0; i < OPTION_COUNT; i++) {
		const enum option option = (enum option)i;
		if (strcmp(option_name(option), name))
			continue;
		if (!option_valid(option))
			complain(findings, name, "%s has an invalid value, so the default is used; %s",
				 option_help(option));
		return;
	}
	look_at_name(findings, name + strlen(prefix));
}

void doctor_variables(struct findings *findings)
{
	for (char *const *variable = environ; *variable; variable++) {
		if (strncmp(*variable, prefix, strlen(prefix)))
			continue;
		char *name = strndup(*variable, strcspn(*variable, "="));
		if (name)
			look_at_variable(findings, name);
		else
			findings->failed = true;
		free(name);
	}
}
