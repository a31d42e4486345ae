/* Declarations of variables and parameters, and what variables hold at first. */
#include "config.h"

#include "softcuda/ptx/parse.h"
#include "softcuda/ptx/ptx.h"

#include <stdlib.h>
#include <string.h>

bool ptx_local(struct ptx_parser *parser, uint64_t size_B, uint32_t align_B,
	       uint64_t *offset_out)
{
	uint32_t gap_B = parser->gaps ? PTX_LOCAL_GAP_B : 0;
	uint64_t offset_B = (parser->local_B + gap_B + align_B - 1) & ~(uint64_t)(align_B - 1);
	struct local_variable local = {(uint32_t)offset_B, (uint32_t)size_B};
	bytes_append(&parser->locals, &local, sizeof(local));
	if (bytes_failed(&parser->locals))
		return ptx_fail_memory(parser);
	if (size_B > LOCAL_MAX_B || offset_B + size_B > LOCAL_MAX_B)
		return ptx_fail(parser, parser->lexer.token.line,
				"local memory of a function is over %u bytes", LOCAL_MAX_B);
	parser->local_B = offset_B + size_B;
	parser->local_gap_B += gap_B;
	if (parser->local_align_B < align_B)
		parser->local_align_B = align_B;
	*offset_out = offset_B;
	return true;
}

/* What a declaration says before its name. */
struct declarator {
	uint32_t align_B, element_B, vector;
	uint64_t size_B;
	bool floating, open;          /* open: name[] */
	const char *name;
	uint32_t name_size;
};

static bool parse_align(struct ptx_parser *parser, uint32_t *align_out)
{
	int64_t align_B;
	ptx_lex_next(&parser->lexer);
	if (!ptx_integer(parser, &align_B))
		return false;
	if (align_B < 1 || align_B > 4096 || (align_B & (align_B - 1)))
		return ptx_fail(parser, parser->lexer.token.line, "bad alignment");
	*align_out = (uint32_t)align_B;
	return true;
}

static bool parse_dimensions(struct ptx_parser *parser, struct declarator *what)
{
	struct ptx_lexer *lexer = &parser->lexer;
	while (ptx_lex_is(lexer, '[')) {
		int64_t count;
		ptx_lex_next(lexer);
		if (ptx_lex_is(lexer, ']')) {
			what->open = true;
			ptx_lex_next(lexer);
			continue;
		}
		if (!ptx_integer(parser, &count) || !ptx_expect(parser, ']'))
			return false;
		if (count < 0 || (count && what->size_B > (UINT64_C(1) << 40) / (uint64_t)count))
			return ptx_fail(parser, lexer->token.line, "array is too large");
		what->size_B *= (uint64_t)count;
	}
	return true;
}

/* name [dims], of the type that what says. */
static bool parse_declared(struct ptx_parser *parser, struct declarator *what)
{
	struct ptx_lexer *lexer = &parser->lexer;
	if (lexer->token.kind != TOKEN_WORD || !what->element_B)
		return ptx_fail(parser, lexer->token.line, "bad declaration at '%.*s'",
				(int)lexer->token.size, lexer->token.text);
	what->name = lexer->token.text;
	what->name_size = lexer->token.size;
	what->size_B = (uint64_t)what->element_B * what->vector;
	what->open = false;
	ptx_lex_next(lexer);
	return parse_dimensions(parser, what);
}

/* [.align n] [.v2|.v4] .type [.ptr ...] name [dims]; ends after the dims. */
static bool parse_declarator(struct ptx_parser *parser, struct declarator *what)
{
	struct ptx_lexer *lexer = &parser->lexer;
	uint32_t align_B = 0;
	memset(what, 0, sizeof(*what));
	what->vector = 1;
	while (lexer->token.kind == TOKEN_WORD && lexer->token.text[0] == '.') {
		if (ptx_lex_is_word(lexer, ".align")) {
			if (!parse_align(parser, &align_B))
				return false;
			continue;
		}
		if (ptx_lex_is_word(lexer, ".v2") || ptx_lex_is_word(lexer, ".v4")) {
			what->vector = (uint32_t)(lexer->token.text[2] - '0');
		} else if (ptx_lex_is_word(lexer, ".ptr")) {
			/* What a pointer points to: a promise to the optimiser. */
			for (ptx_lex_next(lexer); lexer->token.text[0] == '.' &&
			     lexer->token.kind == TOKEN_WORD;) {
				uint32_t ignored;
				if (!ptx_lex_is_word(lexer, ".align"))
					ptx_lex_next(lexer);
				else if (!parse_align(parser, &ignored))
					return false;
			}
			continue;
		} else {
			what->floating = lexer->token.text[1] == 'f';
			if (!ptx_type_size(parser, lexer->token.text, lexer->token.size,
					   &what->element_B))
				return false;
		}
		ptx_lex_next(lexer);
	}
	what->align_B = align_B ? align_B : what->element_B * what->vector;
	return parse_declared(parser, what);
}

