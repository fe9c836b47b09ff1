/* SPDX-License-Identifier: BSD-3-Clause */
/* hot: no malloc, no syscall, no log, no lock */
#include "frame/prefix.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>

/* One to three digits without a leading zero, nothing else: strtoul would take signs, blanks and
 * "0x10". */
static int
parse_length(const char *text, unsigned max, uint8_t *ret_length)
{
	unsigned length = 0;
	size_t n = strspn(text, "0123456789");

	if (n == 0 || n > 3 || text[n] != '\0' || (n > 1 && text[0] == '0'))
		return -EINVAL;
	for (size_t i = 0; i < n; i++)
		length = length * 10 + (unsigned)(text[i] - '0');
	if (length > max)
		return -EINVAL;
	*ret_length = (uint8_t)length;
	return 0;
}

int
prefix_parse(const char *text, struct prefix *ret_prefix)
{
	struct prefix prefix = {0};
	char address[INET6_ADDRSTRLEN];
	const char *slash = strchr(text, '/');
	size_t size = slash != NULL ? (size_t)(slash - text) : strlen(text);

	if (size >= sizeof(address))
		return -EINVAL;
	memcpy(address, text, size);
	address[size] = '\0';
	if (inet_pton(AF_INET, address, prefix.address) == 1)
		prefix.address_size = 4;
	else if (inet_pton(AF_INET6, address, prefix.address) == 1)
		prefix.address_size = 16;
	else
		return -EINVAL;
	prefix.length = (uint8_t)(prefix.address_size * 8);
	if (slash != NULL && parse_length(slash + 1, prefix.length, &prefix.length) != 0)
		return -EINVAL;
	*ret_prefix = prefix;
	return 0;
}

bool
prefix_has(const struct prefix *prefix, const uint8_t *address, uint8_t address_size)
{
	unsigned whole = prefix->length / 8, rest = prefix->length % 8;

	if (address_size != prefix->address_size || memcmp(prefix->address, address, whole) != 0)
		return false;
	return rest == 0 || (prefix->address[whole] ^ address[whole]) >> (8 - rest) == 0;
}

bool
prefix_is(const struct prefix *prefix, const uint8_t *address, uint8_t address_size)
{
	return address_size == prefix->address_size &&
		memcmp(prefix->address, address, address_size) == 0;
}
