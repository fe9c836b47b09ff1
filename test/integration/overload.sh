#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# More comes than is decoded at once: a burst waits in the backlog, nothing of it is lost, and its
# memory goes back to the kernel within 5 s. At the ceiling it is dropped under one reason, the ledger
# is exact all the time, and afterwards everything is as before. Streams that hold unfinished frames
# do not take the memory of datagrams.
#
#   burst.py ──uds, udp, uds-stream──► penstockd ──► file        (the kernel's resident pages)
# A network namespace of its own, whose Unix datagram queues are as long as systemd makes them: with
# the kernel's 10 a sender is held up before anything can pile up.
if [ -z "${OVERLOAD_APART:-}" ]; then
	unshare --net true 2>/dev/null || {
		echo 'SKIP: no right to make a network namespace'
		exit 77
	}
	exec env OVERLOAD_APART=1 unshare --net "$0" "$@"
fi
ip link set lo up && sysctl -qw net.unix.max_dgram_qlen=512 || exit 1
. "$(dirname "$0")/lib.sh"

size=8192 # bytes of a datagram

status_of() { # PATH...: a number of the status, as intake_memory resident
	ctl --json status | python3 -c '
import json, sys
tree = json.load(sys.stdin)
for name in sys.argv[1:]:
    tree = tree[name] if name in tree else next(a for a in tree["accounts"] if a["name"] == name)
print(tree)' "$@"
}
ledger_of() { # NAME: datagrams.queued
	python3 -c '
import functools, json, sys
print(functools.reduce(lambda tree, name: tree[name], sys.argv[2].split("."),
                       json.load(open(sys.argv[1]))))' "$work/ledger.json" "$1"
}
resident() { # KiB, as the kernel counts
	awk '/^Rss:/ { print $2 }' "/proc/$daemon/smaps_rollup"
}

# Looks at the ledger until the sender has ended and nothing waits; every snapshot has to balance.
watch_ledger() { # PID
	local deadline=$((SECONDS + 60)) n=0 ended=''
	queued_peak=0
	while :; do
		has_ended "$1" && ended=yes
		read_ledger || fail 'no ledger'
		expect_equal 'the difference in a snapshot' 0 "$(ledger_of difference)"
		n=$(ledger_of datagrams.queued)
		[ "$n" -le $queued_peak ] || queued_peak=$n
		if [ -n "$ended" ] && [ "$n" = 0 ]; then
			sleep 1.1 # what the kernel dropped is read once a second
			read_ledger
			return
		fi
		[ $SECONDS -le $deadline ] || fail "$n datagrams wait for ever"
	done
}

begin() { # CEILING
	rm -f "$output" "$output".*
	own="memory_ceiling: $1"
	configure
	start_daemon
	"$tests/burst.py" "uds:$uds" 200 $size >/dev/null
	wait_until 10 'the first datagrams are decoded' has_delivered 200
	flush
	rm -f "$output"
}
has_delivered() {
	read_ledger
	[ "$(ledger_of datagrams.delivered)" -ge "$1" ]
}
total() { # the sum of all bN in the output
	python3 -c '
import json, sys
print(int(sum(r["value"] for r in map(json.loads, open(sys.argv[1]))
              if len(r["name"]) == 2)))' "$output"
}

# A burst of 96 MiB.
begin 128MiB
before=$(resident)
count=$((12288 / (share > 1 ? 4 : 1)))
"$tests/burst.py" "uds:$uds" $count $size >"$work/sent" &
sender=$!
children=("$sender")
watch_ledger "$sender"
over=$SECONDS
read -r datagrams lines <"$work/sent" || fail 'the sender failed'
children=()
expect ledger "$work/ledger.json" "datagrams.received=$((200 + datagrams))" \
	"datagrams.delivered=$((200 + datagrams))" datagrams.dropped.memory_ceiling=0
