#include "config.h"

#include "tests/kernels/expression.h"

#include <ctype.h>
#include <math.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct parser {
	const char *at;
	const struct buffer *buffers;
	size_t i, n;
	unsigned dead;               /* inside the branch of ?: that is not taken */
	char *error;
	size_t error_size_B;
	jmp_buf failed;
};

static struct value parse_ternary(struct parser *parser);

static _Noreturn void fail(struct parser *parser, const char *what)
{
	snprintf(parser->error, parser->error_size_B, "%s at \"%.40s\"", what, parser->at);
	longjmp(parser->failed, 1);
}

static struct value real(long double r)
{
	return (struct value){.kind = VALUE_REAL, .r = r};
}

static struct value integer(int64_t s)
{
	return (struct value){.kind = VALUE_SIGNED, .s = s};
}

static void skip_space(struct parser *parser)
{
	while (isspace((unsigned char)*parser->at))
		parser->at++;
}

static bool take(struct parser *parser, const char *token)
{
	skip_space(parser);
	if (*parser->at != *token)
		return false;
	size_t length = strlen(token);
	if (strncmp(parser->at, token, length))
		return false;
	parser->at += length;
	return true;
}

/* -- functions ------------------------------------------------------------------------ */

static const struct {
	const char *name;
	long double (*one)(long double);
	long double (*two)(long double, long double);
} functions[] = {
	{"sin", sinl, 0}, {"cos", cosl, 0}, {"tan", tanl, 0}, {"asin", asinl, 0},
	{"acos", acosl, 0}, {"atan", atanl, 0}, {"sinh", sinhl, 0}, {"cosh", coshl, 0},
	{"tanh", tanhl, 0}, {"asinh", asinhl, 0}, {"acosh", acoshl, 0}, {"atanh", atanhl, 0},
	{"exp", expl, 0}, {"exp2", exp2l, 0}, {"expm1", expm1l, 0}, {"log", logl, 0},
	{"log2", log2l, 0}, {"log10", log10l, 0}, {"log1p", log1pl, 0}, {"sqrt", sqrtl, 0},
	{"cbrt", cbrtl, 0}, {"erf", erfl, 0}, {"erfc", erfcl, 0}, {"tgamma", tgammal, 0},
	{"lgamma", lgammal, 0}, {"floor", floorl, 0}, {"ceil", ceill, 0}, {"trunc", truncl, 0},
	{"round", roundl, 0}, {"rint", rintl, 0}, {"fabs", fabsl, 0}, {"logb", logbl, 0},
	{"pow", 0, powl}, {"atan2", 0, atan2l}, {"fmod", 0, fmodl}, {"hypot", 0, hypotl},
	{"remainder", 0, remainderl}, {"fmin", 0, fminl}, {"fmax", 0, fmaxl}, {"fdim", 0, fdiml},
	{"copysign", 0, copysignl},
};

static struct value pick(bool first, struct value a, struct value b)
{
	return first ? a : b;
}

static bool less(struct value a, struct value b)
{
	if (a.kind == VALUE_REAL || b.kind == VALUE_REAL)
		return value_real(a) < value_real(b);
	if (a.kind == VALUE_UNSIGNED || b.kind == VALUE_UNSIGNED)
		return a.u < b.u;
	return a.s < b.s;
}

/* What the bits of an integer are as a float, and the other way round. */
static struct value reinterpret(const char *name, struct value x)
{
	unsigned char raw[8] = {0};
	bool to_real = !strcmp(name, "as_float") || !strcmp(name, "as_double");
	bool wide = !strcmp(name, "as_double") || !strcmp(name, "as_ulong");
	enum element_type from = to_real ? wide ? ELEMENT_ULONG : ELEMENT_UINT
					 : wide ? ELEMENT_DOUBLE : ELEMENT_FLOAT;
	enum element_type to = to_real ? wide ? ELEMENT_DOUBLE : ELEMENT_FLOAT
				       : wide ? ELEMENT_ULONG : ELEMENT_UINT;
	element_set(from, raw, 0, x);
	return element_get(to, raw, 0);
}

static struct value population_count(struct value x)
{
	int64_t count = 0;
	for (uint64_t bits = value_bits(x); bits; bits &= bits - 1)
		count++;
	return integer(count);
}

static struct value call(struct parser *parser, const char *name)
{
	struct value arguments[3] = {{0}};
	int count = 0;
	do {
		if (count == 3)
			fail(parser, "too many arguments");
		arguments[count++] = parse_ternary(parser);
	} while (take(parser, ","));
	if (!take(parser, ")"))
		fail(parser, "expected )");

