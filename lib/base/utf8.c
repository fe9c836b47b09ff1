/* SPDX-License-Identifier: BSD-3-Clause */
/* hot: no malloc, no syscall, no log, no lock */
#include "base/utf8.h"

static const uint8_t replacement[] = {0xef, 0xbf, 0xbd}; /* U+FFFD */

/* The bytes at the start of text that are ASCII, as far as whole words of 8 show it. */
static size_t
ascii_size(struct span text)
{
	size_t size = 0;
	uint64_t word;

	while (text.size - size >= sizeof(word)) {
		memcpy(&word, text.data + size, sizeof(word));
		if ((word & 0x8080808080808080u) != 0)
			break;
		size += sizeof(word);
	}
	return size;
}

/*
 * The size of what text starts with: a well-formed sequence (Unicode table 3-7) or else the
 * maximal subpart of one, at least a byte. text is not empty.
 */
static size_t
sequence_size(struct span text, bool *ret_valid)
{
	uint8_t lead = text.data[0];
	uint8_t low = 0x80, high = 0xbf; /* of the second byte; depends on the lead */
	size_t size;

	*ret_valid = lead < 0x80;
	if (lead < 0xc2 || lead > 0xf4)
		return 1;
	size = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
	if (lead == 0xe0)
		low = 0xa0; /* below: overlong */
	else if (lead == 0xed)
		high = 0x9f; /* above: surrogates */
	else if (lead == 0xf0)
		low = 0x90; /* below: overlong */
	else if (lead == 0xf4)
		high = 0x8f; /* above: past U+10FFFF */
	for (size_t i = 1; i < size; i++) {
		if (i == text.size || text.data[i] < low || text.data[i] > high)
			return i;
		low = 0x80;
		high = 0xbf;
	}
	*ret_valid = true;
	return size;
}

/* The bytes at the start of text that are valid UTF-8; ret_bad_size is the size of the ill-formed
 * sequence after them, 0 at the end of text. */
static size_t
valid_size(struct span text, size_t *ret_bad_size)
{
	size_t size = ascii_size(text);

	while (size < text.size) {
		bool valid;
		size_t step = sequence_size(span_from(text, size), &valid);

		if (!valid) {
			*ret_bad_size = step;
			return size;
		}
		size += step;
	}
	*ret_bad_size = 0;
	return size;
}

bool
utf8_is_valid(struct span text)
{
	size_t bad_size;

	return valid_size(text, &bad_size) == text.size;
}

size_t
utf8_repair(struct span text, uint8_t *out)
{
	size_t written = 0;

	while (text.size != 0) {
		size_t bad_size;
		size_t size = valid_size(text, &bad_size);

		memcpy(out + written, text.data, size);
		written += size;
		if (bad_size != 0) {
			memcpy(out + written, replacement, sizeof(replacement));
			written += sizeof(replacement);
		}
		text = span_from(text, size + bad_size);
	}
	return written;
}
