#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Clients that send nonsense harm only themselves: the log stays short, memory stays small, other
# clients never notice, and SIGHUP does not end anything.
#
#   absurd lengths --stream.sock--.
#   1,000,000 bad lines --dgram.sock--> penstockd --> log of a few lines
#   noise --admin.sock------------'
. "$(dirname "$0")/lib.sh"

configure
start_daemon
resident() { # MiB
	echo $(($(sed -n 's/^VmRSS:[^0-9]*\([0-9]*\).*/\1/p' "/proc/$daemon/status") / 1024))
}
before=$(resident)

python3 - "$uds_stream" <<'END' || fail 'stream clients'
import socket, struct, sys
def connect():
    client = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    client.settimeout(5)
    client.connect(sys.argv[1])
    return client
good = connect()
line = b'good.sum:1|c'
good.sendall(struct.pack('<I', len(line)) + line[:5])
for length in (8193, 0x7fffffff, 0x80000000, 0xffffffff, 0x0f000000):
    bad = connect()
    bad.sendall(struct.pack('<I', length) + b'x' * 100)
    try:
        got = bad.recv(1)
    except ConnectionResetError:
        got = b''
    assert got == b'', f'a frame of {length} bytes got an answer: {got}'
for start in (b'\x05\x00', b'\x05\x00\x00\x00abc'):
    connect().sendall(start)  # and gone
idle = [connect() for _ in range(200)]
good.sendall(line[5:] + struct.pack('<I', 0) + struct.pack('<I', len(line)) + line)
END
counted() { # NAME=VALUE...
	read_ledger && "$tests/expect.py" ledger "$work/ledger.json" "$@"
}
wait_until 5 'the good client is served and the bad ones are counted' counted lines.received=2 \
	datagrams.dropped.frame_too_long=5 datagrams.dropped.unfinished_length=1 \
	datagrams.dropped.unfinished_frame=1 datagrams.delivered=3 difference=0

# Bad lines, each of which could be worth a message
logged=$(wc -l <"$log")
lines=$((1000000 / share))
send_load bad "uds:$uds" --lines $lines --malformed 1
all_bad() {
	read_ledger && "$tests/expect.py" ledger "$work/ledger.json" "lines.received=$((lines + 2))"
}
wait_until 30 'all bad lines are counted' all_bad
flush
[ $(($(wc -l <"$log") - logged)) -le 5 ] ||
	fail "$lines bad lines wrote $(($(wc -l <"$log") - logged)) lines into the log"

# The admin socket
python3 - "$admin" <<'END' || fail 'admin clients'
import socket, sys
for noise in (b'\xff' * 1000000, b'status' * 100000, b'\n', b''):
    client = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    client.settimeout(5)
    client.connect(sys.argv[1])
    try:
        client.sendall(noise)
        client.shutdown(socket.SHUT_WR)
        while client.recv(65536):
            pass
    except OSError:
        pass  # cut off, which is fine
END
is_ready || fail 'penstockctl status does not work after noise on the admin socket'

kill -HUP "$daemon"
wait_until 5 'the log tells what became of SIGHUP' grep -qi reload "$log"
"$tests/send.py" dgram "$uds" 'after.sighup:3|c' || fail 'send.py after SIGHUP'
grown=$(($(resident) - before))
[ $grown -le $((64 * share)) ] || fail "the process grew by $grown MiB"
stop_daemon
expect rows "$output" good.sum=2 after.sighup=3
