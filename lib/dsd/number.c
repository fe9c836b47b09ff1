/* SPDX-License-Identifier: BSD-3-Clause */
/* hot: no malloc, no syscall, no log, no lock */
/*
 * The grammar is that of Go's strconv.ParseFloat, read byte by byte. The value is exact arithmetic
 * where that is enough, else strtod on a rewritten copy: it has digits and an exponent but never a
 * radix character, so that no locale can change what it means. (Go loses count of the digits in
 * some numbers of more than 800; that is not copied.)
 */
#include "dsd/number.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

/*
 * Significant digits that the copy keeps. The midpoint of two doubles has at most 767 decimal
 * digits (fewer hexadecimal ones), so more digits can only say "above": one sticky digit does.
 */
#define DIGITS_MAX 800
#define DIGITS_SHORT 19 /* so many decimal digits fit in 64 bits */
#define DIGITS_SHORT_HEX 16

/* An exponent stops growing here: no payload has the digits to bring such a number back. */
#define EXPONENT_ENOUGH 1000000000

/* A number as it is written: digits * base^point, times the exponent's power. */
struct literal {
	struct span digits; /* with '.', '_' and leading zeros */
	bool is_negative, is_hex;
	bool has_underscore;
	bool is_long; /* a digit other than 0 did not fit in mantissa */
	uint64_t mantissa; /* the first n_mantissa significant digits */
	int n_mantissa;
	int64_t point; /* significant digits before the radix point; negative: zeros after it */
	int64_t exponent; /* written after e or p */
};

static uint8_t
to_lower(uint8_t byte)
{
	return byte >= 'A' && byte <= 'Z' ? byte | 0x20 : byte;
}

static bool
is_decimal(uint8_t byte)
{
	return byte >= '0' && byte <= '9';
}

