#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# A stop loses nothing: at whatever moment of a bucket SIGTERM comes, each datagram that a sender
# could send is in the output, and penstockd ends with 0 in time.
#
#   sender, counts what send() took --dgram.sock--> penstockd <--SIGTERM at x.0, x.1, ... x.9 s
#   sender, does not                ----loopback--> penstockd
#
# UDP tells its sender nothing, so there the output is held against what penstockd says it took.
. "$(dirname "$0")/lib.sh"

# The process gets SIGTERM at this fraction of a second, at least one whole bucket from now.
term_at() { # PID TENTHS
	python3 - "$1" "$2" <<'END'
import math, os, signal, sys, time
time.sleep(math.ceil(time.time()) + 1 + int(sys.argv[2]) / 10 - time.time())
os.kill(int(sys.argv[1]), signal.SIGTERM)
END
}

# Counts of 1 until the socket refuses; the last line says how many it took.
send_until_refused() { # udp|dgram TO
	python3 - "$1" "$2" <<'END'
import socket, sys
kind, to = sys.argv[1:]
udp = kind == 'udp'
sender = socket.socket(socket.AF_INET if udp else socket.AF_UNIX, socket.SOCK_DGRAM)
sender.connect(('127.0.0.1', int(to)) if udp else to)
n = 0
try:
    while True:
        sender.send(b'stop.sent:1|c\nstop.sent:1|c|#second\n')
        n += 2
except OSError as error:
    print(error, file=sys.stderr)
print(n)
END
}

own='stop_timeout: 10'
configure 1
for tenths in 0 1 2 3 4 5 6 7 8 9; do
	rm -f "$output"
	start_daemon
	send_until_refused dgram "$uds" >"$work/sent" 2>"$work/sender.err" &
	sender=$!
	children=("$sender")
	term_at "$daemon" $tenths
	await_end 10
	wait_until 10 'the sender noticed the stop' has_ended "$sender"
	wait "$sender"
	children=()
	sent=$(cat "$work/sent")
	[ "${sent:-0}" -ge 1000 ] || fail "the sender got only ${sent:-nothing} through"
	expect rows "$output" "stop.sent=$sent"
	echo "stopped at .$tenths s: $sent lines sent and written"
done

rm -f "$output"
start_daemon
send_until_refused udp "$udp_port" >/dev/null 2>&1 &
children=($!)
term_at "$daemon" 5
await_end 10
kill "${children[0]}" 2>/dev/null
last=$(grep -o 'took in .*' "$log" | tail -n 1)
[[ $last =~ ([0-9]+)\ aggregated.*difference\ ([0-9]+) ]] ||
	fail "the log does not end with an account, but with '$last'"
expect_equal 'the ledger difference in the last line of the log' 0 "${BASH_REMATCH[2]}"
[ "${BASH_REMATCH[1]}" -ge 1000 ] || fail "too little arrived over UDP: $last"
expect rows "$output" "stop.sent=${BASH_REMATCH[1]}"
echo "stopped under UDP load: $last"

# More than can be decoded in the time for it (a fifth of stop_timeout): the rest is counted.
own='stop_timeout: 2'
configure 3600
rm -f "$output"
start_daemon
kill -STOP "$daemon"
python3 - "$uds_stream" "$daemon" >"$work/sent" <<'END' || fail 'the sender of the stop'
import os, signal, socket, struct, sys
payload = b'stop.sent:1:2:3|d|@0.5|#a:b,c:d\n' * 200
frame, clients, n = struct.pack('<I', len(payload)) + payload, [], 0
for _ in range(400):
    client = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    client.connect(sys.argv[1])
    client.setblocking(False)
    try:
        while client.send(frame) == len(frame):
            n += 1
    except BlockingIOError:
        pass
    clients.append(client)
print(n)
os.kill(int(sys.argv[2]), signal.SIGTERM)
os.kill(int(sys.argv[2]), signal.SIGCONT)
END
await_end 4
sent=$(cat "$work/sent")
left=$(grep -o '[0-9]* datagrams were not decoded' "$log" | grep -o '^[0-9]*')
last=$(grep -o 'took in .*' "$log" | tail -n 1)
[[ $last =~ in\ ([0-9]+)\ datagrams\ with\ ([0-9]+)\ lines.*difference\ 0 ]] ||
	fail "the log does not end with a balanced account, but with '$last'"
lines=${BASH_REMATCH[2]}
[ "$((lines / 200 + ${left:-0}))" -ge "$sent" ] || grep -q 'left sockets or queues unread' "$log" ||
	fail "of $sent frames $((lines / 200)) were decoded and ${left:-none} counted as left"
echo "stopped with $sent frames to read: $((lines / 200)) decoded, ${left:-0} counted as left"

# Outputs that nobody reads: the stop ends in time all the same, however many there are.
outputs=''
for i in 1 2 3 4; do
	mkfifo "$work/fifo$i"
	exec {reader}<>"$work/fifo$i"
	outputs+="${outputs:+, }{type: file, path: $work/fifo$i}"
done
own="stop_timeout: 4
outputs: [$outputs]"
configure 1
start_daemon
send_load stalled "uds:$uds" --lines 20000 --contexts 20000
wait_for_arrival stalled
sleep 3
kill -TERM "$daemon"
await_end 4
echo 'stopped with four stalled outputs'
