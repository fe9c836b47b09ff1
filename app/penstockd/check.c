/* SPDX-License-Identifier: BSD-3-Clause */
#include "penstockd/check.h"

#include <netinet/in.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/un.h>

#include "base/pci.h"
#include "conf/nearest.h"
#include "frame/prefix.h"
#include "output/driver.h"
#include "penstockd/settings.h"

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define DIGITS "0123456789"
#define HEX_DIGITS DIGITS "abcdefABCDEF"
#define NAME_MAX_SIZE 31 /* so that it fits into the names of threads, rings and pools */
#define QUEUES_MAX 256
#define CORE_MAX 4095

static enum setting_verdict wrong(char why[SETTING_WHY_SIZE], const char *format, ...)
	printf_like(2, 3);

static enum setting_verdict
wrong(char why[SETTING_WHY_SIZE], const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(why, SETTING_WHY_SIZE, format, arguments);
	va_end(arguments);
	return SETTING_WRONG;
}

static bool
has_control_character(const char *text)
{
	for (; *text != '\0'; text++)
		if ((unsigned char)*text < 0x20 || *text == 0x7f)
			return true;
	return false;
}

static bool
consists_of(const char *text, const char *characters)
{
	return text[strspn(text, characters)] == '\0';
}

/* A whole number up to max, without a leading zero. */
static bool
is_number(const char *text, unsigned long max)
{
	size_t size = strlen(text);

	return size > 0 && size <= 9 && consists_of(text, DIGITS) && (size == 1 || *text != '0') &&
		strtoul(text, NULL, 10) <= max;
}

/* One of names (ends in NULL), else the nearest of them in why. */
static enum setting_verdict
one_of(const char *text, const char *const *names, const char *expected, char why[SETTING_WHY_SIZE])
{
	struct nearest nearest = {.name = text};
	char quoted[CONF_QUOTED_SIZE];

	for (size_t i = 0; names[i] != NULL; i++) {
		if (strcmp(text, names[i]) == 0)
			return SETTING_FITS;
		nearest_offer(&nearest, names[i]);
	}
	if (nearest.best != NULL)
		return wrong(why, "expected %s, not %s; did you mean '%s'?", expected,
			conf_quote(text, quoted), nearest.best);
	return wrong(why, "expected %s, not %s", expected, conf_quote(text, quoted));
}

enum setting_verdict
check_hostname(const char *text, char why[SETTING_WHY_SIZE])
{
	char quoted[CONF_QUOTED_SIZE];

	if (strlen(text) <= 255 && consists_of(text, LETTERS DIGITS "-._"))
		return SETTING_FITS;
	return wrong(why, "expected a host name of letters, digits, '.', '-' and '_', not %s",
		conf_quote(text, quoted));
}

enum setting_verdict
check_tag(const char *text, char why[SETTING_WHY_SIZE])
{
	char quoted[CONF_QUOTED_SIZE];

	if (*text == '\0')
		return wrong(why, "expected a tag, not an empty text");
	if (strchr(text, ',') != NULL || has_control_character(text))
		return wrong(why,
			"a tag must not hold a comma or control character, as in %s; write each "
			"tag as an item of its own",
			conf_quote(text, quoted));
	return SETTING_FITS;
}

enum setting_verdict
check_udp_port(const char *text, char why[SETTING_WHY_SIZE])
{
	char quoted[CONF_QUOTED_SIZE];

	if (is_number(text, 65535) || strcmp(text, "__random__") == 0)
		return SETTING_FITS;
	return wrong(why, "expected a port from 0 to 65535, or __random__, not %s",
		conf_quote(text, quoted));
}

enum setting_verdict
check_bind_host(const char *text, char why[SETTING_WHY_SIZE])
{
	char quoted[CONF_QUOTED_SIZE];

	if (*text != '\0' && strlen(text) <= 255 && consists_of(text, LETTERS DIGITS "-._:%"))
		return SETTING_FITS;
	return wrong(why,
		"expected a host name or IP address, not %s; for every address, set "
		"dogstatsd_non_local_traffic: true",
		conf_quote(text, quoted));
}