	enum element_type type = element_type_named(name, strlen(name));
	if (type != ELEMENT_TYPE_COUNT && count == 1) {
		unsigned char raw[8];
		element_set(type, raw, 0, arguments[0]);
		return element_get(type, raw, 0);
	}
	for (size_t f = 0; f < sizeof(functions) / sizeof(functions[0]); f++) {
		if (strcmp(functions[f].name, name))
			continue;
		if (functions[f].one && count == 1)
			return real(functions[f].one(value_real(arguments[0])));
		if (functions[f].two && count == 2)
			return real(functions[f].two(value_real(arguments[0]),
						     value_real(arguments[1])));
	}
	if (!strcmp(name, "fma") && count == 3)
		return real(fmal(value_real(arguments[0]), value_real(arguments[1]),
				 value_real(arguments[2])));
	if (!strcmp(name, "min") && count == 2)
		return pick(less(arguments[1], arguments[0]), arguments[1], arguments[0]);
	if (!strcmp(name, "max") && count == 2)
		return pick(less(arguments[0], arguments[1]), arguments[1], arguments[0]);
	if (!strcmp(name, "abs") && count == 1)
		return arguments[0].kind == VALUE_REAL ? real(fabsl(arguments[0].r))
		     : integer(arguments[0].s < 0 ? -arguments[0].s : arguments[0].s);
	if (!strcmp(name, "popcount") && count == 1)
		return population_count(arguments[0]);
	if (!strncmp(name, "as_", 3) && count == 1)
		return reinterpret(name, arguments[0]);
	fail(parser, "no such function");
}

/* -- names, numbers ----------------------------------------------------------------------- */

static struct value read_buffer(struct parser *parser, const char *name)
{
	bool now = take(parser, "'");
	if (!take(parser, "["))
		fail(parser, "expected [ or (");
	uint64_t index = value_bits(parse_ternary(parser));
	if (!take(parser, "]"))
		fail(parser, "expected ]");
	for (const struct buffer *buffer = parser->buffers; buffer; buffer = buffer->next) {
		if (strcmp(buffer->name, name))
			continue;
		if (index >= buffer->count && parser->dead)
			return integer(0);
		if (index >= buffer->count)
			fail(parser, "index beyond the buffer");
		return element_get(buffer->type, now ? buffer->data : buffer->start, index);
	}
	fail(parser, "no such buffer");
}

static struct value parse_name(struct parser *parser)
{
	char name[64];
	size_t length = 0;
	while (isalnum((unsigned char)*parser->at) || *parser->at == '_') {
		if (length + 1 == sizeof(name))
			fail(parser, "name too long");
		name[length++] = *parser->at++;
	}
	name[length] = '\0';
	if (take(parser, "("))
		return call(parser, name);
	if (!strcmp(name, "i"))
		return integer((int64_t)parser->i);
	if (!strcmp(name, "n"))
		return integer((int64_t)parser->n);
	if (!strcmp(name, "pi"))
		return real(acosl(-1));
	if (!strcmp(name, "inf"))
		return real((long double)INFINITY);
	if (!strcmp(name, "nan"))
		return real((long double)NAN);
	return read_buffer(parser, name);
}

static struct value parse_number(struct parser *parser)
{
	const char *start = parser->at;
	char *end_integer, *end_real;
	uint64_t u = strtoull(start, &end_integer, 0);
	long double r = strtold(start, &end_real);
	if (end_real > end_integer) {
		parser->at = end_real;
		return real(r);
	}
	if (end_integer == start)
		fail(parser, "expected a value");
	parser->at = end_integer;
	if (*parser->at == 'u') {
		parser->at++;
		return (struct value){.kind = VALUE_UNSIGNED, .u = u};
	}
	return (struct value){.kind = u > INT64_MAX ? VALUE_UNSIGNED : VALUE_SIGNED, .u = u};
}

static struct value parse_unary(struct parser *parser)
{
	skip_space(parser);
	if (take(parser, "(")) {
		struct value value = parse_ternary(parser);
		if (!take(parser, ")"))
			fail(parser, "expected )");
		return value;
	}
	if (take(parser, "-")) {
		struct value value = parse_unary(parser);
		if (value.kind == VALUE_REAL)
			value.r = -value.r;
		else
			value.u = -value.u;
		return value;
	}
	if (take(parser, "~")) {
		struct value value = parse_unary(parser);
		value.u = ~value_bits(value);
		return value;
	}
	if (take(parser, "!"))
		return integer(value_real(parse_unary(parser)) == 0);
	if (isalpha((unsigned char)*parser->at) || *parser->at == '_')
		return parse_name(parser);
	return parse_number(parser);
}

/* -- operators, by C's precedence -------------------------------------------------------------- */

/* Longer tokens first where one begins another. */
static const struct {
	const char *token;
	int level;
} operators[] = {
	{"<<", 7}, {">>", 7}, {"<=", 6}, {">=", 6}, {"==", 5}, {"!=", 5}, {"&&", 1}, {"||", 0},
	{"*", 9}, {"/", 9}, {"%", 9}, {"+", 8}, {"-", 8}, {"<", 6}, {">", 6}, {"&", 4}, {"^", 3},
	{"|", 2},
};

