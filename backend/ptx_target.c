#include "config.h"

#include "backend/codegen.h"
#include "backend/ptx_target.h"

#include <ctype.h>
#include <string.h>

/* The only one with such instructions that inline PTX of programs has. */
enum { HOPPER_SM = 90 };
static const char hopper[] = ".target sm_90";

/* Whether a word at p begins an instruction, and is not in a name or in the name of a file. */
static bool begins(const char *text, const char *p)
{
	return p == text || isspace((unsigned char)p[-1]) || strchr("{};:", p[-1]);
}

static bool has_instruction(const char *text, const char *prefix)
{
	for (const char *p = text; (p = strstr(p, prefix)) != NULL; p++)
		if (begins(text, p))
			return true;
	return false;
}

void be_ptx_target_choose(struct bytes *ptx, unsigned sm)
{
	const char *text = bytes_string(ptx);
	if (sm != HOPPER_SM || (!has_instruction(text, "wgmma.") && !has_instruction(text, "setmaxnreg.")))
		return;
	const char *target = strstr(text, hopper);
	if (!target || isalnum((unsigned char)target[sizeof(hopper) - 1]))
		return;
	const size_t before_B = (size_t)(target - text) + sizeof(hopper) - 1;
	struct bytes changed = BYTES_INIT;
	bytes_append(&changed, text, before_B);
	bytes_append_char(&changed, 'a');
	bytes_append_string(&changed, text + before_B);
	bytes_finish(ptx);
	bytes_move(ptx, &changed);
}

/* Whether an atomic instruction of that order begins here. */
static size_t relaxed_atomic(const char *text, const char *p)
{
	static const char *const starts[] = {"atom.relaxed", "red.relaxed"};
	for (size_t i = 0; i < sizeof(starts) / sizeof(*starts); i++)
		if (!strncmp(p, starts[i], strlen(starts[i])) && begins(text, p))
			return strlen(starts[i]);
	return 0;
}

void be_ptx_target_keep_warps(struct bytes *ptx)
{
	static const char before[] = "\n.target sm_", older[] = "\n.target sm_60", relaxed[] = ".relaxed";
	const char *text = bytes_string(ptx), *target = strstr(text, before), *from = text;
	struct bytes changed = BYTES_INIT;
	if (!target)
		return;
	for (const char *p = text; *p; p++) {
		const size_t atomic_B = relaxed_atomic(text, p);
		if (p == target) {
			bytes_append(&changed, from, (size_t)(p - from));
			bytes_append_string(&changed, older);
			from = p + sizeof(before) - 1;
			from += strspn(from, "0123456789");
		} else if (atomic_B) {
			bytes_append(&changed, from, (size_t)(p - from) + atomic_B - (sizeof(relaxed) - 1));
			from = p + atomic_B;
		}
	}
	bytes_append_string(&changed, from);
	bytes_finish(ptx);
	bytes_move(ptx, &changed);
}

bool be_ptx_target_only(const struct bytes *ptx)
{
	const char *target = strstr(bytes_string(ptx), hopper);
	return target && target[sizeof(hopper) - 1] == 'a';
}
