// SPDX-License-Identifier: GPL-2.0
/*
 * The newer names of Rust (RFC 2603): paths, types and generic arguments. Constants and
 * lifetimes are left out, as no function is told by them.
 */
#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "demangle.h"

/* A reference may lead to another, and a hostile name in a circle. */
#define DEPTH_MAX	64
#define TEXT_MAX	2048

struct rust {
	const char *name;
	size_t len;
	size_t at;
	unsigned int depth;
	bool failed;
	size_t out_len;
	char out[TEXT_MAX];
};

static void put_path(struct rust *rust);
static void put_type(struct rust *rust);

static void put_some(struct rust *rust, const char *text, size_t len)
{
	if (rust->failed || rust->out_len + len >= TEXT_MAX) {
		rust->failed = true;
		return;
	}
	memcpy(rust->out + rust->out_len, text, len);
	rust->out_len += len;
}

static void put(struct rust *rust, const char *text)
{
	put_some(rust, text, strlen(text));
}

static char peek(const struct rust *rust)
{
	return rust->at < rust->len ? rust->name[rust->at] : '\0';
}

static char next(struct rust *rust)
{
	if (rust->at >= rust->len) {
		rust->failed = true;
		return '\0';
	}
	return rust->name[rust->at++];
}

static bool take(struct rust *rust, char c)
{
	if (peek(rust) != c)
		return false;
	rust->at++;
	return true;
}

/* "_" is 0, and "0_" is 1. */
static uint64_t take_base62(struct rust *rust)
{
	uint64_t value = 0;
	unsigned int digit = 0;
	char c;

	if (take(rust, '_'))
		return 0;
	while ((c = next(rust)) != '_') {
		if (isdigit((unsigned char)c))
			digit = c - '0';
		else if (islower((unsigned char)c))
			digit = c - 'a' + 10;
		else if (isupper((unsigned char)c))
			digit = c - 'A' + 36;
		else
			rust->failed = true;
		if (rust->failed || value > UINT64_MAX / 62 - 62) {
			rust->failed = true;
			return 0;
		}
		value = value * 62 + digit;
	}
	return value + 1;
}

/* Return: the length of the identifier, whose text is put if @show. */
static size_t put_identifier(struct rust *rust, bool show)
{
	size_t len = 0;

	if (take(rust, 's'))
		take_base62(rust);
	take(rust, 'u');
	if (!isdigit((unsigned char)peek(rust)))
		rust->failed = true;
	while (!rust->failed && isdigit((unsigned char)peek(rust)) && len < rust->len)
		len = len * 10 + next(rust) - '0';
	take(rust, '_');
	if (rust->failed || len > rust->len - rust->at) {
		rust->failed = true;
		return 0;
	}
	if (show)
		put_some(rust, rust->name + rust->at, len);
	rust->at += len;
	return len;
}

/* What is written there is here, too. */
static void put_reference(struct rust *rust, void (*what)(struct rust *rust))
{
	uint64_t to = take_base62(rust);
	size_t at = rust->at;

	if (rust->failed || to >= at) {
		rust->failed = true;
		return;
	}
	rust->at = to;
	what(rust);
	rust->at = at;
}

static void skip_lifetime(struct rust *rust)
{
	if (take(rust, 'L'))
		take_base62(rust);
}

static void skip_constant(struct rust *rust)
{
	if (take(rust, 'B')) {
		take_base62(rust);
		return;
	}
	if (take(rust, 'p'))
		return;
	next(rust);
	take(rust, 'n');
	while (!rust->failed && next(rust) != '_')
		;
}

/* Types, after each other, up to E. */
static void put_list(struct rust *rust, const char *between)
{
	bool first = true;

	while (!rust->failed && !take(rust, 'E')) {
		if (peek(rust) == 'L') {
			skip_lifetime(rust);
			continue;
		}
		if (!first)
			put(rust, between);
		first = false;
		if (take(rust, 'K')) {
			skip_constant(rust);
			put(rust, "_");
		} else {
			put_type(rust);
		}
	}
}

static const char *basic_type(char c)
{
	static const char * const names[26] = {
		['a' - 'a'] = "i8", ['b' - 'a'] = "bool", ['c' - 'a'] = "char", ['d' - 'a'] = "f64",
		['e' - 'a'] = "str", ['f' - 'a'] = "f32", ['h' - 'a'] = "u8", ['i' - 'a'] = "isize",
		['j' - 'a'] = "usize", ['l' - 'a'] = "i32", ['m' - 'a'] = "u32", ['n' - 'a'] = "i128",
		['o' - 'a'] = "u128", ['p' - 'a'] = "_", ['s' - 'a'] = "i16", ['t' - 'a'] = "u16",
		['u' - 'a'] = "()", ['v' - 'a'] = "...", ['x' - 'a'] = "i64", ['y' - 'a'] = "u64",
		['z' - 'a'] = "!",
	};

	return c >= 'a' && c <= 'z' ? names[c - 'a'] : NULL;
}

