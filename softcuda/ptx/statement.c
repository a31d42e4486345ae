#include "config.h"

#include "softcuda/ptx/decode.h"
#include "softcuda/ptx/program.h"

#include <stdlib.h>
#include <string.h>

/* .reg [.v2|.v4] .type name, name<count>, ...; */
static bool parse_registers(struct ptx_parser *parser)
{
	struct ptx_lexer *lexer = &parser->lexer;
	uint32_t size_B, elements = 0;
	ptx_lex_next(lexer);
	if (ptx_lex_is_word(lexer, ".v2") || ptx_lex_is_word(lexer, ".v4")) {
		elements = (uint32_t)(lexer->token.text[2] - '0');
		ptx_lex_next(lexer);
	}
	if (!ptx_type_size(parser, lexer->token.text, lexer->token.size, &size_B))
		return false;
	char width = ptx_register_width(size_B);
	do {
		ptx_lex_next(lexer);
		struct ptx_symbol *symbol = ptx_symbol_declare(
			parser, elements ? SYMBOL_VECTOR : SYMBOL_REGISTER, lexer->token.text,
			lexer->token.size);
		int64_t count = elements ? elements : 1;
		if (!symbol)
			return false;
		ptx_lex_next(lexer);
		if (elements)
			symbol->count = elements;
		else if (ptx_lex_is(lexer, '<')) {
			ptx_lex_next(lexer);
			if (!ptx_integer(parser, &count) || !ptx_expect(parser, '>'))
				return false;
			if (count < 0 || count > 1 << 22)
				return ptx_fail(parser, lexer->token.line, "too many registers");
			symbol->count = (uint32_t)count;
		}
		symbol->width = width;
		symbol->index = (uint32_t)parser->widths.size_B;
		char *widths = bytes_extend(&parser->widths, (size_t)count);
		if (!widths)
			return count == 0 || ptx_fail_memory(parser);
		memset(widths, width, (size_t)count);
	} while (ptx_lex_is(lexer, ','));
	return ptx_expect(parser, ';');
}

static struct ptx_operand *pool_take(struct ptx_parser *parser, uint32_t count)
{
	struct ptx_instruction *in = &parser->instruction;
	if (count > PTX_POOL - in->pool_count) {
		ptx_fail(parser, in->line, "too many operands");
		return NULL;
	}
	struct ptx_operand *taken = &in->pool[in->pool_count];
	in->pool_count += count;
	memset(taken, 0, count * sizeof(*taken));
	return taken;
}

/* r.b0, r.h10: a register and which parts of it. */
static bool parse_part(struct ptx_parser *parser, struct ptx_operand *operand, const char *text,
		       uint32_t size)
{
	uint32_t name_size = size;
	while (name_size && text[name_size - 1] >= '0' && text[name_size - 1] <= '7')
		name_size--;
	if (name_size == size || name_size < 3 || text[name_size - 2] != '.' ||
	    (text[name_size - 1] != 'b' && text[name_size - 1] != 'h') ||
	    !ptx_symbol_register(parser, text, name_size - 2, &operand->index, &operand->width))
		return false;
	operand->part = arena_string(parser->arena, text + name_size - 1, size - name_size + 1);
	return operand->part || ptx_fail_memory(parser);
}

/* v, a register of several elements, or one of them: v.x to v.w, v.r to v.a. */
static bool parse_elements(struct ptx_parser *parser, struct ptx_operand *operand,
			   const char *text, uint32_t size)
{
	static const char letters[] = "xyzwrgba";
	const char *letter = size > 2 && text[size - 2] == '.' && text[size - 1] ?
			     strchr(letters, text[size - 1]) : NULL;
	const struct ptx_symbol *symbol = ptx_symbol_find(parser, text, size - (letter ? 2 : 0));
	const uint32_t at = letter ? (uint32_t)(letter - letters) % 4 : 0;
	if (!symbol || symbol->kind != SYMBOL_VECTOR || at >= symbol->count)
		return false;
	operand->width = symbol->width;
	operand->index = symbol->index + at;
	operand->kind = letter ? PTX_REGISTER : PTX_VECTOR;
	operand->count = letter ? 0 : symbol->count;
	operand->elements = pool_take(parser, operand->count);
	for (uint32_t i = 0; operand->elements && i < operand->count; i++)
		operand->elements[i] = (struct ptx_operand){
			.kind = PTX_REGISTER, .width = symbol->width, .index = symbol->index + i
		};
	return operand->elements;
}

