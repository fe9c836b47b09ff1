#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# meson install into an empty folder: three programs that run, their manuals, an example
# configuration that is accepted, and a unit that starts the program beside it.
set -u
build=$1 prefix=$2
fail() {
	echo "FAILED: $*"
	exit 1
}

folder=$(mktemp -d /tmp/penstock-install.XXXXXX)
trap 'rm -rf "$folder"' EXIT
DESTDIR=$folder meson install -C "$build" --no-rebuild >"$folder/log" 2>&1 ||
	fail "meson install ended with $?: $(cat "$folder/log")"
root=$folder$prefix

for program in sbin/penstockd bin/penstockctl bin/penstock-load; do
	"$root/$program" --version >/dev/null || fail "$program --version ended with $?"
done
for manual in man8/penstockd.8 man1/penstockctl.1 man1/penstock-load.1; do
	[ -s "$root/share/man/$manual" ] || fail "there is no share/man/$manual"
done
example=$root/share/doc/penstock/examples/penstock.yaml
"$root/sbin/penstockd" -c "$example" --print-config >/dev/null || fail 'the example is refused'
[ -z "$(find "$folder" -path '*/etc/*' -type f)" ] || fail 'something is installed into etc'

unit=$root/lib/systemd/system/penstockd.service
started=$(sed -n 's/^ExecStart=\([^ ]*\) .*/\1/p' "$unit")
[ -x "$folder$started" ] || fail "the unit starts '$started', which is not installed"
if command -v systemd-analyze >/dev/null; then
	# It looks for the program in the machine's own root.
	sed "s|^ExecStart=|&$folder|" "$unit" >"$folder/penstockd.service"
	said=$(systemd-analyze verify --man=no "$folder/penstockd.service" 2>&1)
	status=$?
	if [ $status -ne 0 ] || grep -q penstockd.service <<<"$said"; then
		fail "systemd-analyze verify ended with $status: $said"
	fi
else
	echo 'not tested: the unit (no systemd-analyze)'
fi