static void put_function_type(struct rust *rust)
{
	if (take(rust, 'G'))
		take_base62(rust);
	take(rust, 'U');
	if (take(rust, 'K') && !take(rust, 'C'))
		put_identifier(rust, false);
	put(rust, "fn(");
	put_list(rust, ", ");
	put(rust, ")");
	if (!take(rust, 'u')) {
		put(rust, " -> ");
		put_type(rust);
	}
}

static void put_dyn(struct rust *rust)
{
	bool first = true;

	put(rust, "dyn ");
	if (take(rust, 'G'))
		take_base62(rust);
	while (!rust->failed && !take(rust, 'E')) {
		if (!first)
			put(rust, " + ");
		first = false;
		put_path(rust);
		while (take(rust, 'p')) {
			put_identifier(rust, false);
			put_type(rust);
		}
	}
	skip_lifetime(rust);
}

static void put_compound(struct rust *rust, char c)
{
	switch (c) {
	case 'A':
	case 'S':
		put(rust, "[");
		put_type(rust);
		if (c == 'A')
			skip_constant(rust);
		put(rust, c == 'A' ? "; _]" : "]");
		return;
	case 'T':
		put(rust, "(");
		put_list(rust, ", ");
		put(rust, ")");
		return;
	case 'R':
	case 'Q':
		skip_lifetime(rust);
		put(rust, c == 'R' ? "&" : "&mut ");
		break;
	case 'P':
		put(rust, "*const ");
		break;
	case 'O':
		put(rust, "*mut ");
		break;
	}
	put_type(rust);
}

static void put_type(struct rust *rust)
{
	char c = peek(rust);

	if (rust->failed || ++rust->depth > DEPTH_MAX) {
		rust->failed = true;
		return;
	}
	if (basic_type(c))
		put(rust, basic_type(next(rust)));
	else if (c && strchr("ASTRQPO", c))
		put_compound(rust, next(rust));
	else if (take(rust, 'F'))
		put_function_type(rust);
	else if (take(rust, 'D'))
		put_dyn(rust);
	else if (take(rust, 'B'))
		put_reference(rust, put_type);
	else
		put_path(rust);
	rust->depth--;
}

/* The path of the module with an implementation is not shown. */
static void skip_impl_path(struct rust *rust)
{
	size_t len = rust->out_len;

	if (take(rust, 's'))
		take_base62(rust);
	put_path(rust);
	rust->out_len = len;
}

static void put_impl(struct rust *rust, bool trait)
{
	put(rust, "<");
	put_type(rust);
	if (trait) {
		put(rust, " as ");
		put_path(rust);
	}
	put(rust, ">");
}

static void put_nested(struct rust *rust)
{
	char space = next(rust);
	size_t len;

	put_path(rust);
	put(rust, "::");
	/* Capital letters are what has no name of its own: closures and the like. */
	if (isupper((unsigned char)space))
		put(rust, space == 'C' ? "{closure}" : "{shim}");
	len = rust->out_len;
	put_identifier(rust, !isupper((unsigned char)space));
	if (rust->out_len == len && islower((unsigned char)space))
		rust->out_len -= 2;
}

static void put_path(struct rust *rust)
{
	char c = next(rust);

	if (rust->failed || ++rust->depth > DEPTH_MAX) {
		rust->failed = true;
		return;
	}
	switch (c) {
	case 'C':
		put_identifier(rust, true);
		break;
	case 'M':
	case 'X':
		skip_impl_path(rust);
		put_impl(rust, c == 'X');
		break;
	case 'Y':
		put_impl(rust, true);
		break;
	case 'N':
		put_nested(rust);
		break;
	case 'I':
		put_path(rust);
		put(rust, "::<");
		put_list(rust, ", ");
		put(rust, ">");
		break;
	case 'B':
		put_reference(rust, put_path);
		break;
	default:
		rust->failed = true;
	}
	rust->depth--;
}

char *rust_demangle(const char *name)
{
	struct rust rust = { .name = name + 2, .len = strcspn(name + 2, ".") };

	/* A number would be the version of another encoding. */
	if (isdigit((unsigned char)peek(&rust)))
		return NULL;
	put_path(&rust);
	return rust.failed ? NULL : strndup(rust.out, rust.out_len);
}
