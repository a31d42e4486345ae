/* PTX text -> tokens.
 *
 * A word takes its dotted parts with it: "ld.global.v4.f32", "%tid.x" and
 * ".reg" are one token each.  Not thread-safe: one owner. */
#ifndef CULVERT_SOFTCUDA_PTX_LEX_H
#define CULVERT_SOFTCUDA_PTX_LEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum ptx_token_kind {
	TOKEN_END,
	TOKEN_WORD,
	TOKEN_INTEGER,
	TOKEN_FLOAT,      /* value: the bits of a double */
	TOKEN_STRING,
	TOKEN_PUNCTUATION,
	TOKEN_BAD
};

struct ptx_token {
	enum ptx_token_kind kind;
	const char *text;         /* not terminated */
	uint32_t size;
	uint32_t line;
	uint64_t value;
	bool single;              /* a 0f... literal: value holds a float's bits */
};

struct ptx_lexer {
	const char *position, *end;
	uint32_t line;
	struct ptx_token token;   /* the current one */
};

/* text must be followed by a NUL. */
void ptx_lex_init(struct ptx_lexer *lexer, const char *text, size_t size_B);
/* Moves to the next token. */
void ptx_lex_next(struct ptx_lexer *lexer);
bool ptx_lex_is(const struct ptx_lexer *lexer, char punctuation);
bool ptx_lex_is_word(const struct ptx_lexer *lexer, const char *word);

#endif