static bool parse_name(struct ptx_parser *parser, struct ptx_operand *operand)
{
	struct ptx_lexer *lexer = &parser->lexer;
	const char *text = lexer->token.text;
	uint32_t size = lexer->token.size;
	if (ptx_symbol_register(parser, text, size, &operand->index, &operand->width) ||
	    parse_part(parser, operand, text, size)) {
		operand->kind = PTX_REGISTER;
	} else if (ptx_lex_is_word(lexer, "_")) {
		operand->kind = PTX_SINK;
	} else if (parse_elements(parser, operand, text, size)) {
		ptx_lex_next(lexer);
		return true;
	} else {
		operand->symbol = ptx_symbol_find(parser, text, size);
		operand->kind = operand->symbol && operand->symbol->kind != SYMBOL_LABEL ?
				PTX_SYMBOL : text[0] == '%' ? PTX_SPECIAL : PTX_NAME;
		operand->text = arena_string(parser->arena, text, size);
		if (!operand->text)
			return ptx_fail_memory(parser);
	}
	ptx_lex_next(lexer);
	return true;
}

/* A name or number, with + n or - n behind it. */
static bool parse_simple(struct ptx_parser *parser, struct ptx_operand *operand)
{
	struct ptx_lexer *lexer = &parser->lexer;
	if (ptx_lex_is(lexer, '!')) {
		operand->negated = true;
		ptx_lex_next(lexer);
	}
	const struct ptx_lexer before = *lexer;
	if (ptx_lex_is(lexer, '-')) {
		ptx_lex_next(lexer);
		operand->minus = lexer->token.kind == TOKEN_WORD;
		if (!operand->minus)
			*lexer = before;
	}
	if (lexer->token.kind == TOKEN_WORD) {
		if (!parse_name(parser, operand))
			return false;
	} else if (lexer->token.kind == TOKEN_FLOAT) {
		operand->kind = PTX_FLOAT;
		operand->value = lexer->token.value;
		operand->single = lexer->token.single;
		ptx_lex_next(lexer);
	} else {
		int64_t value;
		if (!ptx_integer(parser, &value))
			return false;
		operand->kind = PTX_INTEGER;
		operand->value = (uint64_t)value;
	}
	if (ptx_lex_is(lexer, '+')) {
		ptx_lex_next(lexer);
		return ptx_integer(parser, &operand->offset);
	}
	if (ptx_lex_is(lexer, '-'))
		return ptx_integer(parser, &operand->offset);
	return true;
}

static bool parse_vector(struct ptx_parser *parser, struct ptx_operand *operand, char close)
{
	struct ptx_lexer *lexer = &parser->lexer;
	operand->kind = PTX_VECTOR;
	operand->elements = &parser->instruction.pool[parser->instruction.pool_count];
	ptx_lex_next(lexer);
	while (!ptx_lex_is(lexer, close)) {
		struct ptx_operand *element = pool_take(parser, 1);
		if (!element || !parse_simple(parser, element))
			return false;
		operand->count++;
		if (ptx_lex_is(lexer, ','))
			ptx_lex_next(lexer);
		else if (!ptx_lex_is(lexer, close))
			return ptx_expect(parser, close);
	}
	ptx_lex_next(lexer);
	return true;
}

/* Of [object, {x, y}] or [object, x] what is behind the object. */
static bool parse_coordinates(struct ptx_parser *parser, struct ptx_operand *operand)
{
	struct ptx_lexer *lexer = &parser->lexer;
	if (!ptx_lex_is(lexer, ','))
		return true;
	operand->pair = pool_take(parser, 1);
	ptx_lex_next(lexer);
	return operand->pair && (ptx_lex_is(lexer, '{') ?
				 parse_vector(parser, operand->pair, '}') :
				 parse_simple(parser, operand->pair));
}

static bool parse_operand(struct ptx_parser *parser, struct ptx_operand *operand)
{
	struct ptx_lexer *lexer = &parser->lexer;
	memset(operand, 0, sizeof(*operand));
	if (ptx_lex_is(lexer, '{'))
		return parse_vector(parser, operand, '}');
	if (ptx_lex_is(lexer, '('))
		return parse_vector(parser, operand, ')');
	if (ptx_lex_is(lexer, '[')) {
		ptx_lex_next(lexer);
		if (!parse_simple(parser, operand) || !parse_coordinates(parser, operand))
			return false;
		operand->address = true;
		return ptx_expect(parser, ']');
	}
	if (!parse_simple(parser, operand))
		return false;
	if (ptx_lex_is(lexer, '|')) {
		ptx_lex_next(lexer);
		operand->pair = pool_take(parser, 1);
		return operand->pair && parse_simple(parser, operand->pair);
	}
	return true;
}

