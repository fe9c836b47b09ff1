#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Whose path is it? What a killed penstockd left is taken over; what a living one owns, and what is
# no socket, is left alone.
#
#   penstockd, killed --> admin.sock dgram.sock stream.sock out.ndjson <-- penstockd
. "$(dirname "$0")/lib.sh"

refused() { # PATH: a penstockd on $config ends with 69 and names the path
	local said status
	said=$(timeout 20 "$PENSTOCKD" -c "$config" 2>&1)
	status=$?
	expect_equal "exit code with something else at $1" 69 $status
	grep -Fq "$1" <<<"$said" || fail "expected '$1' in what it said: $said"
}

takes_in() { # TOTAL: one more line over each socket arrives
	"$tests/send.py" dgram "$uds" 'path.sum:1|c' || fail "dgram after $1"
	"$tests/send.py" stream "$uds_stream" 'path.sum:1|c' || fail "stream after $1"
	"$tests/send.py" udp "$udp_port" 'path.sum:1|c' || fail "udp after $1"
	wait_until 5 "three lines arrived: $1" lines_received "$2"
}
lines_received() {
	read_ledger && "$tests/expect.py" ledger "$work/ledger.json" "lines.received=$1"
}

configure
start_daemon
takes_in 'the first start' 3

# A second one on the same paths is refused and takes nothing from the first.
refused "$work/"
takes_in 'a second instance was refused' 6
flush

# Killed in the middle of a line
kill_daemon
for path in "$uds" "$uds_stream" "$admin"; do
	[ -S "$path" ] || fail "SIGKILL left no $path, so this test tests nothing"
done
printf '{"type":"count","name":"cut' >>"$output"
start_daemon
takes_in 'SIGKILL and a new start' 3
stop_daemon
expect rows "$output" path.sum=9
for path in "$uds" "$uds_stream" "$admin"; do
	[ ! -e "$path" ] || fail "$path is still there after a stop"
done

# Things that are not ours
for path in "$uds" "$uds_stream" "$admin"; do
	echo mine >"$path"
	refused "$path"
	expect_equal "what $path holds" mine "$(cat "$path")"
	rm "$path"
	mkdir "$path"
	refused "$path"
	[ -d "$path" ] || fail "$path is no folder any more"
	rmdir "$path"
done
start_daemon
stop_daemon
