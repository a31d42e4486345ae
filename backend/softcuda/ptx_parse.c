#include "config.h"

#include "backend/softcuda/check_option.h"
#include "backend/softcuda/ptx_decode.h"

#include "backend/softcuda/ptx_program.h"

#include <stdlib.h>
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

bool ptx_local(struct ptx_parser *parser, uint64_t size_B, uint32_t align_B,
	       uint64_t *offset_out)
{
	uint32_t gap_B = check_options() & CHECK_MEMORY ? LOCAL_GAP_B : 0;
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

static bool add_parameter(struct ptx_parser *parser, const struct declarator *what,
			  enum ptx_list kind, bool in_register, uint64_t *size_B,
			  struct soft_parameter *parameter)
{
	uint64_t offset_B = (*size_B + what->align_B - 1) & ~(uint64_t)(what->align_B - 1);
	if (offset_B + what->size_B > LOCAL_MAX_B)
		return ptx_fail(parser, parser->lexer.token.line, "parameters are too large");
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

/* .maxntid, .reqntid and their like, between the parameters and the body. */
static bool parse_attributes(struct ptx_parser *parser, struct code *code)
{
	struct ptx_lexer *lexer = &parser->lexer;
	while (lexer->token.kind == TOKEN_WORD && lexer->token.text[0] == '.') {
		bool maximum = ptx_lex_is_word(lexer, ".maxntid");
		bool required = ptx_lex_is_word(lexer, ".reqntid");
		bool counted = ptx_lex_is_word(lexer, ".minnctapersm") ||
			       ptx_lex_is_word(lexer, ".maxnctapersm") ||
			       ptx_lex_is_word(lexer, ".maxnreg");
		int64_t values[3] = {1, 1, 1};
		if (!maximum && !required && !counted && !ptx_lex_is_word(lexer, ".noreturn"))
			return ptx_fail(parser, lexer->token.line, "unknown directive '%.*s'",
					(int)lexer->token.size, lexer->token.text);
		bool bare = ptx_lex_is_word(lexer, ".noreturn");
		ptx_lex_next(lexer);
		for (unsigned i = 0; !bare && i < 3; i++) {
			if (!ptx_integer(parser, &values[i]))
				return false;
			if (!ptx_lex_is(lexer, ','))
				break;
			ptx_lex_next(lexer);
		}
		for (unsigned i = 0; i < 3; i++)
			if (values[i] < 1 || values[i] > 65535)
				return ptx_fail(parser, lexer->token.line, "bad block size");
		if (maximum)
			code->max_block_threads =
				(uint32_t)(values[0] * values[1] * values[2] & 0xffffffff);
		for (unsigned i = 0; required && i < 3; i++)
			code->required_block[i] = (uint32_t)values[i];
		code->bounded |= maximum || required;
	}
	return true;
}

static struct ptx_symbol *function_symbol(struct ptx_parser *parser)
{
	const struct ptx_token *name = &parser->lexer.token;
	if (name->kind != TOKEN_WORD) {
		ptx_fail(parser, name->line, "a function has no name");
		return NULL;
	}
	struct ptx_symbol *symbol = ptx_symbol_find(parser, name->text, name->size);
	if (symbol && symbol->kind == SYMBOL_FUNCTION)
		return symbol;
	symbol = ptx_symbol_declare(parser, SYMBOL_FUNCTION, name->text, name->size);
	if (!symbol)
		return NULL;
	struct code code = {.name = symbol->name, .max_block_threads = BLOCK_MAX_THREADS};
	symbol->index = (uint32_t)(parser->codes.size_B / sizeof(code));
	bytes_append(&parser->codes, &code, sizeof(code));
	if (bytes_failed(&parser->codes)) {
		ptx_fail_memory(parser);
		return NULL;
	}
	return symbol;
}

struct signature {
	struct soft_parameter *results, *parameters;
	uint32_t result_count, parameter_count;
	uint32_t size_B;                     /* of the parameters */
};

/* Opens the body's scope.  NULL: it could not be read. */
static struct ptx_symbol *parse_signature(struct ptx_parser *parser, bool entry,
					  struct signature *signature)
{
	struct ptx_lexer *lexer = &parser->lexer;
	uint32_t ignored_B;
	ptx_lex_next(lexer);
	/* A result's name is of the body's scope, the function's of the module's:
	 * read the name first, from a second place in the text. */
	struct ptx_lexer results_at = *lexer;
	bool has_results = ptx_lex_is(lexer, '(');
	while (has_results && !ptx_lex_is(lexer, ')') && lexer->token.kind != TOKEN_END)
		ptx_lex_next(lexer);
	if (has_results)
		ptx_lex_next(lexer);
	struct ptx_symbol *symbol = function_symbol(parser);
	if (!symbol)
		return NULL;
	ptx_lex_next(lexer);
	struct ptx_lexer parameters_at = *lexer;
	parser->local_B = 0;
	parser->local_gap_B = 0;
	parser->local_align_B = 0;
	parser->locals.size_B = 0;
	parser->widths.size_B = 0;
	parser->formals.size_B = 0;
	ptx_scope_open(parser);
	if (has_results) {
		*lexer = results_at;
		if (!ptx_parameters(parser, LIST_RESULTS, &signature->results,
				    &signature->result_count, &ignored_B))
			return NULL;
		*lexer = parameters_at;
	}
	if (ptx_lex_is(lexer, '(') &&
	    !ptx_parameters(parser, entry ? LIST_ENTRY : LIST_FUNCTION, &signature->parameters,
			    &signature->parameter_count, &signature->size_B))
		return NULL;
	return symbol;
}

static bool parse_function(struct ptx_parser *parser, bool entry)
{
	struct ptx_lexer *lexer = &parser->lexer;
	struct signature signature = {0};
	const struct ptx_symbol *symbol = parse_signature(parser, entry, &signature);
	if (!symbol)
		return false;
	struct code *code = ptx_code(parser, symbol->index);
	if (code->defined && !ptx_lex_is(lexer, ';'))
		return ptx_fail(parser, lexer->token.line, "'%s' is defined twice", code->name);
	if (!parse_attributes(parser, code))
		return false;
	code->entry = entry;
	if (ptx_lex_is(lexer, ';')) {
		ptx_lex_next(lexer);
		if (!code->defined) {
			code->parameter_count = signature.parameter_count;
			code->result_count = signature.result_count;
		}
		ptx_scope_close(parser);
		return parser->error == CUDA_SUCCESS;
	}
	code->results = signature.results;
	code->result_count = signature.result_count;
	code->parameters = signature.parameters;
	code->parameter_count = signature.parameter_count;
	code->parameter_size_B = signature.size_B;
	const uint32_t index = symbol->index;
	parser->code = index;
	if (!ptx_formals_load(parser) || !ptx_body(parser))
		return false;
	ptx_code(parser, index)->defined = true;
	return true;
}

static void skip_line(struct ptx_parser *parser)
{
	uint32_t line = parser->lexer.token.line;
	while (parser->lexer.token.line == line && parser->lexer.token.kind != TOKEN_END)
		ptx_lex_next(&parser->lexer);
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
		file.name = arena_string(parser->arena, lexer->token.text + 1,
					 lexer->token.size - 2);
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

static void skip_braces(struct ptx_parser *parser)
{
	while (!ptx_lex_is(&parser->lexer, '}') && parser->lexer.token.kind != TOKEN_END)
		ptx_lex_next(&parser->lexer);
	ptx_lex_next(&parser->lexer);
}

static bool parse_header(struct ptx_parser *parser)
{
	struct ptx_lexer *lexer = &parser->lexer;
	double version = 0;
	if (!ptx_lex_is_word(lexer, ".version"))
		return ptx_fail(parser, lexer->token.line, "does not begin with .version");
	ptx_lex_next(lexer);
	if (lexer->token.kind == TOKEN_FLOAT)
		memcpy(&version, &lexer->token.value, sizeof(version));
	ptx_lex_next(lexer);
	if (version < 1 || version >= 10) {
		ptx_fail(parser, lexer->token.line, "PTX version %g is not known", version);
		parser->error = CUDA_ERROR_UNSUPPORTED_PTX_VERSION;
		return false;
	}
	return true;
}

static bool parse_target(struct ptx_parser *parser)
{
	struct ptx_lexer *lexer = &parser->lexer;
	ptx_lex_next(lexer);
	if (lexer->token.kind != TOKEN_WORD || memcmp(lexer->token.text, "sm_", 3) != 0)
		return ptx_fail(parser, lexer->token.line, "unknown target '%.*s'",
				(int)lexer->token.size, lexer->token.text);
	parser->program->target = (unsigned)strtoul(lexer->token.text + 3, NULL, 10);
	skip_line(parser);
	return true;
}

/* .alias name, other; */
static bool parse_alias(struct ptx_parser *parser)
{
	struct ptx_lexer *lexer = &parser->lexer;
	ptx_lex_next(lexer);
	struct ptx_symbol *alias = ptx_symbol_find(parser, lexer->token.text, lexer->token.size);
	ptx_lex_next(lexer);
	if (!ptx_expect(parser, ','))
		return false;
	struct ptx_symbol *other = ptx_symbol_find(parser, lexer->token.text, lexer->token.size);
	if (!alias || !other || alias->kind != SYMBOL_FUNCTION || other->kind != SYMBOL_FUNCTION)
		return ptx_fail(parser, lexer->token.line, ".alias of what is not a function");
	/* Calls made by the alias's old index are sent on when calls are bound. */
	ptx_code(parser, alias->index)->alias = other->index + 1;
	ptx_lex_next(lexer);
	return ptx_expect(parser, ';');
}

static bool parse_directive(struct ptx_parser *parser)
{
	struct ptx_lexer *lexer = &parser->lexer;
	bool external = false;
	while (ptx_lex_is_word(lexer, ".visible") || ptx_lex_is_word(lexer, ".weak") ||
	       ptx_lex_is_word(lexer, ".extern") || ptx_lex_is_word(lexer, ".common")) {
		external |= ptx_lex_is_word(lexer, ".extern");
		ptx_lex_next(lexer);
	}
	if (ptx_lex_is_word(lexer, ".entry"))
		return parse_function(parser, true);
	if (ptx_lex_is_word(lexer, ".func"))
		return parse_function(parser, false);
	if (ptx_lex_is_word(lexer, ".global"))
		return ptx_variable(parser, SPACE_GLOBAL, external);
	if (ptx_lex_is_word(lexer, ".const"))
		return ptx_variable(parser, SPACE_CONST, external);
	if (ptx_lex_is_word(lexer, ".shared"))
		return ptx_variable(parser, SPACE_SHARED, external);
	if (ptx_lex_is_word(lexer, ".target"))
		return parse_target(parser);
	if (ptx_lex_is_word(lexer, ".alias"))
		return parse_alias(parser);
	if (ptx_lex_is_word(lexer, ".section"))
		skip_braces(parser);
	else if (ptx_lex_is_word(lexer, ".file"))
		ptx_file(parser);
	else if (ptx_lex_is_word(lexer, ".loc") ||
		 ptx_lex_is_word(lexer, ".address_size") || ptx_lex_is_word(lexer, ".pragma"))
		skip_line(parser);
	else
		return ptx_fail(parser, lexer->token.line, "unknown directive '%.*s'",
				(int)lexer->token.size, lexer->token.text);
	return true;
}

bool ptx_module(struct ptx_parser *parser)
{
	if (!parse_header(parser))
		return false;
	while (parser->lexer.token.kind != TOKEN_END) {
		if (ptx_lex_is(&parser->lexer, ';')) {
			ptx_lex_next(&parser->lexer);
			continue;
		}
		if (!parse_directive(parser))
			return false;
	}
	return parser->error == CUDA_SUCCESS;
}
