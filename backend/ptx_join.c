#include "config.h"

#include "backend/ptx_join.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* The suffix of renamed functions and variables; names of the source and of LLVM do not contain it. */
#define RENAMED "$$part%u"

struct span {
	const char *at;
	size_t size_B;
};

/* An item at the outermost level of a text: a function, a variable or a declaration. */
struct item {
	struct span text;
	struct span name;                /* empty: a directive without a name */
	bool function;                   /* a function or its declaration */
	bool entry;
	bool known;                      /* an earlier text has the same item */
	bool renamed;                    /* it gets another name */
};

/* The items of all texts; those of the text that is being added begin at fresh. */
struct join {
	struct bytes items;
	size_t fresh;                    /* index of the first item of the text that is being added */
	unsigned number;                 /* of that text */
	struct bytes *out;
};

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || (c && strchr("_$%.", c));
}

static bool span_equal(struct span a, struct span b)
{
	return a.size_B == b.size_B && !memcmp(a.at, b.at, a.size_B);
}

static bool span_is(struct span span, const char *word)
{
	return span_equal(span, (struct span){word, strlen(word)});
}

static struct item *item_at(const struct join *join, size_t i)
{
	return (struct item *)(void *)join->items.data + i;
}

static size_t item_count(const struct join *join)
{
	return join->items.size_B / sizeof(struct item);
}

/* --- reading ------------------------------------------------------------------------------ */

/* Skips blanks and comments. */
static const char *skip_blank(const char *at, const char *end)
{
	while (at < end) {
		if (isspace((unsigned char)*at)) {
			at++;
		} else if (end - at > 1 && at[0] == '/' && at[1] == '/') {
			const char *feed = memchr(at, '\n', (size_t)(end - at));
			at = feed ? feed + 1 : end;
		} else {
			break;
		}
	}
	return at;
}

/* A word, or another character by itself; empty at the end. */
static struct span next_word(const char *at, const char *end)
{
	at = skip_blank(at, end);
	const char *from = at;
	while (at < end && is_word(*at))
		at++;
	if (at == from && at < end)
		at++;
	return (struct span){from, (size_t)(at - from)};
}

/* Finds the item's name: of a function the first word that is no directive and not in parentheses, as its result is;
 * of a variable the last word before its size, value or end. */
static void name_note(struct item *item, struct span word, unsigned depth)
{
	const char c = *word.at;
	if (depth || !is_word(c) || c == '.' || isdigit((unsigned char)c))
		return;
	if (!item->name.at || !item->function)
		item->name = word;
}

/* Reads the item at from, where no blank is.  Returns its end. */
static const char *item_read(const char *from, const char *end, struct item *item)
{
	bool named = false, body = false;
	unsigned depth = 0;
	const char *at = from;
	*item = (struct item){.text.at = from};
	for (;;) {
		const struct span word = next_word(at, end);
		if (!word.size_B)
			break;
		at = word.at + word.size_B;
		const char c = *word.at;
		item->entry = item->entry || span_is(word, ".entry");
		item->function = item->function || item->entry || span_is(word, ".func");
		named = named || (!depth && (c == '[' || c == '='));
		if (c == '(' || c == '{')
			depth++;
		if (depth && (c == ')' || c == '}'))
			depth--;
		if (!named)
			name_note(item, word, depth);
		body = body || (item->function && c == '{');
		if (!depth && (c == ';' || (body && c == '}')))
			break;
	}
	item->text.size_B = (size_t)(at - from);
	return at;
}

/* Skips .version, .target and .address_size, each of which is a line. */
static const char *head_end(const char *text, const char *end)
{
	static const char *const directives[] = {".version", ".target", ".address_size"};
	for (;;) {
		const char *at = skip_blank(text, end);
		const struct span word = next_word(at, end);
		bool directive = false;
		for (size_t i = 0; i < sizeof(directives) / sizeof(directives[0]); i++)
			directive = directive || span_is(word, directives[i]);
		const char *feed = directive ? memchr(at, '\n', (size_t)(end - at)) : NULL;
		if (!feed)
			return at;
		text = feed + 1;
	}
}