static bool parse_guard(struct ptx_parser *parser)
{
	struct ptx_instruction *in = &parser->instruction;
	struct ptx_lexer *lexer = &parser->lexer;
	char width;
	in->guard = OPERAND_NONE;
	in->guard_negated = false;
	if (!ptx_lex_is(lexer, '@'))
		return true;
	ptx_lex_next(lexer);
	if (ptx_lex_is(lexer, '!')) {
		in->guard_negated = true;
		ptx_lex_next(lexer);
	}
	if (!ptx_symbol_register(parser, lexer->token.text, lexer->token.size, &in->guard,
				 &width) || width != 'p')
		return ptx_fail(parser, lexer->token.line, "'%.*s' is not a predicate",
				(int)lexer->token.size, lexer->token.text);
	ptx_lex_next(lexer);
	return true;
}

static bool parse_instruction(struct ptx_parser *parser)
{
	struct ptx_instruction *in = &parser->instruction;
	struct ptx_lexer *lexer = &parser->lexer;
	in->line = lexer->token.line;
	in->count = in->pool_count = 0;
	if (!parse_guard(parser))
		return false;
	if (lexer->token.kind != TOKEN_WORD || lexer->token.size >= PTX_MNEMONIC)
		return ptx_fail(parser, lexer->token.line, "expected an instruction, not '%.*s'",
				(int)lexer->token.size, lexer->token.text);
	memcpy(in->mnemonic, lexer->token.text, lexer->token.size);
	in->mnemonic[lexer->token.size] = '\0';
	ptx_lex_next(lexer);
	while (!ptx_lex_is(lexer, ';')) {
		if (in->count == PTX_OPERANDS)
			return ptx_fail(parser, in->line, "too many operands");
		if (!parse_operand(parser, &in->operands[in->count]))
			return false;
		in->count++;
		if (ptx_lex_is(lexer, ','))
			ptx_lex_next(lexer);
		else if (!ptx_lex_is(lexer, ';'))
			return ptx_expect(parser, ';');
	}
	ptx_lex_next(lexer);
	const bool decoded = ptx_decode(parser);
	parser->used_bytes = 0;
	return decoded;
}

/* name: .branchtargets a, b, c; */
static bool parse_branch_targets(struct ptx_parser *parser, struct ptx_symbol *symbol)
{
	struct ptx_lexer *lexer = &parser->lexer;
	struct branch_table table = {0};
	symbol->kind = SYMBOL_TABLE;
	symbol->index = (uint32_t)(parser->tables.size_B / sizeof(table));
	do {
		ptx_lex_next(lexer);
		struct ptx_fixup fixup = {
			.label = lexer->token.text, .label_size = lexer->token.size,
			.depth = parser->depth, .op = OPERAND_NONE, .table = symbol->index,
			.slot = table.count++, .line = lexer->token.line
		};
		bytes_append(&parser->fixups, &fixup, sizeof(fixup));
		ptx_lex_next(lexer);
	} while (ptx_lex_is(lexer, ','));
	table.targets = arena_take(parser->arena, table.count * sizeof(*table.targets));
	bytes_append(&parser->tables, &table, sizeof(table));
	if (!table.targets || bytes_failed(&parser->tables) || bytes_failed(&parser->fixups))
		return ptx_fail_memory(parser);
	return ptx_expect(parser, ';');
}

static bool parse_label(struct ptx_parser *parser, const struct ptx_token *name)
{
	struct ptx_lexer *lexer = &parser->lexer;
	struct ptx_symbol *symbol =
		ptx_symbol_declare(parser, SYMBOL_LABEL, name->text, name->size);
	if (!symbol)
		return false;
	ptx_lex_next(lexer);
	symbol->index = ptx_op_count(parser);
	if (ptx_lex_is_word(lexer, ".branchtargets"))
		return parse_branch_targets(parser, symbol);
	if (!ptx_lex_is_word(lexer, ".callprototype") && !ptx_lex_is_word(lexer, ".calltargets"))
		return true;
	/* A call's own argument list says all that we need. */
	symbol->kind = SYMBOL_PROTOTYPE;
	while (!ptx_lex_is(lexer, ';') && lexer->token.kind != TOKEN_END)
		ptx_lex_next(lexer);
	return ptx_expect(parser, ';');
}