static int next_operator(struct parser *parser)
{
	skip_space(parser);
	const char *at = parser->at;
	for (size_t o = 0; o < sizeof(operators) / sizeof(operators[0]); o++)
		if (at[0] == operators[o].token[0] && (!operators[o].token[1] || at[1] == operators[o].token[1]))
			return (int)o;
	return -1;
}

static struct value apply_real(struct parser *parser, const char *token, long double a, long double b)
{
	switch (token[0]) {
	case '+': return real(a + b);
	case '-': return real(a - b);
	case '*': return real(a * b);
	case '/': return real(a / b);
	case '<': if (!token[1]) return integer(a < b); break;
	case '>': if (!token[1]) return integer(a > b); break;
	}
	if (!strcmp(token, "<="))
		return integer(a <= b);
	if (!strcmp(token, ">="))
		return integer(a >= b);
	if (!strcmp(token, "=="))
		return integer(a == b);
	if (!strcmp(token, "!="))
		return integer(a != b);
	fail(parser, "operator needs integers");
}

static struct value apply_divide(struct parser *parser, char token, struct value a, struct value b,
				 bool is_unsigned)
{
	if (!b.u && parser->dead)
		return integer(0);
	if (!b.u)
		fail(parser, "division by zero");
	struct value result = {.kind = is_unsigned ? VALUE_UNSIGNED : VALUE_SIGNED};
	if (is_unsigned)
		result.u = token == '/' ? a.u / b.u : a.u % b.u;
	else if (b.s == -1)
		result.u = token == '/' ? -a.u : 0;
	else
		result.s = token == '/' ? a.s / b.s : a.s % b.s;
	return result;
}

static struct value apply_integer(struct parser *parser, const char *token, struct value a,
				  struct value b)
{
	bool is_unsigned = a.kind == VALUE_UNSIGNED || b.kind == VALUE_UNSIGNED;
	struct value result = {.kind = is_unsigned ? VALUE_UNSIGNED : VALUE_SIGNED};
	if (!strcmp(token, "<<") || !strcmp(token, ">>")) {
		result.kind = a.kind;
		unsigned by = (unsigned)(b.u & 63);
		result.u = token[0] == '<' ? a.u << by
			 : a.kind == VALUE_UNSIGNED ? a.u >> by : (uint64_t)(a.s >> by);
		return result;
	}
	if (!strcmp(token, "=="))
		return integer(a.u == b.u);
	if (!strcmp(token, "!="))
		return integer(a.u != b.u);
	if (!strcmp(token, "<"))
		return integer(less(a, b));
	if (!strcmp(token, ">"))
		return integer(less(b, a));
	if (!strcmp(token, "<="))
		return integer(!less(b, a));
	if (!strcmp(token, ">="))
		return integer(!less(a, b));
	switch (token[0]) {
	case '+': result.u = a.u + b.u; break;
	case '-': result.u = a.u - b.u; break;
	case '*': result.u = a.u * b.u; break;
	case '&': result.u = a.u & b.u; break;
	case '|': result.u = a.u | b.u; break;
	case '^': result.u = a.u ^ b.u; break;
	default: return apply_divide(parser, token[0], a, b, is_unsigned);
	}
	return result;
}

static struct value parse_binary(struct parser *parser, int level)
{
	struct value left = parse_unary(parser);
	for (;;) {
		int o = next_operator(parser);
		if (o < 0 || operators[o].level < level)
			return left;
		const char *token = operators[o].token;
		parser->at += strlen(token);
		struct value right = parse_binary(parser, operators[o].level + 1);
		if (!strcmp(token, "&&"))
			left = integer(value_real(left) != 0 && value_real(right) != 0);
		else if (!strcmp(token, "||"))
			left = integer(value_real(left) != 0 || value_real(right) != 0);
		else if (left.kind == VALUE_REAL || right.kind == VALUE_REAL)
			left = apply_real(parser, token, value_real(left), value_real(right));
		else
			left = apply_integer(parser, token, left, right);
	}
}

/* The branch not taken is parsed, not evaluated: ?: guards an index. */
static struct value parse_ternary(struct parser *parser)
{
	struct value condition = parse_binary(parser, 0);
	if (!take(parser, "?"))
		return condition;
	bool holds = value_real(condition) != 0;
	parser->dead += !holds;
	struct value yes = parse_ternary(parser);
	parser->dead -= !holds;
	if (!take(parser, ":"))
		fail(parser, "expected :");
	parser->dead += holds;
	struct value no = parse_ternary(parser);
	parser->dead -= holds;
	return holds ? yes : no;
}

bool expression_evaluate(const char *text, const struct buffer *buffers, size_t i, size_t n,
			 struct value *value_out, char *error, size_t error_size_B)
{
	struct parser parser = {.at = text, .buffers = buffers, .i = i, .n = n, .error = error,
				.error_size_B = error_size_B};
	if (setjmp(parser.failed))
		return false;
	struct value value = parse_ternary(&parser);
	skip_space(&parser);
	if (*parser.at) {
		snprintf(error, error_size_B, "left over: \"%.40s\"", parser.at);
		return false;
	}
	*value_out = value;
	return true;
}
