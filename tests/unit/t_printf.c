/* Protects: the text of printf, conversion by conversion, without a GPU. */
#include "config.h"

#include "frontend/print_conversion.h"
#include "icd/order/printf_format.h"
#include "tests/unit/test.h"

#include <locale.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

/* A record with its program: the format first, then literals. */
struct sample {
	struct abi_format formats[3];
	struct abi_print_argument arguments[8];
	struct abi_program abi;
	unsigned char record[512];
	size_t size_B;
};

static void sample_start(struct sample *sample, const char *format)
{
	memset(sample, 0, sizeof(*sample));
	sample->formats[0].text = (char *)(uintptr_t)format;
	sample->formats[0].text_size_B = (uint32_t)strlen(format);
	sample->formats[0].arguments = sample->arguments;
	sample->formats[1].text = (char *)(uintptr_t) "literal";
	sample->formats[1].text_size_B = 7;
	sample->abi.formats = sample->formats;
	sample->abi.format_count = 2;
	sample->size_B = 8;
}

static void sample_add(struct sample *sample, enum abi_print_kind kind, uint32_t element_B,
		       uint32_t lanes, const void *value)
{
	struct abi_format *format = &sample->formats[0];
	struct abi_print_argument *argument = &format->arguments[format->argument_count++];
	*argument = (struct abi_print_argument){kind, element_B, lanes, 0};
	abi_format_arrange(format);
	memcpy(sample->record + argument->offset_B, value, (size_t)element_B * lanes);
	sample->size_B = format->record_B;
}

static void sample_add_bytes(struct sample *sample, const char *bytes, size_t size_B)
{
	memcpy(sample->record + sample->size_B, bytes, size_B);
	sample->size_B += (size_B + 7) / 8 * 8;
}

static size_t sample_print(struct sample *sample, struct bytes *text, size_t given_B)
{
	const uint32_t head[2] = {0, (uint32_t)sample->size_B};
	abi_format_arrange(&sample->formats[0]);
	memcpy(sample->record, head, sizeof(head));
	return ocl_printf_format(text, &sample->abi, sample->record, given_B);
}

static void check_sample(struct sample *sample, const char *expected, int line)
{
	struct bytes text = BYTES_INIT;
	if (sample_print(sample, &text, sample->size_B) != sample->size_B ||
	    strcmp(bytes_string(&text), expected)) {
		printf("%s:%d: \"%s\" gives \"%s\", not \"%s\"\n", __FILE__, line,
		       sample->formats[0].text, bytes_string(&text), expected);
		test_failures++;
	}
	bytes_finish(&text);
}

static void check_int(const char *format, int32_t value, const char *expected, int line)
{
	struct sample sample;
	sample_start(&sample, format);
	sample_add(&sample, ABI_PRINT_INTEGER, 4, 1, &value);
	check_sample(&sample, expected, line);
}

static void check_long(const char *format, int64_t value, const char *expected, int line)
{
	struct sample sample;
	sample_start(&sample, format);
	sample_add(&sample, ABI_PRINT_INTEGER, 8, 1, &value);
	check_sample(&sample, expected, line);
}

static void check_double(const char *format, double value, const char *expected, int line)
{
	struct sample sample;
	sample_start(&sample, format);
	sample_add(&sample, ABI_PRINT_REAL, 8, 1, &value);
	check_sample(&sample, expected, line);
}

#define INT(format, value, expected) check_int(format, value, expected, __LINE__)
#define LONG(format, value, expected) check_long(format, value, expected, __LINE__)
#define DOUBLE(format, value, expected) check_double(format, value, expected, __LINE__)

static void integers(void)
{
	INT("%d", 0, "0");
	INT("%d", INT32_MIN, "-2147483648");
	INT("%u", -1, "4294967295");
	INT("%+i|", 5, "+5|");
	INT("% i", 5, " 5");
	INT("%+ d", 5, "+5");
	INT("%5d", -5, "   -5");
	INT("%-5d|", -5, "-5   |");
	INT("%05d", -5, "-0005");
	INT("%-05d|", -5, "-5   |");
	INT("%05.2d", -5, "  -05");
	INT("%.0d", 0, "");
	INT("%.d", 0, "");
	INT("%+.0d", 0, "+");
	INT("%x", -1, "ffffffff");
	INT("%#X", 255, "0XFF");
	INT("%#x", 0, "0");
	INT("%#06x", 255, "0x00ff");
	INT("%#.4x", 255, "0x00ff");
	INT("%o", 8, "10");
	INT("%#o", 8, "010");
	INT("%#o", 0, "0");
	INT("%#.0o", 0, "0");
	INT("%#.3o", 8, "010");
	INT("%hhd", 0x1FF, "-1");
	INT("%hhu", 0x1FF, "255");
	INT("%hd", 0x1FFFF, "-1");
	INT("%hx", 0x1FFFF, "ffff");
	LONG("%ld", INT64_MIN, "-9223372036854775808");
	LONG("%lu", -1, "18446744073709551615");
	LONG("%lx", -1, "ffffffffffffffff");
	LONG("%lo", -1, "1777777777777777777777");
	LONG("%d", (int64_t)1 << 40, "1099511627776");
}