/* A value of an initialiser: number, symbol + n, generic(symbol) + n, or
 * 0xff00(...), a byte of an address. */
static bool parse_address(struct ptx_parser *parser, struct relocation *relocation)
{
	struct ptx_lexer *lexer = &parser->lexer;
	bool generic = ptx_lex_is_word(lexer, "generic");
	if (generic) {
		ptx_lex_next(lexer);
		if (!ptx_expect(parser, '('))
			return false;
	}
	const struct ptx_symbol *symbol =
		ptx_symbol_find(parser, lexer->token.text, lexer->token.size);
	if (!symbol || (symbol->kind != SYMBOL_VARIABLE && symbol->kind != SYMBOL_FUNCTION))
		return ptx_fail(parser, lexer->token.line, "'%.*s' has no address here",
				(int)lexer->token.size, lexer->token.text);
	relocation->function = symbol->kind == SYMBOL_FUNCTION;
	relocation->index = symbol->index;
	if (relocation->function)
		ptx_code(parser, symbol->index)->address_taken = true;
	ptx_lex_next(lexer);
	if (generic && !ptx_expect(parser, ')'))
		return false;
	if (ptx_lex_is(lexer, '+')) {
		ptx_lex_next(lexer);
		return ptx_integer(parser, &relocation->addend);
	}
	if (ptx_lex_is(lexer, '-'))
		return ptx_integer(parser, &relocation->addend);
	return true;
}

static bool parse_masked_address(struct ptx_parser *parser, uint64_t mask,
				 struct relocation *relocation)
{
	while (mask && !(mask & 0xff)) {
		mask >>= 8;
		relocation->shift = (uint8_t)(relocation->shift + 8);
	}
	return ptx_expect(parser, '(') && parse_address(parser, relocation) &&
	       ptx_expect(parser, ')');
}

static bool parse_element(struct ptx_parser *parser, const struct declarator *what,
			  char *bytes, uint64_t offset_B, uint32_t variable)
{
	struct ptx_lexer *lexer = &parser->lexer;
	struct relocation relocation = {.variable = variable, .offset_B = offset_B,
					.size_B = (uint8_t)what->element_B};
	uint64_t value = 0;
	bool negative = ptx_lex_is(lexer, '-');
	if (negative && lexer->position < lexer->end)
		ptx_lex_next(lexer);
	if (lexer->token.kind == TOKEN_FLOAT) {
		value = lexer->token.value;
		if (!lexer->token.single && what->element_B == 4) {
			double wide;
			memcpy(&wide, &value, sizeof(wide));
			float narrow = (float)wide;
			uint32_t bits;
			memcpy(&bits, &narrow, sizeof(bits));
			value = bits;
		}
		value ^= negative ? UINT64_C(1) << (8 * what->element_B - 1) : 0;
		ptx_lex_next(lexer);
	} else if (lexer->token.kind == TOKEN_INTEGER) {
		value = lexer->token.value;
		value = negative ? 0 - value : value;
		ptx_lex_next(lexer);
		if (ptx_lex_is(lexer, '(')) {
			if (!parse_masked_address(parser, value, &relocation))
				return false;
			bytes_append(&parser->relocations, &relocation, sizeof(relocation));
			return true;
		}
	} else {
		if (!parse_address(parser, &relocation))
			return false;
		bytes_append(&parser->relocations, &relocation, sizeof(relocation));
		return true;
	}
	memcpy(bytes + offset_B, &value, what->element_B < 8 ? what->element_B : 8);
	return true;
}

