/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether the text of a setting can be what it is meant to be: the check functions of the rows. */
#ifndef PENSTOCKD_CHECK_H
#define PENSTOCKD_CHECK_H

#include "conf/setting.h"

enum setting_verdict check_hostname(const char *text, char why[SETTING_WHY_SIZE]);
enum setting_verdict check_tag(const char *text, char why[SETTING_WHY_SIZE]);
enum setting_verdict check_udp_port(const char *text, char why[SETTING_WHY_SIZE]);
enum setting_verdict check_bind_host(const char *text, char why[SETTING_WHY_SIZE]);
enum setting_verdict check_socket(const char *text, char why[SETTING_WHY_SIZE]);
enum setting_verdict check_path(const char *text, char why[SETTING_WHY_SIZE]);
enum setting_verdict check_transport(const char *text, char why[SETTING_WHY_SIZE]);
enum setting_verdict check_aggregate(const char *text, char why[SETTING_WHY_SIZE]);
enum setting_verdict check_percentile(const char *text, char why[SETTING_WHY_SIZE]);
enum setting_verdict check_name(const char *text, char why[SETTING_WHY_SIZE]);
enum setting_verdict check_device(const char *text, char why[SETTING_WHY_SIZE]);
enum setting_verdict check_exception(const char *text, char why[SETTING_WHY_SIZE]);
enum setting_verdict check_prefix(const char *text, char why[SETTING_WHY_SIZE]);
enum setting_verdict check_multicast(const char *text, char why[SETTING_WHY_SIZE]);
enum setting_verdict check_address(const char *text, char why[SETTING_WHY_SIZE]);
enum setting_verdict check_queues(const char *text, char why[SETTING_WHY_SIZE]);
enum setting_verdict check_slow_core(const char *text, char why[SETTING_WHY_SIZE]);
enum setting_verdict check_http(const char *text, char why[SETTING_WHY_SIZE]);
enum setting_verdict check_output_type(const char *text, char why[SETTING_WHY_SIZE]);
enum setting_verdict check_eal(const char *text, char why[SETTING_WHY_SIZE]);

#endif
