/* The small parts of directives and instructions. */
#include "config.h"

#include "softcuda/ptx/parse.h"

#include <string.h>

bool ptx_expect(struct ptx_parser *parser, char punctuation)
{
	struct ptx_lexer *lexer = &parser->lexer;
	if (!ptx_lex_is(lexer, punctuation))
		return ptx_fail(parser, lexer->token.line, "expected '%c', not '%.*s'", punctuation,
				(int)lexer->token.size, lexer->token.text);
	ptx_lex_next(lexer);
	return true;
}

bool ptx_integer(struct ptx_parser *parser, int64_t *value_out)
{
	struct ptx_lexer *lexer = &parser->lexer;
	bool negative = ptx_lex_is(lexer, '-'), inverted = ptx_lex_is(lexer, '~');
	if (negative || inverted)
		ptx_lex_next(lexer);
	if (lexer->token.kind != TOKEN_INTEGER)
		return ptx_fail(parser, lexer->token.line, "expected a number, not '%.*s'",
				(int)lexer->token.size, lexer->token.text);
	uint64_t value = lexer->token.value;
	ptx_lex_next(lexer);
	*value_out = (int64_t)(negative ? 0 - value : inverted ? ~value : value);
	return true;
}

bool ptx_type_size(struct ptx_parser *parser, const char *type, uint32_t size,
		   uint32_t *size_B_out)
{
	static const struct { const char *name; uint32_t size_B; } types[] = {
		{".b8", 1}, {".u8", 1}, {".s8", 1}, {".b16", 2}, {".u16", 2}, {".s16", 2},
		{".f16", 2}, {".bf16", 2}, {".b32", 4}, {".u32", 4}, {".s32", 4}, {".f32", 4},
		{".f16x2", 4}, {".bf16x2", 4}, {".b64", 8}, {".u64", 8}, {".s64", 8},
		{".f64", 8}, {".b128", 16}, {".pred", 0}
	};
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		if (strlen(types[i].name) == size && !memcmp(types[i].name, type, size)) {
			*size_B_out = types[i].size_B;
			return true;
		}
	}
	return ptx_fail(parser, parser->lexer.token.line, "unknown type '%.*s'", (int)size, type);
}

char ptx_register_width(uint32_t size_B)
{
	return size_B == 0 ? 'p' : size_B <= 2 ? 'h' : size_B == 4 ? 'w' : size_B == 8 ? 'l' : 'q';
}

void ptx_skip_line(struct ptx_parser *parser)
{
	uint32_t line = parser->lexer.token.line;
	while (parser->lexer.token.line == line && parser->lexer.token.kind != TOKEN_END)
		ptx_lex_next(&parser->lexer);
}

/* In a program that is built to be checked, "#culvert_in#" and a name behind that of a file say that its lines are
 * those of a function that was inlined, and before that, "#culvert_turn#" and a number that they are those of a turn of
 * a loop that was unrolled. */
static void split_name(struct source_file *file, char *name)
{
	static const char in[] = "#culvert_in#", turn[] = "#culvert_turn#";
	char *at = name ? strstr(name, in) : NULL;
	file->name = name;
	if (at) {
		file->function = at + sizeof(in) - 1;
		*at = '\0';
	}
	at = name ? strstr(name, turn) : NULL;
	if (at) {
		file->turn = true;
		*at = '\0';
	}
}

/* .file number "name" ... */
void ptx_file(struct ptx_parser *parser)
{
	struct ptx_lexer *lexer = &parser->lexer;
	struct source_file file = {0};
	uint32_t line = lexer->token.line;
	ptx_lex_next(lexer);
	if (lexer->token.kind == TOKEN_INTEGER) {
		file.number = (uint32_t)lexer->token.value;
		ptx_lex_next(lexer);
	}
	if (lexer->token.kind == TOKEN_STRING && lexer->token.line == line &&
	    lexer->token.size >= 2) {
		/* Without the quotes. */
		split_name(&file, arena_string(parser->arena, lexer->token.text + 1, lexer->token.size - 2));
		bytes_append(&parser->files, &file, sizeof(file));
		if (!file.name || bytes_failed(&parser->files))
			ptx_fail_memory(parser);
	}
	while (lexer->token.line == line && lexer->token.kind != TOKEN_END)
		ptx_lex_next(lexer);
}

/* .loc file line column ... */
void ptx_place(struct ptx_parser *parser)
{
	struct ptx_lexer *lexer = &parser->lexer;
	uint32_t line = lexer->token.line;
	uint64_t numbers[3] = {0, 0, 0};
	ptx_lex_next(lexer);
	for (unsigned i = 0; i < 3 && lexer->token.kind == TOKEN_INTEGER; i++) {
		numbers[i] = lexer->token.value;
		ptx_lex_next(lexer);
	}
	parser->place = (struct source_place){(uint32_t)numbers[0], (uint32_t)numbers[1],
					      (uint32_t)numbers[2]};
	while (lexer->token.line == line && lexer->token.kind != TOKEN_END)
		ptx_lex_next(lexer);
}
