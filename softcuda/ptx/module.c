/* A module: its directives and functions. */
#include "config.h"

#include "softcuda/ptx/decode.h"
#include "softcuda/ptx/program.h"

#include <stdlib.h>
#include <string.h>

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
	parser->version = (unsigned)(10 * version + 0.5);
	if (version < 1 || parser->version > parser->newest_version) {
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
	char *end;
	parser->program->target = (unsigned)strtoul(lexer->token.text + 3, &end, 10);
	parser->program->target_only = *end == 'a';
	ptx_skip_line(parser);
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
		ptx_skip_line(parser);
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
