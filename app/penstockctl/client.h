/* SPDX-License-Identifier: BSD-3-Clause */
/* The daemon at the other end of the admin socket: one command, one reply. */
#ifndef PENSTOCKCTL_CLIENT_H
#define PENSTOCKCTL_CLIENT_H

#include <stddef.h>

/* Where to ask when nothing was said: $PENSTOCK_SOCKET, else the first of the default places that
 * exists, else NULL. The text is static. */
const char *client_default_socket(void);

/* Prints the default places to stderr. */
void client_print_places(void);

/* Sends a word and reads the reply, a NUL-terminated text that the caller frees. 0 or -errno. */
int client_ask(const char *path, const char *command, char **ret_reply, size_t *ret_size);

#endif
