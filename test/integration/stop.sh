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