static void reals(void)
{
	DOUBLE("%f", 1.5, "1.500000");
	DOUBLE("%.0f", 0.5, "0");
	DOUBLE("%#.0f", 1.0, "1.");
	DOUBLE("%.3e", -12345.678, "-1.235e+04");
	DOUBLE("%E", 1e300, "1.000000E+300");
	DOUBLE("%g", 1e-5, "1e-05");
	DOUBLE("%G", 1e10, "1E+10");
	DOUBLE("%#g", 1.0, "1.00000");
	DOUBLE("%a", 1.0, "0x1p+0");
	DOUBLE("%A", -0.5, "-0X1P-1");
	DOUBLE("%10.2f|", 1.5, "      1.50|");
	DOUBLE("%-10.2f|", 1.5, "1.50      |");
	DOUBLE("%010.2f|", -1.5, "-000001.50|");
	DOUBLE("%010a", 1.0, "0x00001p+0");
	DOUBLE("%+f", 0.0, "+0.000000");
	DOUBLE("%f", -0.0, "-0.000000");
	DOUBLE("%f", (double)INFINITY, "inf");
	DOUBLE("%F", -(double)INFINITY, "-INF");
	DOUBLE("%g", (double)NAN, "nan");
	DOUBLE("%A", (double)NAN, "NAN");
	DOUBLE("%f", -(double)NAN, "nan");
	DOUBLE("%06f", -(double)INFINITY, "  -inf");
	DOUBLE("%lf", 2.0, "2.000000");
}

static void vectors(void)
{
	const float real[4] = {1, -2.5F, INFINITY, 0};
	const uint8_t small[3] = {1, 255, 3};
	const uint16_t half[2] = {0x3C00, 0xC100};
	struct sample sample;
	sample_start(&sample, "%5.1v4hlf|%v3hhd|%#v3hhx|%.1v2hf|");
	sample_add(&sample, ABI_PRINT_REAL, 4, 4, real);
	sample_add(&sample, ABI_PRINT_INTEGER, 1, 3, small);
	sample_add(&sample, ABI_PRINT_INTEGER, 1, 3, small);
	sample_add(&sample, ABI_PRINT_REAL, 2, 2, half);
	check_sample(&sample, "  1.0, -2.5,  inf,  0.0|1,-1,3|0x1,0xff,0x3|1.0,-2.5|", __LINE__);
}

static void halves(void)
{
	static const struct {
		uint16_t bits;
		const char *text;
	} cases[] = {
		{0x0001, "5.96046448e-08"}, {0x8000, "-0"}, {0x7BFF, "65504"},
		{0x7C00, "inf"}, {0xFC00, "-inf"}, {0x7E00, "nan"}, {0x0400, "6.10351562e-05"},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct sample sample;
		sample_start(&sample, "%.9g");
		sample_add(&sample, ABI_PRINT_REAL, 2, 1, &cases[i].bits);
		check_sample(&sample, cases[i].text, __LINE__);
	}
}

static void strings(void)
{
	const uint32_t literal = 1, null = ABI_PRINT_NULL, size = 5, letter = 'c';
	const uint64_t address = 0x7F00;
	struct sample sample;
	sample_start(&sample, "%s|%9s|%-9s|%.3s|%s|%c%3c|%p|%%");
	for (unsigned i = 0; i < 4; i++)
		sample_add(&sample, ABI_PRINT_STRING, 4, 1, &literal);
	sample_add(&sample, ABI_PRINT_STRING, 4, 1, &null);
	sample_add(&sample, ABI_PRINT_INTEGER, 4, 1, &letter);
	sample_add(&sample, ABI_PRINT_INTEGER, 4, 1, &letter);
	sample_add(&sample, ABI_PRINT_POINTER, 8, 1, &address);
	check_sample(&sample, "literal|  literal|literal  |lit|(null)|c  c|0x7f00|%", __LINE__);
	sample_start(&sample, "%s and %4.2s");
	sample_add(&sample, ABI_PRINT_TEXT, 4, 1, &size);
	sample_add(&sample, ABI_PRINT_TEXT, 4, 1, &size);
	sample_add_bytes(&sample, "firstother", 10);
	check_sample(&sample, "first and   ot", __LINE__);
}