/* PTX ISA 9.0, 13.3: "used_bytes_mask" is of the load that follows, whose other bytes may lie
 * anywhere and hold anything.  "culvert_variable" is of the frontend.  The other pragmas are advice. */
static bool note_pragma(struct ptx_parser *parser, const struct ptx_token *token)
{
	/* The quotes are the token's. */
	static const char name[] = "\"used_bytes_mask ", variable[] = "\"culvert_variable ";
	const size_t size = sizeof(name) - 1, before = sizeof(variable) - 1;
	char number[16] = "";
	if (token->size > before + 1 && !memcmp(token->text, variable, before))
		return ptx_note_variable(parser, token->text + before, token->size - before - 1);
	if (token->size <= size || memcmp(token->text, name, size))
		return true;
	const size_t rest = token->size - size;
	memcpy(number, token->text + size, rest < sizeof(number) ? rest : sizeof(number) - 1);
	parser->used_bytes = (uint32_t)strtoul(number, NULL, 0);
	return true;
}

static bool parse_pragma(struct ptx_parser *parser)
{
	struct ptx_lexer *lexer = &parser->lexer;
	while (!ptx_lex_is(lexer, ';')) {
		if (lexer->token.kind == TOKEN_END)
			return ptx_expect(parser, ';');
		if (lexer->token.kind == TOKEN_STRING && !note_pragma(parser, &lexer->token))
			return false;
		ptx_lex_next(lexer);
	}
	ptx_lex_next(lexer);
	return true;
}

static bool parse_statement(struct ptx_parser *parser)
{
	struct ptx_lexer *lexer = &parser->lexer;
	if (ptx_lex_is(lexer, ';')) {
		ptx_lex_next(lexer);
		return true;
	}
	if (ptx_lex_is_word(lexer, ".reg"))
		return parse_registers(parser);
	if (ptx_lex_is_word(lexer, ".param") || ptx_lex_is_word(lexer, ".local"))
		return ptx_variable(parser, SPACE_LOCAL, false);
	if (ptx_lex_is_word(lexer, ".shared"))
		return ptx_variable(parser, SPACE_SHARED, false);
	if (ptx_lex_is_word(lexer, ".loc")) {
		ptx_place(parser);
		return true;
	}
	if (ptx_lex_is_word(lexer, ".pragma"))
		return parse_pragma(parser);
	if (lexer->token.kind == TOKEN_WORD && lexer->token.text[0] == '.')
		return ptx_fail(parser, lexer->token.line, "unknown directive '%.*s'",
				(int)lexer->token.size, lexer->token.text);
	if (lexer->token.kind == TOKEN_WORD) {
		struct ptx_lexer before = *lexer;
		ptx_lex_next(lexer);
		if (ptx_lex_is(lexer, ':'))
			return parse_label(parser, &before.token);
		*lexer = before;
	}
	return parse_instruction(parser);
}

bool ptx_body(struct ptx_parser *parser)
{
	struct ptx_lexer *lexer = &parser->lexer;
	uint32_t bottom = parser->depth;
	if (!ptx_expect(parser, '{'))
		return false;
	while (!(ptx_lex_is(lexer, '}') && parser->depth == bottom)) {
		if (lexer->token.kind == TOKEN_END)
			return ptx_fail(parser, lexer->token.line, "a body has no end");
		if (ptx_lex_is(lexer, '{')) {
			ptx_scope_open(parser);
			ptx_lex_next(lexer);
		} else if (ptx_lex_is(lexer, '}')) {
			ptx_scope_close(parser);
			ptx_lex_next(lexer);
		} else if (!parse_statement(parser)) {
			return false;
		}
	}
	ptx_lex_next(lexer);
	/* A body may end without ret: then it ends here. */
	parser->instruction = (struct ptx_instruction){
		.mnemonic = "ret", .line = lexer->token.line, .guard = OPERAND_NONE
	};
	if (!ptx_decode(parser))
		return false;
	ptx_scope_close(parser);
	return parser->error == CUDA_SUCCESS && ptx_code_finish(parser);
}