/* The digit's value, or -1. */
static int
digit_value(uint8_t byte, bool is_hex)
{
	uint8_t lower = to_lower(byte);

	if (is_decimal(byte))
		return byte - '0';
	return is_hex && lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

static bool
equals_ignoring_case(struct span text, struct span lower)
{
	if (text.size != lower.size)
		return false;
	for (size_t i = 0; i < text.size; i++) {
		if (to_lower(text.data[i]) != lower.data[i])
			return false;
	}
	return true;
}

/* inf, infinity, with or without sign; nan, which Go takes without sign only. */
static bool
parse_special(struct span text, double *ret_value)
{
	bool has_sign = text.size != 0 && (text.data[0] == '+' || text.data[0] == '-');
	struct span word = has_sign ? span_from(text, 1) : text;

	if (equals_ignoring_case(word, SPAN_LITERAL("inf")) ||
		equals_ignoring_case(word, SPAN_LITERAL("infinity"))) {
		*ret_value = text.data[0] == '-' ? -INFINITY : INFINITY;
		return true;
	}
	if (!equals_ignoring_case(text, SPAN_LITERAL("nan")))
		return false;
	*ret_value = NAN;
	return true;
}

/* Adds one digit to the number. */
static void
take_digit(struct literal *literal, int digit, int64_t *n_significant)
{
	if (digit == 0 && *n_significant == 0) {
		literal->point--; /* leading zeros are not significant */
		return;
	}
	++*n_significant;
	if (literal->n_mantissa < (literal->is_hex ? DIGITS_SHORT_HEX : DIGITS_SHORT)) {
		literal->mantissa =
			literal->mantissa * (literal->is_hex ? 16 : 10) + (uint64_t)digit;
		literal->n_mantissa++;
	} else if (digit != 0) {
		literal->is_long = true;
	}
}

/* Reads digits, '.' and '_' from text[at] on. The offset after them, or 0 if there is no digit. */
static size_t
read_digits(struct literal *literal, struct span text, size_t at)
{
	bool has_digit = false, has_point = false;
	int64_t n_significant = 0;
	size_t start = at;

	for (; at < text.size; at++) {
		uint8_t byte = text.data[at];
		int digit = digit_value(byte, literal->is_hex);

		if (digit >= 0) {
			has_digit = true;
			take_digit(literal, digit, &n_significant);
		} else if (byte == '_') {
			literal->has_underscore = true;
		} else if (byte == '.' && !has_point) {
			has_point = true;
			/* point holds minus the leading zeros before the radix point, which do not
			 * move it; those after it do. */
			literal->point = n_significant;
		} else {
			break;
		}
	}
	if (!has_point)
		literal->point = n_significant;
	literal->digits = span_of(text.data + start, at - start);
	return has_digit ? at : 0;
}

/* Reads what follows e or p. The offset after it, or 0 if there is no digit. */
static size_t
read_exponent(struct literal *literal, struct span text, size_t at)
{
	bool is_negative = false;
	int64_t exponent = 0;

	if (at < text.size && (text.data[at] == '+' || text.data[at] == '-'))
		is_negative = text.data[at++] == '-';
	if (at == text.size || !is_decimal(text.data[at]))
		return 0;
	for (; at < text.size && (is_decimal(text.data[at]) || text.data[at] == '_'); at++) {
		if (text.data[at] == '_')
			literal->has_underscore = true;
		else if (exponent < EXPONENT_ENOUGH)
			exponent = exponent * 10 + text.data[at] - '0';
	}
	literal->exponent = is_negative ? -exponent : exponent;
	return at;
}

/* Go's rule: an underscore stands between digits; the prefix 0x counts as one. */
static bool
underscores_separate_digits(struct span text, bool is_hex)
{
	for (size_t i = 0; i < text.size; i++) {
		if (text.data[i] != '_')
			continue;
		if (i == 0 || i + 1 == text.size || digit_value(text.data[i + 1], is_hex) < 0)
			return false;
		if (digit_value(text.data[i - 1], is_hex) < 0 && to_lower(text.data[i - 1]) != 'x')
			return false;
	}
	return true;
}

/* False when text, the whole of it, is not a number. */
static bool
read_literal(struct span text, struct literal *literal)
{
	size_t at = 0;

	*literal = (struct literal){0};
	if (text.size != 0 && (text.data[0] == '+' || text.data[0] == '-'))
		literal->is_negative = text.data[at++] == '-';
	if (text.size - at > 2 && text.data[at] == '0' && to_lower(text.data[at + 1]) == 'x') {
		literal->is_hex = true;
		at += 2;
	}
	at = read_digits(literal, text, at);
	if (at == 0)
		return false;
	if (at < text.size && to_lower(text.data[at]) == (literal->is_hex ? 'p' : 'e')) {
		at = read_exponent(literal, text, at + 1);
		if (at == 0)
			return false;
	} else if (literal->is_hex) {
		return false; /* the exponent is what tells it from an integer */
	}
	if (at != text.size)
		return false;
	return !literal->has_underscore || underscores_separate_digits(text, literal->is_hex);
}

/* Writes the significant digits, no more than DIGITS_MAX and one that stands for the rest.
 * Returns how many. */
static int
copy_digits(const struct literal *literal, char *out)
{
	bool is_truncated = false;
	int n = 0;

	for (size_t i = 0; i < literal->digits.size; i++) {
		uint8_t byte = literal->digits.data[i];

		if (byte == '.' || byte == '_' || (byte == '0' && n == 0))
			continue;
		if (n < DIGITS_MAX)
			out[n++] = (char)byte;
		else if (byte != '0')
			is_truncated = true;
	}
	if (is_truncated)
		out[n++] = '1';
	return n;
}

static char *
write_integer(int64_t value, char *out)
{
	char digit[20];
	int n = 0;
	uint64_t left = value < 0 ? -(uint64_t)value : (uint64_t)value;

	do
		digit[n++] = (char)('0' + left % 10);
	while ((left /= 10) != 0);
	if (value < 0)
		*out++ = '-';
	while (n != 0)
		*out++ = digit[--n];
	return out;
}

/* The magnitude, rounded to nearest even; infinite when it is out of range. */
static double
round_literal(const struct literal *literal)
{
	char copy[DIGITS_MAX + 32]; /* 0x, digits, sticky digit, letter, 21 of exponent, NUL */
	char *out = copy;
	int64_t exponent;
	int n;

	if (literal->is_hex) {
		*out++ = '0';
		*out++ = 'x';
	}
	n = copy_digits(literal, out);
	out += n;
	exponent = literal->point - n;
	*out++ = literal->is_hex ? 'p' : 'e';
	out = write_integer(exponent * (literal->is_hex ? 4 : 1) + literal->exponent, out);
	*out++ = '\0';
	assert(out <= copy + sizeof(copy));
	return strtod(copy, NULL);
}

static double
literal_value(const struct literal *literal)
{
	/* Powers of ten that a double holds exactly. */
	static const double power[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
		1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
	int64_t exponent = literal->point - literal->n_mantissa + literal->exponent;

	if (literal->mantissa == 0)
		return 0;
	if (literal->is_hex || literal->is_long || literal->mantissa > UINT64_C(1) << 53 ||
		exponent < -22 || exponent > 22)
		return round_literal(literal);
	/* Both operands are exact: one operation rounds once. */
	if (exponent < 0)
		return (double)literal->mantissa / power[-exponent];
	return (double)literal->mantissa * power[exponent];
}

bool
number_parse(struct span text, double *ret_value)
{
	struct literal literal;
	double value;

	if (!read_literal(text, &literal))
		return parse_special(text, ret_value);
	value = literal_value(&literal);
	if (isinf(value))
		return false;
	*ret_value = literal.is_negative ? -value : value;
	return true;
}

bool
number_parse_int(struct span text, int64_t *ret_value)
{
	bool is_negative = text.size != 0 && text.data[0] == '-';
	uint64_t limit = (uint64_t)INT64_MAX + is_negative;
	uint64_t value = 0;
	size_t at = text.size != 0 && (text.data[0] == '-' || text.data[0] == '+');

	if (at == text.size)
		return false;
	for (; at < text.size; at++) {
		uint64_t digit;

		if (!is_decimal(text.data[at]))
			return false;
		digit = text.data[at] - '0';
		if (value > (limit - digit) / 10)
			return false;
		value = value * 10 + digit;
	}
	*ret_value = (int64_t)(is_negative ? -value : value);
	return true;
}
