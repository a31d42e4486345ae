#include "config.h"

#include "softcuda/ptx/lex.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

void ptx_lex_init(struct ptx_lexer *lexer, const char *text, size_t size_B)
{
	memset(lexer, 0, sizeof(*lexer));
	lexer->position = text;
	lexer->end = text + size_B;
	lexer->line = 1;
	ptx_lex_next(lexer);
}

static bool is_word_start(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' ||
	       c == '%';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_word_part(char c)
{
	return is_word_start(c) || is_digit(c);
}

/* The source ends in a NUL, so looking one or two ahead is always allowed. */
static void skip_blank(struct ptx_lexer *lexer)
{
	const char *p = lexer->position;
	while (p < lexer->end) {
		if (*p == '\n') {
			lexer->line++;
			p++;
		} else if (*p == ' ' || *p == '\t' || *p == '\r' || *p == '\f' || *p == '\0') {
			p++;
		} else if (p[0] == '/' && p[1] == '/') {
			while (p < lexer->end && *p != '\n')
				p++;
		} else if (p[0] == '/' && p[1] == '*') {
			for (p += 2; p < lexer->end && !(p[0] == '*' && p[1] == '/'); p++)
				lexer->line += *p == '\n';
			p = p < lexer->end ? p + 2 : p;
		} else {
			break;
		}
	}
	lexer->position = p;
}

/* A directive is a word by itself, even where ".reg.b16" is written. */
static const char *lex_word(const char *p)
{
	bool directive = *p++ == '.';
	for (;;) {
		while (is_word_part(*p))
			p++;
		if (directive)
			return p;
		if (p[0] == '.' && is_word_part(p[1]))
			p += 2;
		else if (p[0] == ':' && p[1] == ':' && is_word_part(p[2]))
			p += 3;
		else
			return p;
	}
}

static int hex_digit(char c)
{
	if (is_digit(c))
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

static const char *lex_digits(const char *p, int base, struct ptx_token *token)
{
	uint64_t value = 0;
	const char *start = p;
	for (int digit; (digit = hex_digit(*p)) >= 0 && digit < base; p++)
		value = value * (unsigned)base + (unsigned)digit;
	token->kind = p > start ? TOKEN_INTEGER : TOKEN_BAD;
	token->value = value;
	return p;
}

/* strtod follows the locale, and the locale is our host's: so the few decimal
 * floats that compilers write are scaled here. */
static const char *lex_decimal_float(const char *p, struct ptx_token *token)
{
	double value = 0;
	int exponent = 0;
	while (is_digit(*p))
		value = value * 10 + (*p++ - '0');
	if (*p == '.')
		for (p++; is_digit(*p); exponent--)
			value = value * 10 + (*p++ - '0');
	if (*p == 'e' || *p == 'E') {
		bool negative = p[1] == '-';
		int digits = 0;
		p += p[1] == '-' || p[1] == '+' ? 2 : 1;
		for (; is_digit(*p); p++)
			digits = digits < 10000 ? digits * 10 + (*p - '0') : digits;
		exponent += negative ? -digits : digits;
	}
	double scale = 1;
	for (int i = exponent < 0 ? -exponent : exponent; i > 0; i--)
		scale *= 10;
	value = exponent < 0 ? value / scale : value * scale;
	token->kind = TOKEN_FLOAT;
	memcpy(&token->value, &value, sizeof(value));
	return p;
}

static const char *lex_number(const char *p, struct ptx_token *token)
{
	if (p[0] == '0' && (p[1] == 'f' || p[1] == 'F' || p[1] == 'd' || p[1] == 'D')) {
		token->single = p[1] == 'f' || p[1] == 'F';
		const char *end = lex_digits(p + 2, 16, token);
		bool right = end - p == (token->single ? 10 : 18);
		token->kind = right ? TOKEN_FLOAT : TOKEN_BAD;
		return end;
	}
	const char *end = p;
	while (is_digit(*end))
		end++;
	bool hexadecimal = p[0] == '0' && (p[1] == 'x' || p[1] == 'X');
	if (!hexadecimal && (*end == '.' || *end == 'e' || *end == 'E'))
		return lex_decimal_float(p, token);
	if (hexadecimal)
		p = lex_digits(p + 2, 16, token);
	else if (p[0] == '0' && (p[1] == 'b' || p[1] == 'B'))
		p = lex_digits(p + 2, 2, token);
	else
		p = lex_digits(p, p[0] == '0' ? 8 : 10, token);
	return *p == 'U' || *p == 'u' ? p + 1 : p;
}

void ptx_lex_next(struct ptx_lexer *lexer)
{
	skip_blank(lexer);
	struct ptx_token token = {0};
	const char *p = lexer->position;
	token.text = p;
	token.line = lexer->line;
	if (p >= lexer->end) {
		token.kind = TOKEN_END;
	} else if (is_word_start(*p) || (*p == '.' && is_word_start(p[1]))) {
		token.kind = TOKEN_WORD;
		p = lex_word(p);
	} else if (is_digit(*p)) {
		p = lex_number(p, &token);
	} else if (*p == '"') {
		token.kind = TOKEN_STRING;
		for (p++; p < lexer->end && *p != '"'; p++)
			lexer->line += *p == '\n';
		p += p < lexer->end;
	} else {
		token.kind = TOKEN_PUNCTUATION;
		p++;
	}
	token.size = (uint32_t)(p - token.text);
	lexer->position = p;
	lexer->token = token;
}

bool ptx_lex_is(const struct ptx_lexer *lexer, char punctuation)
{
	return lexer->token.kind == TOKEN_PUNCTUATION && lexer->token.text[0] == punctuation;
}

bool ptx_lex_is_word(const struct ptx_lexer *lexer, const char *word)
{
	return lexer->token.kind == TOKEN_WORD && lexer->token.size == strlen(word) &&
	       !memcmp(lexer->token.text, word, lexer->token.size);
}
