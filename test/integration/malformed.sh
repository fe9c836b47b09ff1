#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# One line in twenty is malformed, in twenty ways: each is rejected under its reason, all others
# come out exactly, and "penstockctl rejects" shows the last ones with every byte readable.
#
#   penstock-load --dgram.sock--> penstockd --> file == sums
#                                     '-------> ledger, rejects
. "$(dirname "$0")/lib.sh"

lines=$((${1:-200000} / share))
configure
start_daemon
send_load malformed "uds:$uds" --lines $lines "${mixed[@]}" --malformed 0.05
python3 - "$work/malformed.json" $lines <<'END' || fail 'the load is not what this test needs'
import json, sys
injected = json.load(open(sys.argv[1]))['rejected_injected']
print(injected)
assert sum(injected.values()) > int(sys.argv[2]) * 0.04 and len(injected) >= 12
END
expect_exact malformed uds

# Bytes that no text can show, under a name of their own.
"$tests/send.py" dgram "$uds" 'bad\xff\x00\x1b"\\|c' || fail 'send.py'
shown() {
	ctl --json rejects >"$work/rejects.json" && grep -q xff "$work/rejects.json"
}
wait_until 5 'the last bad line is among the rejects' shown
python3 - "$work/rejects.json" <<'END' || fail 'rejects'
import json, sys
rejects = json.load(open(sys.argv[1], encoding='utf-8'))['rejects']
assert len(rejects) > 10, f'only {len(rejects)} rejects are kept'
for reject in rejects:
    assert reject['reason'] and reject['listener'] == 'uds', reject
    assert all(' ' <= c <= '~' for c in reject['line']), f'not printable: {reject["line"]!r}'
newest = rejects[0]
assert newest['reason'] == 'no_colon', newest
assert newest['line'].startswith(r'bad\xff\x00\x1b'), newest
assert newest['size'] == 10, newest
END
ctl rejects >"$work/rejects.txt" || fail "penstockctl rejects ended with $?"
grep -Pq '[^\x20-\x7e\n\t]' "$work/rejects.txt" && fail 'penstockctl rejects printed a raw byte'
grep -q no_colon "$work/rejects.txt" || fail 'penstockctl rejects does not name the reason'
stop_daemon