static bool parse_initialiser(struct ptx_parser *parser, const struct declarator *what,
			      char *bytes, uint32_t variable)
{
	struct ptx_lexer *lexer = &parser->lexer;
	uint64_t offset_B = 0;
	unsigned depth = 0;
	do {
		if (ptx_lex_is(lexer, '{') || ptx_lex_is(lexer, '}') || ptx_lex_is(lexer, ',')) {
			depth += ptx_lex_is(lexer, '{');
			depth -= ptx_lex_is(lexer, '}') && depth;
			ptx_lex_next(lexer);
			continue;
		}
		if (offset_B + what->element_B > what->size_B)
			return ptx_fail(parser, lexer->token.line, "too many initial values");
		if (!parse_element(parser, what, bytes, offset_B, variable))
			return false;
		offset_B += what->element_B;
	} while (depth);
	return true;
}

static bool declare_global(struct ptx_parser *parser, const struct declarator *what,
			   bool constant, bool external)
{
	struct ptx_lexer *lexer = &parser->lexer;
	struct soft_variable variable = {.size_B = what->size_B, .align_B = what->align_B,
					 .constant = constant};
	struct ptx_symbol *symbol =
		ptx_symbol_declare(parser, SYMBOL_VARIABLE, what->name, what->name_size);
	if (!symbol)
		return false;
	if (external)
		return ptx_fail(parser, lexer->token.line,
				"'%s' is external: modules cannot be linked", symbol->name);
	symbol->index = (uint32_t)(parser->variables.size_B / sizeof(variable));
	symbol->size_B = what->size_B;
	variable.name = symbol->name;
	if (ptx_lex_is(lexer, '=')) {
		char *bytes = arena_take(parser->arena, what->size_B ? what->size_B : 1);
		if (!bytes)
			return ptx_fail_memory(parser);
		ptx_lex_next(lexer);
		if (!parse_initialiser(parser, what, bytes, symbol->index))
			return false;
		variable.initial = bytes;
	}
	bytes_append(&parser->variables, &variable, sizeof(variable));
	return true;
}

static bool declare_shared(struct ptx_parser *parser, const struct declarator *what,
			   bool external)
{
	struct ptx_symbol *symbol =
		ptx_symbol_declare(parser, SYMBOL_SHARED, what->name, what->name_size);
	if (!symbol)
		return false;
	struct shared_variable shared = {
		.name = symbol->name, .align_B = what->align_B,
		.size_B = external || what->open ? 0 : what->size_B,
		.external = external || what->open
	};
	symbol->index = (uint32_t)(parser->shared.size_B / sizeof(shared));
	bytes_append(&parser->shared, &shared, sizeof(shared));
	return true;
}

static bool declare_local(struct ptx_parser *parser, const struct declarator *what)
{
	struct ptx_symbol *symbol =
		ptx_symbol_declare(parser, SYMBOL_LOCAL, what->name, what->name_size);
	if (!symbol)
		return false;
	symbol->size_B = what->size_B;
	return ptx_local(parser, what->size_B, what->align_B, &symbol->offset_B);
}

static bool declare(struct ptx_parser *parser, const struct declarator *what,
		    enum ptx_space space, bool external)
{
	if (space == SPACE_GLOBAL || space == SPACE_CONST)
		return declare_global(parser, what, space == SPACE_CONST, external);
	if (space == SPACE_SHARED)
		return declare_shared(parser, what, external);
	if (!parser->depth)
		return ptx_fail(parser, parser->lexer.token.line,
				"local memory outside of a function");
	return declare_local(parser, what);
}

bool ptx_variable(struct ptx_parser *parser, enum ptx_space space, bool external)
{
	struct ptx_lexer *lexer = &parser->lexer;
	struct declarator what;
	ptx_lex_next(lexer);
	if (!parse_declarator(parser, &what) || !declare(parser, &what, space, external))
		return false;
	while (ptx_lex_is(lexer, ',')) {
		ptx_lex_next(lexer);
		if (!parse_declared(parser, &what) || !declare(parser, &what, space, external))
			return false;
	}
	return ptx_expect(parser, ';');
}

