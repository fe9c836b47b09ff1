#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# A file that may not grow any more (ulimit -f) is a write that fails: penstockd goes on, counts
# what it could not write, and the file stays whole lines.
#
#   penstock-load --dgram.sock--> penstockd --> a file of at most 64 KiB
. "$(dirname "$0")/lib.sh"

program=$PENSTOCKD
cat >"$work/limited" <<END
#!/usr/bin/env bash
ulimit -f 64
exec "$program" "\$@"
END
chmod +x "$work/limited"
PENSTOCKD=$work/limited
configure
start_daemon

send_load limited "uds:$uds" --lines 2000 --contexts 2000
wait_for_arrival limited
flush
python3 - "$work/ledger.json" "$output" <<'END' || fail 'limited file'
import json, os, sys
ledger = json.load(open(sys.argv[1]))
counts, rows = ledger['outputs']['file'], open(sys.argv[2]).read()
assert ledger['difference'] == 0, ledger['difference']
assert counts['dropped']['write_error'] > 0, f'nothing counted as write_error: {counts}'
assert counts['delivered'] + counts['dropped']['write_error'] == counts['points'], counts
assert rows.endswith('\n'), 'the file ends inside a line'
assert os.path.getsize(sys.argv[2]) <= 64 << 10
assert rows.count('\n') == counts['delivered'], f'{counts}, rows: {rows.count(chr(10))}'
for row in rows.splitlines():
    json.loads(row)
print(counts)
END
grep -q 'File too large' "$log" || fail 'the log does not say why'
stop_daemon
