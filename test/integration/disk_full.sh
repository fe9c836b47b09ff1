#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# A full disk: what could not be written is counted, the file stays whole lines, and once there is
# room again everything is written again.
#
#   penstock-load --dgram.sock--> penstockd --> tmpfs of 2 MiB, with and without ballast
if [ -z "${PENSTOCK_OWN_MOUNTS:-}" ]; then
	if ! unshare --mount true 2>/dev/null; then
		echo 'SKIP: needs root for a mount namespace of its own'
		exit 77
	fi
	PENSTOCK_OWN_MOUNTS=1 exec unshare --mount "$0"
fi
. "$(dirname "$0")/lib.sh"

disk=$work/disk
mkdir "$disk"
at_end() { umount "$disk"; }
mount -t tmpfs -o size=2m tmpfs "$disk" || {
	at_end() { :; }
	skip 'cannot mount a tmpfs'
}
output=$disk/out.ndjson
configure
start_daemon

send_load small "uds:$uds" --lines 2000 --contexts 2000
wait_for_arrival small
flush
expect ledger "$work/ledger.json" outputs.file.dropped.write_error=0
before=$(wc -l <"$output")

dd if=/dev/zero of="$disk/ballast" bs=64k 2>/dev/null
[ "$(df --output=avail "$disk" | tail -n 1)" -eq 0 ] || fail 'the disk is not full'
send_load full "uds:$uds" --lines 4000 --contexts 4000
wait_until 10 'the second load arrived' grep -q . "$work/full.json"
flush
python3 - "$work/ledger.json" "$output" "$before" <<'END' || fail 'full disk'
import json, sys
ledger = json.load(open(sys.argv[1]))
counts, rows = ledger['outputs']['file'], open(sys.argv[2]).read()
assert ledger['difference'] == 0, ledger['difference']
assert counts['dropped']['write_error'] > 0, f'nothing counted as write_error: {counts}'
assert counts['queued'] == 0, counts
assert rows.endswith('\n'), 'the file ends inside a line'
for row in rows.splitlines():
    json.loads(row)
assert rows.count('\n') == counts['delivered'], \
    f'{rows.count(chr(10))} rows in the file, {counts["delivered"]} counted as delivered'
print(counts)
END
dropped=$(grep -o '"write_error": *[0-9]*' "$work/ledger.json" | grep -o '[0-9]*$')

rm "$disk/ballast"
"$tests/send.py" dgram "$uds" 'disk.free:5|c' || fail 'send.py'
flush
expect rows "$output" disk.free=5
expect ledger "$work/ledger.json" "outputs.file.dropped.write_error=$dropped" difference=0
[ "$(grep -c "$output" "$log")" -le 5 ] || fail 'the log tells of the full disk again and again'
stop_daemon