flush
expect_equal 'lines of the burst in the output' "$lines" "$(total)"
peak=$(status_of intake_memory resident_peak)
[ "$queued_peak" -gt 0 ] || fail 'nothing was ever queued: the sender is too slow for this test'
[ "$peak" -ge $((16 << 20)) ] || fail "the backlog had $peak bytes at most: this test tests nothing"
# Sanitizers keep freed memory for a while, so theirs is only looked at in the pool's own figures.
slack=$((8 << 10))
[ "$share" = 1 ] || slack=$((96 << 10))
is_back() {
	[ "$(resident)" -le $((before + slack)) ] && [ "$(status_of intake_memory resident)" -le $((4 << 20)) ]
}
wait_until 5 "resident memory is back at $before KiB after $peak bytes; now $(resident) KiB" is_back
echo "burst: $datagrams datagrams, $queued_peak queued at most, $((peak >> 20)) MiB of chunks," \
	"back within $((SECONDS - over + 2)) s"
stop_daemon

# Too much for the ceiling, over both sockets at the same time; then as before.
begin 4MiB
"$tests/burst.py" "uds:$uds" $count $size >"$work/sent" &
sender=$!
"$tests/burst.py" "udp:$udp_port" $count $size >"$work/sent.udp" &
children=("$sender" $!)
wait "${children[1]}"
watch_ledger "$sender"
children=()
read -r n_uds _ <"$work/sent" || fail 'the sender failed'
read -r n_udp _ <"$work/sent.udp" || fail 'the UDP sender failed'
delivered=$(ledger_of datagrams.delivered)
dropped=$(($(ledger_of datagrams.dropped.memory_ceiling) + $(ledger_of datagrams.dropped.kernel)))
expect ledger "$work/ledger.json" "datagrams.received=$((200 + n_uds + n_udp))" \
	"datagrams.by_listener.udp=$n_udp" "datagrams.delivered=$((200 + n_uds + n_udp - dropped))" \
	datagrams.queued=0
[ "$(ledger_of datagrams.dropped.memory_ceiling)" -gt 0 ] || fail 'the ceiling was never reached'
peak=$(status_of intake_memory sockets peak)
[ "$peak" -le $((4 << 20)) ] || fail "the sockets had $peak bytes, the ceiling is 4 MiB"
flush
expect_equal 'lines in the output' $(((delivered - 200) * lines / datagrams)) "$(total)"
"$tests/burst.py" "uds:$uds" 50 $size >/dev/null
wait_until 5 'datagrams pass as before' has_delivered $((delivered + 50))
echo "ceiling: $((n_uds + n_udp)) sent, $delivered delivered, $dropped dropped"
stop_daemon

# Stream clients that hold more than there is. Whoever gets nothing is closed and counted.
begin 4MiB
mkfifo "$work/hold"
"$tests/burst.py" "hold:$uds_stream" 1000 8000 <"$work/hold" >"$work/held" &
holder=$!
children=("$holder")
exec 3>"$work/hold"
wait_until 20 'the stream clients hold their frames' grep -q held "$work/held"
refused() {
	read_ledger
	[ "$(ledger_of datagrams.dropped.no_memory)" -gt 0 ]
}
wait_until 5 'streams are refused memory' refused
used=$(status_of intake_memory streams used)
cap=$(status_of intake_memory streams cap)
[ "$used" -gt 0 ] && [ "$used" -le "$cap" ] || fail "streams use $used bytes, their cap is $cap"
"$tests/burst.py" "uds:$uds" 100 $size >/dev/null
wait_until 5 'datagrams pass beside stalled streams' has_delivered 300
expect ledger "$work/ledger.json" datagrams.by_listener.uds=300 datagrams.delivered=300 \
	datagrams.dropped.memory_ceiling=0 difference=0
exec 3>&-
wait "$holder"
children=()
is_free() { [ "$(status_of intake_memory streams used)" = 0 ]; }
wait_until 5 'what streams held is given back' is_free
stop_daemon