static void odd_formats(void)
{
	INT("%y %d", 5, "%y 5");
	INT("%d %d", 5, "5 %d");
	INT("%f", 5, "%f");
	INT("%s", 5, "%s");
	INT("%p", 5, "%p");
	INT("%v2d", 5, "%v2d");
	INT("%v5d %d", 5, "%v5d 5");
	INT("%hld %d", 5, "%hld 5");
	INT("%jd %d", 5, "%jd 5");
	LONG("%lld", -5, "-5");
	LONG("%zu", 5, "5");
	INT("%*d %d", 5, "%*d 5");
	INT("%5% %d", 5, "%5% 5");
	INT("%", 5, "%");
	INT("%%d", 5, "%d");
	INT("%-", 5, "%-");
	DOUBLE("%d", 1.0, "%d");
	DOUBLE("%hhf", 1.0, "%hhf");
}

/* Whatever stands in the buffer, reading ends inside it. */
static void records_are_not_trusted(void)
{
	struct bytes text = BYTES_INIT;
	struct sample sample;
	const uint32_t size = 0xFFFFFFFF, literal = 77;
	sample_start(&sample, "%s%s");
	sample_add(&sample, ABI_PRINT_TEXT, 4, 1, &size);
	sample_add(&sample, ABI_PRINT_STRING, 4, 1, &literal);
	sample_add_bytes(&sample, "12345678", 8);
	check_sample(&sample, "12345678(null)", __LINE__);
	for (size_t given_B = 0; given_B < sample.size_B; given_B++)
		CHECK_EQ(sample_print(&sample, &text, given_B), 0);
	sample.size_B = 16;
	CHECK_EQ(sample_print(&sample, &text, 64), 16);
	sample.size_B = 8;
	CHECK_EQ(sample_print(&sample, &text, 64), 0);
	sample.abi.format_count = 0;
	CHECK_EQ(sample_print(&sample, &text, 64), 0);
	bytes_finish(&text);
}

static void locale_does_not_matter(void)
{
	static const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "ps_AF.UTF-8"};
	bool found = false;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (!setlocale(LC_ALL, names[i]))
			continue;
		found = true;
		DOUBLE("%.2f %%", 1234567.5, "1234567.50 %");
		DOUBLE("%a", 1.5, "0x1.8p+0");
	}
	setlocale(LC_ALL, "C");
	if (!found)
		SKIP("no locale with another decimal point");
}

static void conversions_are_found(void)
{
	static const char format[] = "a%%b%-+ #012.5v16hlg";
	struct abi_conversion conversion;
	const char *end = format + sizeof(format) - 1;
	REQUIRE(abi_conversion_find(format, end, &conversion));
	CHECK_EQ(conversion.letter, '%');
	REQUIRE(abi_conversion_find(conversion.text + 2, end, &conversion));
	CHECK(conversion.left && conversion.plus && conversion.space && conversion.zero &&
	      conversion.alternative && conversion.has_precision);
	CHECK_EQ(conversion.width, 12);
	CHECK_EQ(conversion.precision, 5);
	CHECK_EQ(conversion.lanes, 16);
	CHECK_EQ(conversion.length, ABI_PRINT_LENGTH_HL);
	CHECK_EQ(conversion.letter, 'g');
	CHECK(conversion.text + conversion.text_size_B == end);
	CHECK(!abi_conversion_find(end, end, &conversion));
	static const char huge[] = "%99999999999999999999d";
	REQUIRE(abi_conversion_find(huge, huge + sizeof(huge) - 1, &conversion));
	CHECK_EQ(conversion.width, ABI_PRINT_WIDTH_MAX);
}

TEST_MAIN(TEST(integers), TEST(reals), TEST(vectors), TEST(halves), TEST(strings),
	  TEST(odd_formats), TEST(records_are_not_trusted), TEST(locale_does_not_matter),
	  TEST(conversions_are_found))