/* A register that a function finds its parameter in, or leaves its result in. */
static bool declare_formal(struct ptx_parser *parser, const struct declarator *what,
			   struct ptx_symbol *symbol, bool result, uint64_t offset_B)
{
	struct ptx_formal formal = {
		.index = (uint32_t)parser->widths.size_B, .offset_B = offset_B,
		.width = ptx_register_width(what->element_B), .result = result
	};
	if (what->size_B != what->element_B)
		return ptx_fail(parser, parser->lexer.token.line,
				"'%s' is a parameter that no register holds", symbol->name);
	symbol->kind = SYMBOL_REGISTER;
	symbol->width = formal.width;
	symbol->index = formal.index;
	bytes_append_char(&parser->widths, formal.width);
	bytes_append(&parser->formals, &formal, sizeof(formal));
	return bytes_failed(&parser->widths) || bytes_failed(&parser->formals) ?
	       ptx_fail_memory(parser) : true;
}

/* PTX ISA 9.0, 5.1.6.1 "Kernel Function Parameters". */
static uint64_t entry_parameters_max_B(const struct ptx_parser *parser)
{
	return parser->version >= 81 && parser->program->target >= 70 ? 32764 : 4352;
}

static bool add_parameter(struct ptx_parser *parser, const struct declarator *what,
			  enum ptx_list kind, bool in_register, uint64_t *size_B,
			  struct soft_parameter *parameter)
{
	uint64_t offset_B = (*size_B + what->align_B - 1) & ~(uint64_t)(what->align_B - 1);
	const uint64_t most_B = kind == LIST_ENTRY ? entry_parameters_max_B(parser) : LOCAL_MAX_B;
	if (offset_B + what->size_B > most_B)
		return ptx_fail(parser, parser->lexer.token.line, "parameters are too large: at most %llu "
				"bytes in PTX %u.%u for sm_%u", (unsigned long long)most_B,
				parser->version / 10, parser->version % 10, parser->program->target);
	struct ptx_symbol *symbol =
		ptx_symbol_declare(parser, kind == LIST_ENTRY ? SYMBOL_PARAM : SYMBOL_LOCAL,
				   what->name, what->name_size);
	if (!symbol)
		return false;
	*size_B = offset_B + what->size_B;
	if (kind != LIST_ENTRY &&
	    !ptx_local(parser, what->size_B, what->align_B, &offset_B))
		return false;
	symbol->offset_B = offset_B;
	symbol->size_B = what->size_B;
	if (in_register &&
	    !declare_formal(parser, what, symbol, kind == LIST_RESULTS, offset_B))
		return false;
	*parameter = (struct soft_parameter){.offset_B = (uint32_t)offset_B,
					     .size_B = (uint32_t)what->size_B,
					     .align_B = what->align_B};
	return true;
}

bool ptx_parameters(struct ptx_parser *parser, enum ptx_list kind,
		    struct soft_parameter **list_out, uint32_t *count_out, uint32_t *size_B_out)
{
	struct ptx_lexer *lexer = &parser->lexer;
	struct bytes list = BYTES_INIT;
	uint64_t size_B = 0;
	bool right = ptx_expect(parser, '(');
	while (right && !ptx_lex_is(lexer, ')')) {
		struct declarator what;
		struct soft_parameter parameter;
		const bool in_register = ptx_lex_is_word(lexer, ".reg") && kind != LIST_ENTRY;
		if (!in_register && !ptx_lex_is_word(lexer, ".param")) {
			right = ptx_fail(parser, lexer->token.line,
					 "a parameter in '%.*s' is not supported",
					 (int)lexer->token.size, lexer->token.text);
			break;
		}
		ptx_lex_next(lexer);
		right = parse_declarator(parser, &what) &&
			add_parameter(parser, &what, kind, in_register, &size_B,
				      &parameter);
		if (right)
			bytes_append(&list, &parameter, sizeof(parameter));
		if (right && ptx_lex_is(lexer, ','))
			ptx_lex_next(lexer);
		else if (right && !ptx_lex_is(lexer, ')'))
			right = ptx_expect(parser, ')');
	}
	if (right)
		ptx_lex_next(lexer);
	struct soft_parameter *copy = arena_take(parser->arena, list.size_B);
	if (right && (!copy || bytes_failed(&list)))
		right = ptx_fail_memory(parser);
	if (right) {
		if (list.size_B)
			memcpy(copy, list.data, list.size_B);
		*list_out = copy;
		*count_out = (uint32_t)(list.size_B / sizeof(*copy));
		*size_B_out = (uint32_t)size_B;
	}
	bytes_finish(&list);
	return right;
}
