# shellcheck shell=bash
# SPDX-License-Identifier: BSD-3-Clause
# What the tests of the programs have in common. A test sources this file and gets a private folder
# in $work; whatever it starts through here ends with it.
#
# The programs come from the environment (meson.build sets it), so that the same tests run on every
# build: PENSTOCKD, PENSTOCKCTL, PENSTOCK_LOAD. PENSTOCK_SHARE divides the amounts of work where a
# build is slow (sanitizers).
set -u

tests=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$tests/../.." && pwd)
share=${PENSTOCK_SHARE:-1}

skip() {
	echo "SKIP: $*"
	exit 77
}

for program in PENSTOCKD PENSTOCKCTL PENSTOCK_LOAD; do
	[ -x "${!program:-}" ] || skip "$program does not name a program"
done
command -v python3 >/dev/null || skip 'python3 is missing (scripts/install-deps test)'

# A Unix socket's path has room for 107 bytes, so the folder stands in /tmp.
work=$(mktemp -d /tmp/penstock-test.XXXXXX)
export XDG_RUNTIME_DIR=$work
for name in "${!DD_@}"; do
	unset "$name"
done

daemon=''      # its process, or empty
children=()    # other processes of this test
hostname=tester # what stands in for a missing host
config=$work/penstock.yaml
output=$work/out.ndjson
log=$work/penstockd.log
admin=$work/admin.sock
uds=$work/dgram.sock
uds_stream=$work/stream.sock

at_end() { :; } # a test may have more to undo
leave() {
	local status=$?
	trap - EXIT
	for child in "${children[@]}" $daemon; do
		kill -KILL "$child" 2>/dev/null
	done
	wait 2>/dev/null
	if [ $status -ne 0 ] && [ $status -ne 77 ] && [ -s "$log" ]; then
		echo '-- the end of the log:'
		tail -n 40 "$log"
	fi
	at_end
	rm -rf "$work"
	exit $status
}
trap leave EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

fail() {
	echo "FAILED: $*"
	exit 1
}

expect_equal() { # WHAT EXPECTED GOT
	[ "$2" = "$3" ] || fail "$1: expected '$2', got '$3'"
}

# A command's failure is the test's failure, with what it printed.
must() { # WHAT COMMAND...
	local what=$1 said
	shift
	said=$("$@" 2>&1) || fail "$what: '$*' ended with $?"$'\n'"$said"
}

wait_until() { # SECONDS WHAT COMMAND...: fails when the command has not succeeded by then
	local seconds=$1 what=$2 until=$((SECONDS + $1))
	shift 2
	until "$@" >/dev/null 2>&1; do
		[ -z "$daemon" ] || kill -0 "$daemon" 2>/dev/null ||
			fail "penstockd ended by itself while waiting until $what"
		[ $SECONDS -le $until ] || fail "not within $seconds s: $what"
		sleep 0.05
	done
}

expect() { # CHECK ARGUMENT...: see expect.py
	"$tests/expect.py" "$@" || fail "expect $*"
}

# The longest bucket whose end is at least ten minutes away: all of a test lies in one.
one_bucket() {
	local interval=3600 now
	now=$(date +%s)
	while [ $((interval - now % interval)) -lt 600 ]; do
		interval=$((interval - 1))
	done
	echo $interval
}

# Writes $config: sockets of all kinds, a file output. Lines of $top stand at its top level, lines
# of $own under "penstock:"; a later setting of a name replaces an earlier one.
configure() { # [INTERVAL]
	local top=${top:-} own=${own:-}
	{
		cat <<-END
			hostname: $hostname
			aggregate_window_duration_seconds: ${1:-$(one_bucket)}
		END
		default_line dogstatsd_port __random__ "$top"
		default_line dogstatsd_so_rcvbuf 4194304 "$top"
		default_line dogstatsd_socket "$uds" "$top"
		default_line dogstatsd_stream_socket "$uds_stream" "$top"
		[ -z "$top" ] || echo "$top"
		echo 'penstock:'
		default_line '  hugepages' 'off' "$own"
		default_line '  idle' 'sleep' "$own"
		default_line '  outputs' "[{type: file, path: $output}]" "$own"
		default_line '  admin' "{socket: $admin, http: \"\"}" "$own"
		[ -z "$own" ] || echo "$own" | sed 's/^/  /'
	} >"$config"
}
default_line() { # NAME VALUE LINES: unless LINES set it
	grep -q "^${1#  }:" <<<"$3" || echo "$1: $2"
}

