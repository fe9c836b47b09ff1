#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# scripts/quickstart on a machine where its ports are taken: it takes others, and all that went in
# comes out.
#
#   python3, listens on UDP 8125 and TCP 8128
#   scripts/quickstart --> penstockd <-- four senders; its sums against the output
. "$(dirname "$0")/lib.sh"

# A port that somebody else has taken is as good.
python3 - "$work/taken" <<'END' &
import socket, sys, time
sockets = []
for kind, port in ((socket.SOCK_DGRAM, 8125), (socket.SOCK_STREAM, 8128)):
    taken = socket.socket(socket.AF_INET, kind)
    try:
        taken.bind(('127.0.0.1', port))
        if kind == socket.SOCK_STREAM:
            taken.listen()
    except OSError as error:
        print(port, error)
    sockets.append(taken)
open(sys.argv[1], 'w').close()
time.sleep(600)
END
children=($!)
wait_until 10 'the ports are taken' test -e "$work/taken"

"$root/scripts/quickstart" --no-wait --seconds 1 --rate $((10000 / share)) >"$work/said" 2>&1
status=$?
[ $status -eq 0 ] || fail "quickstart ended with $status:"$'\n'"$(cat "$work/said")"
grep -q '^TCP port 8128 is in use on this machine; taking 81' "$work/said" || fail 'TCP 8128'
grep -q '^UDP port 8125 is in use on this machine; taking 81' "$work/said" || fail 'UDP 8125'
grep -Eq '^ledger difference +0 +0 +ok$' "$work/said" || fail "$(cat "$work/said")"