static void items_read(struct join *join, const char *at, const char *end)
{
	while ((at = skip_blank(at, end)) < end) {
		struct item item;
		at = item_read(at, end, &item);
		bytes_append(&join->items, &item, sizeof(item));
	}
}

/* --- comparing ----------------------------------------------------------------------------- */

/* Whether an earlier text has an item of that name, and whether it is the same. */
enum earlier { NOT_THERE, SAME, OTHER };

static enum earlier earlier_find(const struct join *join, const struct item *item)
{
	enum earlier found = NOT_THERE;
	for (size_t i = 0; i < join->fresh; i++) {
		const struct item *other = item_at(join, i);
		if (!span_equal(other->name, item->name))
			continue;
		if (!other->renamed && span_equal(other->text, item->text))
			return SAME;
		found = OTHER;
	}
	return found;
}

static bool is_declared(const struct item *item)
{
	return span_is(next_word(item->text.at, item->text.at + item->text.size_B), ".extern");
}

/* A function with the same text may call a function that differs between two texts.  Therefore functions are left
 * out only if all functions that two texts have in common are the same. */
static void items_compare(struct join *join)
{
	bool all_same = true;
	for (int pass = 0; pass < 2; pass++) {
		for (size_t i = join->fresh; i < item_count(join); i++) {
			struct item *item = item_at(join, i);
			if (item->entry || !item->name.at)
				continue;
			const enum earlier earlier = earlier_find(join, item);
			item->known = earlier == SAME &&
				      (all_same || !item->function || is_declared(item));
			item->renamed = earlier != NOT_THERE && !item->known && !is_declared(item);
			all_same = all_same && !(item->function && item->renamed);
		}
	}
}

static bool is_renamed(const struct join *join, struct span word)
{
	for (size_t i = join->fresh; i < item_count(join); i++)
		if (item_at(join, i)->renamed && span_equal(item_at(join, i)->name, word))
			return true;
	return false;
}

/* --- writing ------------------------------------------------------------------------------- */

static void item_write(const struct join *join, const struct item *item, bool renames)
{
	const char *at = item->text.at, *end = at + item->text.size_B, *written = at;
	while (renames && at < end) {
		const char *from = at;
		while (at < end && is_word(*at))
			at++;
		if (at > from && is_renamed(join, (struct span){from, (size_t)(at - from)})) {
			bytes_append(join->out, written, (size_t)(at - written));
			bytes_printf(join->out, RENAMED, join->number);
			written = at;
		}
		at += at == from;
	}
	bytes_append(join->out, written, (size_t)(end - written));
	bytes_append_string(join->out, "\n\n");
}

static void text_add(struct join *join, const struct bytes *text)
{
	const char *end = text->data + text->size_B;
	const char *from = head_end(text->data, end);
	bool renames = false;
	join->fresh = item_count(join);
	items_read(join, from, end);
	if (bytes_failed(&join->items))
		return;
	if (!join->number) {
		bytes_append(join->out, text->data, text->size_B);
		bytes_append_char(join->out, '\n');
		return;
	}
	items_compare(join);
	for (size_t i = join->fresh; i < item_count(join); i++)
		renames = renames || item_at(join, i)->renamed;
	for (size_t i = join->fresh; i < item_count(join); i++)
		if (!item_at(join, i)->known)
			item_write(join, item_at(join, i), renames);
}

void be_ptx_join(const struct bytes *texts, size_t count, struct bytes *joined)
{
	struct join join = {.items = BYTES_INIT, .out = joined};
	for (size_t i = 0; i < count; i++, join.number++)
		text_add(&join, &texts[i]);
	if (bytes_failed(&join.items))
		joined->failed = true;
	bytes_finish(&join.items);
}