ctl() {
	"$PENSTOCKCTL" -s "$admin" "$@"
}
is_ready() {
	ctl --json status | grep -Eq '"state": *"ready"'
}

start_daemon() { # [NAME=VALUE...]: on $config; returns when it is ready
	env "$@" "$PENSTOCKD" -c "$config" >>"$work/penstockd.out" 2>>"$log" &
	daemon=$!
	wait_until 20 'penstockd is ready' is_ready
	udp_port=$(listener_address udp)
	udp_port=${udp_port##*:}
}

# A UDP port that is free at this moment, for tests that must know it before the start.
free_port() {
	python3 -c '
import socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(("127.0.0.1", 0))
print(s.getsockname()[1])'
}

listener_address() { # NAME: as the status has it
	ctl --json status | python3 -c '
import json, sys
for listener in json.load(sys.stdin)["listeners"]:
    if listener["name"] == sys.argv[1]:
        print(listener["address"])' "$1"
}

has_ended() { # PID: also a zombie has
	! grep -q '^State:[[:space:]]*[^Z]' "/proc/$1/status" 2>/dev/null
}

# After a signal was sent to it; fails when it does not end with 0 in time.
await_end() { # [SECONDS]
	local pid=$daemon seconds=${1:-10} status
	daemon=''
	children+=("$pid")
	wait_until $((seconds + 1)) 'penstockd ends after SIGTERM' has_ended "$pid"
	wait "$pid"
	status=$?
	unset 'children[-1]'
	expect_equal "penstockd's exit code after SIGTERM" 0 $status
}

stop_daemon() { # [SECONDS]
	kill -TERM "$daemon" || fail 'penstockd ended before it was told to'
	await_end "$@"
}

kill_daemon() {
	kill -KILL "$daemon"
	wait "$daemon" 2>/dev/null
	daemon=''
}

# Sends a load and keeps $work/NAME.json (what was sent) and $work/NAME.sums (what it must give).
send_load() { # NAME TARGET ARGUMENT...
	local name=$1 target=$2
	shift 2
	"$PENSTOCK_LOAD" --to "$target" --host "$hostname" --sums "$work/$name.sums" "$@" \
		>"$work/$name.json" 2>"$work/$name.err" ||
		fail "penstock-load ended with $?: $(cat "$work/$name.json" "$work/$name.err")"
}

# Six types, packed, sampled, timestamped and reordered, events, checks: what a busy host sends.
mixed=(--contexts 20000 --tags 4 --packed 0.2 --sampled 0.2 --timestamped 0.05 --reordered 0.1
	--events 0.01 --checks 0.01)

read_ledger() {
	ctl --json ledger >"$work/ledger.json"
}

# Counters come into the ledger with a delay; it has all when it has what was sent.
wait_for_arrival() { # NAME [SECONDS]
	wait_until "${2:-20}" "the ledger has what $1 sent" arrived "$1"
}
arrived() {
	read_ledger
	"$tests/expect.py" arrived "$work/$1.json" "$work/ledger.json"
}

# Closes the bucket; the output then has all of it.
flush() {
	must 'flush' ctl flush
	read_ledger || fail "penstockctl ledger ended with $? after a flush"
}

# What send_load sent as NAME, and nothing else, came through LISTENER and out, to the last digit.
expect_exact() { # NAME LISTENER
	wait_for_arrival "$1"
	flush
	expect delivered "$work/$1.json" "$work/ledger.json" "$2"
	must "sums of $1" "$root/scripts/compare-sums" "$work/$1.sums" "$output"
}
