/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdlib.h>

#include "dsd/decode.h"

int
decoder_init(struct decoder *decoder, size_t payload_max)
{
	/* Values are separated by a colon each. */
	size_t n_values_max = payload_max / 2 + 1;

	if (n_values_max > UINT32_MAX)
		return -ENOMEM;
	*decoder = (struct decoder){
		.values = malloc(n_values_max * sizeof(*decoder->values)),
		.n_values_max = (uint32_t)n_values_max,
	};
	return decoder->values != NULL ? 0 : -ENOMEM;
}

void
decoder_done(struct decoder *decoder)
{
	if (decoder == NULL)
		return;
	free(decoder->values);
	*decoder = (struct decoder){0};
}
