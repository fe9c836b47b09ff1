# shellcheck shell=bash
# SPDX-License-Identifier: BSD-3-Clause
# A test that sources this, before lib.sh, runs in a network namespace of its own.
if [ -z "${PENSTOCK_OWN_NET:-}" ]; then
	if ! unshare --net --mount true 2>/dev/null; then
		echo 'SKIP: no network namespace of our own (needs root)'
		exit 77
	fi
	PENSTOCK_OWN_NET=1 exec unshare --net --mount "$0" "$@"
fi
if ! mount -t sysfs sysfs /sys || ! ip link set lo up; then
	echo 'SKIP: the namespace cannot be set up'
	exit 77
fi
