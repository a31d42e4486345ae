/* The integer functions by wide arithmetic. */
#include "config.h"

#include "tests/builtins/call.h"

static uint64_t low_bits(uint64_t value, unsigned bits)
{
	return value << (64 - bits) >> (64 - bits);
}

static bool less(enum type type, struct number x, struct number y)
{
	return type_is_signed(type) ? x.s < y.s : x.u < y.u;
}

static uint64_t leading_zeros(uint64_t value, unsigned bits)
{
	unsigned zeros = 0;
	while (zeros < bits && !(value >> (bits - 1 - zeros) & 1))
		zeros++;
	return zeros;
}

static uint64_t trailing_zeros(uint64_t value, unsigned bits)
{
	unsigned zeros = 0;
	while (zeros < bits && !(value >> zeros & 1))
		zeros++;
	return zeros;
}

static uint64_t ones(uint64_t value, unsigned bits)
{
	unsigned count = 0;
	for (unsigned i = 0; i < bits; i++)
		count += value >> i & 1;
	return count;
}

static uint64_t rotated(uint64_t value, unsigned bits, uint64_t count)
{
	return count ? value << count | value >> (bits - count) : value;
}

/* x / 2 rounded down: C rounds to zero. */
static uint64_t halved(enum type type, struct number x)
{
	if (!type_is_signed(type))
		return x.u >> 1;
	return (uint64_t)(x.s / 2 - (x.s % 2 < 0));
}

static uint64_t clamped(struct call *call, enum type type, struct number x, struct number low,
			struct number high)
{
	call->any_result = less(type, high, low);
	return less(type, x, low) ? low.u : less(type, high, x) ? high.u : x.u;
}

/* 128 bits in two's complement. */
struct wide {
	uint64_t high, low;
};

static struct wide wide_add(struct wide a, struct wide b)
{
	uint64_t low = a.low + b.low;
	return (struct wide){a.high + b.high + (low < a.low), low};
}

static struct wide wide_negate(struct wide a)
{
	return wide_add((struct wide){~a.high, ~a.low}, (struct wide){0, 1});
}

static struct wide wide_of(enum type type, struct number x)
{
	return (struct wide){type_is_signed(type) && x.s < 0 ? UINT64_MAX : 0, x.u};
}

static struct wide wide_multiply(uint64_t a, uint64_t b)
{
	uint64_t al = a & UINT32_MAX, ah = a >> 32, bl = b & UINT32_MAX, bh = b >> 32;
	struct wide sum = {ah * bh, al * bl};
	sum = wide_add(sum, (struct wide){al * bh >> 32, al * bh << 32});
	return wide_add(sum, (struct wide){ah * bl >> 32, ah * bl << 32});
}

static struct wide wide_product(enum type type, struct number x, struct number y)
{
	bool negative_x = type_is_signed(type) && x.s < 0;
	bool negative_y = type_is_signed(type) && y.s < 0;
	struct wide magnitude = wide_multiply(negative_x ? -x.u : x.u, negative_y ? -y.u : y.u);
	return negative_x != negative_y ? wide_negate(magnitude) : magnitude;
}

/* The product in two halves of the type's width. */
static struct wide product(enum type type, struct number x, struct number y)
{
	struct wide whole = wide_product(type, x, y);
	unsigned bits = type_bits(type);
	if (bits == 64)
		return whole;
	return (struct wide){low_bits(whole.low >> bits, bits), low_bits(whole.low, bits)};
}

/* The nearest number that the type has; without may_be_negative all 128 bits are magnitude. */
static uint64_t saturated(enum type type, struct wide value, bool may_be_negative)
{
	struct number least = number_least(type), greatest = number_greatest(type);
	bool negative = may_be_negative && value.high >> 63;
	if (negative && (!type_is_signed(type) || value.high != UINT64_MAX || value.low < least.u))
		return least.u;
	if (!negative && (value.high || value.low > greatest.u))
		return greatest.u;
	return value.low;
}

static uint64_t sum_saturated(enum type type, struct number x, struct number y)
{
	return saturated(type, wide_add(wide_of(type, x), wide_of(type, y)),
			 type_is_signed(type));
}

static uint64_t rest_saturated(enum type type, struct number x, struct number y)
{
	return saturated(type, wide_add(wide_of(type, x), wide_negate(wide_of(type, y))), true);
}

static uint64_t mad_saturated(enum type type, struct number x, struct number y, struct number z)
{
	return saturated(type, wide_add(wide_product(type, x, y), wide_of(type, z)),
			 type_is_signed(type));
}

static void only_24(struct call *call, struct number x, struct number y)
{
	int64_t least = type_is_signed(call->type) ? -(1 << 23) : 0;
	int64_t greatest = type_is_signed(call->type) ? (1 << 23) - 1 : (1 << 24) - 1;
	call->any_result = x.s < least || x.s > greatest || y.s < least || y.s > greatest;
}

#define INTEGER(name, signature, mixed, types, ...) INTEGER_AT(__LINE__, __VA_ARGS__)
#define INTEGER_AT(line, ...) INTEGER_AT_(line, __VA_ARGS__)
#define INTEGER_AT_(line, ...) \
	static void reference_##line(struct call *call) \
	{ \
		enum type t = call->type; \
		struct number x = call->a[0], y = call->a[1], z = call->a[2]; \
		unsigned bits = type_bits(t); \
		bool is_signed = type_is_signed(t); \
		(void)x, (void)y, (void)z, (void)bits, (void)is_signed; \
		call->result.u = (__VA_ARGS__); \
	}
#include "tests/builtins/integer.def"
#undef INTEGER

#define NAMED(line) NAMED_(line)
#define NAMED_(line) reference_##line
#define INTEGER(name, signature, mixed, types, ...) \
	{#name, signature, mixed, types, {0, 0}, NAMED(__LINE__)},
static const struct function functions[] = {
#include "tests/builtins/integer.def"
};
#undef INTEGER

void integer_family(struct device *device, const struct depth *depth)
{
	call_test(device, depth, functions, sizeof(functions) / sizeof(functions[0]),
		  TYPES_INTEGER);
}
