#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Buckets come out once each, within a second of their end, also when flushes cut them: no two parts
# have the same time, and their intervals and sums add up. Buckets of one second, which a cut can
# only end early, and of four, which it divides.
#
#   sender, 8 s --dgram.sock--> penstockd --> file <-- reader that notes when each line comes
#   penstockctl flush, now and then --'
. "$(dirname "$0")/lib.sh"

send_and_watch() { # writes what was sent, and each row with the time it came
	python3 - "$uds" "$output" "$PENSTOCKCTL" "$admin" <<'END'
import json, socket, subprocess, sys, threading, time
uds, output, ctl, admin = sys.argv[1:]
sent, lines, stop = 0, [], time.time() + 8
done = threading.Event()

def read():
    with open(output, encoding='utf-8') as file:
        rest = ''
        while True:
            is_last = done.is_set()
            for piece in file.readlines():
                rest += piece
                if rest.endswith('\n'):
                    lines.append((time.time(), json.loads(rest)))
                    rest = ''
            if is_last:
                return
            time.sleep(0.01)

reader = threading.Thread(target=read)
reader.start()
sender = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
sender.connect(uds)
begin, cuts = time.time(), [2.3, 3.5, 3.6, 3.7, 5.9, 6.95]
while time.time() < stop:
    sender.send(b'bucket.sum:1|c')
    sent += 1
    time.sleep(0.002)
    if cuts and time.time() - begin > cuts[0]:
        cuts.pop(0)
        subprocess.run([ctl, '-s', admin, 'flush'], check=True, stdout=subprocess.DEVNULL)
subprocess.run([ctl, '-s', admin, 'flush'], check=True, stdout=subprocess.DEVNULL)
done.set()
reader.join()
json.dump({'sent': sent, 'lines': lines}, sys.stdout)
END
}

look() { # INTERVAL
	python3 - "$work/seen.json" "$1" <<'END'
import json, sys
seen, interval = json.load(open(sys.argv[1])), int(sys.argv[2])
parts = [(came, row) for came, row in seen['lines'] if row['name'] == 'bucket.sum']
rows = [row for _, row in parts]
times = [row['ts'] for row in rows]
print('parts (ts+interval=value):',
      ' '.join(f'{r["ts"] % 1000}+{r["interval"]}={r["value"]:g}' for r in rows))
assert sum(row['value'] for row in rows) == seen['sent'], \
    f'expected a sum of {seen["sent"]}, got {sum(row["value"] for row in rows)}'
assert len(rows) >= (8 if interval == 1 else 6), f'expected more parts than {len(rows)}'
assert len(set(times)) == len(times), f'two parts have one time: {times}'
assert times == sorted(times), f'parts out of order: {times}'
for row, following in zip(rows, rows[1:]):
    assert row['interval'] >= 1, f'interval below 1: {row}'
    assert row['ts'] + row['interval'] == following['ts'], \
        f'{row} does not end where {following} begins'
for came, row in parts:
    end = row['ts'] + row['interval']
    # A cut's part ends in the second of the cut, which may be nearly over.
    limit = 1 if end % interval == 0 else 2
    assert came - end <= limit, f'{came - end:.3f} s after its end: {row}'
END
}

for interval in 1 4; do
	rm -f "$output"
	configure $interval
	start_daemon
	send_and_watch >"$work/seen.json" || fail 'the sender'
	stop_daemon
	look $interval || fail "buckets of $interval s"
done