enum setting_verdict
check_path(const char *text, char why[SETTING_WHY_SIZE])
{
	char quoted[CONF_QUOTED_SIZE];

	if (*text == '\0')
		return SETTING_FITS;
	if (*text != '/' || text[strlen(text) - 1] == '/' || has_control_character(text))
		return wrong(why, "expected an absolute path of a file, not %s",
			conf_quote(text, quoted));
	return SETTING_FITS;
}

enum setting_verdict
check_socket(const char *text, char why[SETTING_WHY_SIZE])
{
	size_t size_max = sizeof(((struct sockaddr_un *)NULL)->sun_path) - 1;

	if (strlen(text) > size_max)
		return wrong(why,
			"the path has %zu bytes, but the path of a Unix socket has at most %zu",
			strlen(text), size_max);
	return check_path(text, why);
}

enum setting_verdict
check_transport(const char *text, char why[SETTING_WHY_SIZE])
{
	static const char *const names[] = {"udp", "uds", "named_pipe", NULL};

	return one_of(text, names, "udp, uds or named_pipe", why);
}

enum setting_verdict
check_aggregate(const char *text, char why[SETTING_WHY_SIZE])
{
	static const char *const names[] = {"max", "min", "median", "avg", "count", "sum", NULL};

	if (one_of(text, names, "max, min, median, avg, count or sum", why) == SETTING_FITS)
		return SETTING_FITS;
	/* The Agent goes on without it. */
	return SETTING_LEFT_OUT;
}

enum setting_verdict
check_percentile(const char *text, char why[SETTING_WHY_SIZE])
{
	char quoted[CONF_QUOTED_SIZE];

	if (settings_percent(text) >= 0)
		return SETTING_FITS;
	return wrong(why, "expected a number from 0 to 1 such as 0.95, not %s",
		conf_quote(text, quoted));
}

enum setting_verdict
check_name(const char *text, char why[SETTING_WHY_SIZE])
{
	char quoted[CONF_QUOTED_SIZE];

	if (strlen(text) <= NAME_MAX_SIZE && consists_of(text, LETTERS DIGITS "-._"))
		return SETTING_FITS;
	return wrong(why, "expected a name of at most %d letters, digits, '.', '-' and '_', not %s",
		NAME_MAX_SIZE, conf_quote(text, quoted));
}

enum setting_verdict
check_device(const char *text, char why[SETTING_WHY_SIZE])
{
	char quoted[CONF_QUOTED_SIZE];
	size_t name_size = strcspn(text, ",");

	if (has_control_character(text) || strchr(text, ' ') != NULL)
		return wrong(why, "a device must not hold spaces, as in %s",
			conf_quote(text, quoted));
	if (*text == '\0' || pci_parse(text, NULL))
		return SETTING_FITS;
	/* The names that DPDK gives its virtual network devices. */
	if ((strncmp(text, "net_", 4) == 0 || strncmp(text, "eth_", 4) == 0 ||
		    strncmp(text, "virtio_user", 11) == 0) &&
		strspn(text, LETTERS DIGITS "_-") == name_size && name_size < 64)
		return SETTING_FITS;
	return wrong(why,
		"expected a PCI address such as 0000:3b:00.0 or a virtual device such as "
		"net_af_packet0,iface=eth1, not %s",
		conf_quote(text, quoted));
}

enum setting_verdict
check_exception(const char *text, char why[SETTING_WHY_SIZE])
{
	char quoted[CONF_QUOTED_SIZE];

	if (pci_parse(text, NULL))
		return wrong(why,
			"expected a virtual device that leads into the kernel, such as "
			"net_tap0,iface=pen0, not the NIC %s",
			conf_quote(text, quoted));
	return check_device(text, why);
}

/* The bits of an IPv4 or IPv6 address, or 0 when text is none. */
static unsigned
address_bits(const char *text)
{
	struct prefix prefix;

	if (strchr(text, '/') != NULL || prefix_parse(text, &prefix) != 0)
		return 0;
	return prefix.length;
}

