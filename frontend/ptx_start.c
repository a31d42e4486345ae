#include "config.h"

#include "frontend/ptx_start.h"

#include <string.h>

/* The state while the lines of a text are read, with the entry that the line is in. */
struct walk {
	const struct abi_program *abi;
	const char *next, *end;
	const char *line;                /* its end is next, behind the line feed if it has one */
	const struct abi_kernel *kernel; /* NULL outside entries */
};

static bool is_name_character(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '$';
}

static const struct abi_kernel *kernel_at(const struct walk *walk, const char *name)
{
	const char *end = name;
	while (end < walk->next && is_name_character(*end))
		end++;
	for (uint32_t i = 0; i < walk->abi->kernel_count; i++) {
		const char *entry = walk->abi->kernels[i].entry;
		if (strlen(entry) == (size_t)(end - name) && !memcmp(entry, name, strlen(entry)))
			return &walk->abi->kernels[i];
	}
	return NULL;
}

static const char *skip_text(const struct walk *walk, const char *at, const char *text)
{
	size_t length = strlen(text);
	if (!at || (size_t)(walk->next - at) < length || memcmp(at, text, length))
		return NULL;
	return at + length;
}

static const char *skip_blanks(const struct walk *walk, const char *at)
{
	while (at && at < walk->next && (*at == ' ' || *at == '\t'))
		at++;
	return at;
}

static bool walk_on(struct walk *walk)
{
	if (walk->next == walk->end)
		return false;
	walk->line = walk->next;
	const char *feed = memchr(walk->line, '\n', (size_t)(walk->end - walk->line));
	walk->next = feed ? feed + 1 : walk->end;
	const char *name = skip_text(walk, walk->line, ".visible .entry ");
	if (name)
		walk->kernel = kernel_at(walk, name);
	else if (*walk->line == '}')
		walk->kernel = NULL;
	return true;
}

static struct walk walk_begin(const struct abi_program *abi, const struct bytes *ptx)
{
	const char *text = ptx->data;
	return (struct walk){.abi = abi, .next = text, .end = text + ptx->size_B};
}

/* --- starts at 0 ----------------------------------------------------------------------------- */

static bool is_start(enum abi_hidden hidden)
{
	return (hidden >= ABI_HIDDEN_ID_START_X && hidden <= ABI_HIDDEN_ID_START_Z) ||
	       (hidden >= ABI_HIDDEN_GLOBAL_OFFSET_X && hidden <= ABI_HIDDEN_GLOBAL_OFFSET_Z) ||
	       (hidden >= ABI_HIDDEN_GROUP_START_X && hidden <= ABI_HIDDEN_GROUP_START_Z);
}

bool fe_ptx_takes_start(const struct abi_kernel *kernel)
{
	for (uint32_t i = 0; i < kernel->hidden_count; i++)
		if (is_start(kernel->hidden[i]))
			return true;
	return false;
}

bool fe_ptx_is_split(const struct abi_program *abi)
{
	bool starts = false;
	for (uint32_t i = 0; i < abi->kernel_count && !starts; i++)
		starts = fe_ptx_takes_start(&abi->kernels[i]);
	return starts && !abi->global_variables_B;
}

/* Skips "[KERNEL_param_N];" if that parameter is a start; otherwise NULL. */
static const char *skip_start(const struct walk *walk, const char *at)
{
	const struct abi_kernel *kernel = walk->kernel;
	at = skip_text(walk, at, "[");
	at = skip_text(walk, at, kernel->entry);
	at = skip_text(walk, at, "_param_");
	uint32_t number = 0, digits = 0;
	for (; at && at < walk->next && *at >= '0' && *at <= '9' && digits < 9; at++, digits++)
		number = 10 * number + (uint32_t)(*at - '0');
	if (!digits || number < kernel->argument_count ||
	    number - kernel->argument_count >= kernel->hidden_count ||
	    !is_start(kernel->hidden[number - kernel->argument_count]))
		return NULL;
	return skip_text(walk, at, "];");
}

static bool is_digit_at(const struct walk *walk, const char *at)
{
	return at && at < walk->next && *at >= '0' && *at <= '9';
}

/* Replaces "ld.param.u64 %rd1, [k_param_3];" of a start by "mov.b64 %rd1, 0;".  A register may be wider than the
 * load; the names that libnvvm gives registers contain their width.  Other loads of a start are left, and read 0
 * from the parameter. */
static bool write_zero(const struct walk *walk, struct bytes *out)
{
	static const char *const types[] = {"u64", "u32", "b64", "b32", "s64", "s32"};
	const char *load = skip_text(walk, skip_blanks(walk, walk->line), "ld.param.");
	for (size_t i = 0; load && i < sizeof(types) / sizeof(types[0]); i++) {
		const char *name = skip_blanks(walk, skip_text(walk, load, types[i]));
		bool wide = is_digit_at(walk, skip_text(walk, name, "%rd"));
		const char *at = skip_text(walk, name, wide ? "%rd" : "%r"), *name_end;
		if (!is_digit_at(walk, at))
			continue;
		while (is_digit_at(walk, at))
			at++;
		name_end = at;
		at = skip_start(walk, skip_blanks(walk, skip_text(walk, at, ",")));
		if (!at)
			return false;
		bytes_printf(out, "\tmov.%s \t%.*s, 0;", wide ? "b64" : "b32",
			     (int)(name_end - name), name);
		bytes_append(out, at, (size_t)(walk->next - at));
		return true;
	}
	return false;
}

bool fe_ptx_without_start(const struct abi_program *abi, const struct bytes *ptx,
			  struct bytes *plain_out)
{
	const bool split = fe_ptx_is_split(abi);
	bool changed = false;
	for (struct walk walk = walk_begin(abi, ptx); walk_on(&walk);) {
		if (split && walk.kernel && write_zero(&walk, plain_out))
			changed = true;
		else
			bytes_append(plain_out, walk.line, (size_t)(walk.next - walk.line));
	}
	return changed && !bytes_failed(plain_out);
}

/* --- registers ------------------------------------------------------------------------------- */

void fe_ptx_limit_registers(const struct abi_program *abi, const struct bytes *ptx,
			    const uint32_t *registers, struct bytes *limited_out)
{
	/* Registers are allocated to a thread in units of eight. */
	enum { REGISTERS = 8 };
	for (struct walk walk = walk_begin(abi, ptx); walk_on(&walk);) {
		/* The line between an entry's head and its body. */
		if (walk.kernel && *walk.line == '{' && !walk.kernel->required_local[0]) {
			uint32_t used = registers[walk.kernel - abi->kernels];
			bytes_printf(limited_out, ".maxnreg %u\n",
				     (used + REGISTERS - 1) / REGISTERS * REGISTERS);
		}
		bytes_append(limited_out, walk.line, (size_t)(walk.next - walk.line));
	}
}
