#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Outputs that take nothing do not hold up the stop: penstockd ends with 0 within stop_timeout, and
# says for each output how much it gave up. A penstockctl flush under way does not hold it up either.
#
#   penstock-load --dgram.sock--> penstockd --> fifo1, fifo2, held open and never read
#                                           \-> file
. "$(dirname "$0")/lib.sh"

stop_timeout=2
contexts=20000
mkfifo "$work/fifo1" "$work/fifo2"
exec 3<>"$work/fifo1" 4<>"$work/fifo2"
own="stop_timeout: $stop_timeout
outputs: [{type: file, name: stuck1, path: $work/fifo1}, {type: file, path: $output},
  {type: file, name: stuck2, path: $work/fifo2}]"

now_ms() {
	date +%s%3N
}

stop_in_time() {
	local began took
	began=$(now_ms)
	stop_daemon $((stop_timeout + 4))
	took=$(($(now_ms) - began))
	[ $took -le $((stop_timeout * 1000 + 1000)) ] ||
		fail "with stop_timeout $stop_timeout s the stop took $took ms"
	for name in stuck1 stuck2; do
		grep -Eq "stop_timeout was too short: [1-9][0-9]* points .* output $name\$" "$log" ||
			fail "the log does not say what $name gave up"
	done
	grep -q 'stop_timeout .* output file' "$log" && fail 'the file gave up something, too'
	expect_equal 'the ledger difference in the last line of the log' 0 \
		"$(grep -o 'ledger difference.*' "$log" | tail -n 1 | grep -o '[0-9]*')"
	echo "stopped in $took ms"
}

configure
start_daemon
send_load one "uds:$uds" --contexts $contexts --lines $contexts --types c=1
wait_for_arrival one
stop_in_time
must 'sums of one' "$root/scripts/compare-sums" "$work/one.sums" "$output"

# The outputs are stuck before the stop begins, and a flush waits for them.
rm -f "$output" "$log"
start_daemon
send_load two "uds:$uds" --contexts $contexts --lines $contexts --types c=1
wait_for_arrival two
ctl flush >"$work/flush.out" 2>&1 &
flusher=$!
sleep 0.5
has_ended $flusher && fail "penstockctl flush waited for no output: $(cat "$work/flush.out")"
stop_in_time
wait_until 5 'penstockctl flush has ended' has_ended $flusher