enum setting_verdict
check_prefix(const char *text, char why[SETTING_WHY_SIZE])
{
	char quoted[CONF_QUOTED_SIZE];
	struct prefix prefix;

	if (prefix_parse(text, &prefix) == 0)
		return SETTING_FITS;
	return wrong(why,
		"expected an IP address with a prefix length, such as 192.0.2.10/24 or "
		"2001:db8::10/64, not %s",
		conf_quote(text, quoted));
}

enum setting_verdict
check_address(const char *text, char why[SETTING_WHY_SIZE])
{
	char quoted[CONF_QUOTED_SIZE];

	if (address_bits(text) != 0)
		return SETTING_FITS;
	return wrong(why, "expected an IP address without prefix length, such as 192.0.2.1, not %s",
		conf_quote(text, quoted));
}

/* RFC 5771 section 3, RFC 4291 section 2.7. */
enum setting_verdict
check_multicast(const char *text, char why[SETTING_WHY_SIZE])
{
	char quoted[CONF_QUOTED_SIZE];
	struct prefix prefix;

	if (address_bits(text) != 0 && prefix_parse(text, &prefix) == 0 &&
		(prefix.address_size == 4 ? prefix.address[0] >> 4 == 0xe
					  : prefix.address[0] == 0xff))
		return SETTING_FITS;
	return wrong(why,
		"expected a multicast address (224.0.0.0 to 239.255.255.255, or ff00::/8), not %s",
		conf_quote(text, quoted));
}

enum setting_verdict
check_queues(const char *text, char why[SETTING_WHY_SIZE])
{
	char quoted[CONF_QUOTED_SIZE];

	if (strcmp(text, "auto") == 0 || (is_number(text, QUEUES_MAX) && *text != '0'))
		return SETTING_FITS;
	return wrong(why, "expected auto or a count from 1 to %d, not %s", QUEUES_MAX,
		conf_quote(text, quoted));
}

enum setting_verdict
check_slow_core(const char *text, char why[SETTING_WHY_SIZE])
{
	char quoted[CONF_QUOTED_SIZE];

	if (strcmp(text, "auto") == 0 || is_number(text, CORE_MAX))
		return SETTING_FITS;
	return wrong(why, "expected auto or the number of a core, not %s",
		conf_quote(text, quoted));
}

enum setting_verdict
check_http(const char *text, char why[SETTING_WHY_SIZE])
{
	char address[INET6_ADDRSTRLEN + 1] = "", quoted[CONF_QUOTED_SIZE];
	const char *colon = strrchr(text, ':'), *from = text;
	size_t size;

	if (*text == '\0')
		return SETTING_FITS;
	if (colon != NULL && is_number(colon + 1, 65535)) {
		size = (size_t)(colon - text);
		if (*text == '[' && size > 2 && colon[-1] == ']') {
			from++;
			size -= 2;
		}
		if (size < sizeof(address))
			memcpy(address, from, size);
		if (address_bits(address) == (from == text ? 32 : 128))
			return SETTING_FITS;
	}
	return wrong(why,
		"expected an IP address and a port, such as 127.0.0.1:8128 or [::1]:8128, not %s",
		conf_quote(text, quoted));
}

enum setting_verdict
check_output_type(const char *text, char why[SETTING_WHY_SIZE])
{
	char known[SETTING_WHY_SIZE / 2] = "", quoted[CONF_QUOTED_SIZE];
	size_t used = 0;

	if (*text == '\0')
		return SETTING_FITS;
	for (size_t i = 0; output_table[i] != NULL; i++) {
		if (strcmp(output_table[i]->type, text) == 0)
			return SETTING_FITS;
		if (used < sizeof(known))
			used += (size_t)snprintf(known + used, sizeof(known) - used, "%s%s",
				i == 0 ? "" : ", ", output_table[i]->type);
	}
	return wrong(why, "this build has no output of type %s, only: %s", conf_quote(text, quoted),
		known);
}

enum setting_verdict
check_eal(const char *text, char why[SETTING_WHY_SIZE])
{
	if (*text != '\0' && !has_control_character(text))
		return SETTING_FITS;
	return wrong(why, "expected an argument for DPDK's EAL");
}
