#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# A reload takes a changed file as a whole or not at all, loses nothing under load, and says by name
# what would need a restart.
#
#   penstock.yaml, edited --SIGHUP, penstockctl reload--> penstockd <--dgram.sock-- penstock-load
. "$(dirname "$0")/lib.sh"

generation() {
	ctl --json status | python3 -c 'import json, sys; print(json.load(sys.stdin)["config_generation"])'
}
is_generation() {
	[ "$(generation)" = "$1" ]
}
write() { # LINE...: the configuration, with these lines below "penstock:"
	own=$(printf '%s\n' "$@")
	top="dogstatsd_port: 0"$'\n'"${extra:-}" configure "$interval"
}
refuses() { # PATTERN
	local said before
	before=$(generation)
	said=$(ctl reload 2>&1)
	expect_equal 'the exit code of a refused reload' 1 $?
	grep -Eq -- "$1" <<<"$said" || fail "a refused reload should say '$1', not: $said"
	expect_equal 'the generation after a refused reload' "$before" "$(generation)"
	grep -Eq "warning reload refused, the old configuration stays: .*$1" "$log" ||
		fail "the log does not say '$1'"
}

interval=$(one_bucket)
write 'max_contexts: 1000000'
start_daemon
expect_equal 'the generation after the start' 1 "$(generation)"

# Under load: limits change all the time, and are never reached.
send_load busy "uds:$uds" --seconds 6 --rate $((60000 / share)) --contexts 2000 --timeout 10000 \
	--tags 4 --packed 0.2 --sampled 0.2 --timestamped 0.05 --events 0.01 --malformed 0.01 &
sender=$!
children=("$sender")
expected=1
until has_ended "$sender"; do
	write "max_contexts: $((1000000 + expected))" "stop_timeout: $((10 + expected % 5))"
	if ((expected % 2)); then
		must 'reload' ctl reload
	else
		kill -HUP "$daemon"
	fi
	expected=$((expected + 1))
	wait_until 10 "the generation is $expected" is_generation "$expected"
	extra="dogstatsd_buffer_size: 9000" write 'max_contexts: 5'
	refuses 'dogstatsd_buffer_size has changed from 8192 to 9000: that needs a restart'
done
wait "$sender" || fail 'the sender failed'
children=()
[ "$expected" -ge 3 ] || fail "only $expected reloads while the load ran"
expect_exact busy uds
expect ledger "$work/ledger.json" difference=0 lines.dropped.context_limit=0
echo "$((expected - 1)) reloads and as many refused under load"

# A file that is not changed counts too; one that cannot be read does not.
write "max_contexts: $((1000000 + expected))"
must 'reload' ctl reload
must 'reload' ctl reload
expect_equal 'the generation' $((expected + 2)) "$(generation)"
grep -q "info reloaded $config: nothing has changed" "$log" || fail 'the log does not say it'
write 'max_contexts: many'
refuses 'penstock\.yaml:[0-9]+:[0-9]+: .*max_contexts'
write 'max_context: 1'
refuses 'penstock\.yaml:[0-9]+:3: .*max_contexts'
mv "$config" "$config.away"
refuses 'penstock\.yaml'
mv "$config.away" "$config"

# What needs a restart is named, all of it.
write 'outputs: [{type: "null"}]' 'idle: pause'
refuses 'idle has changed from sleep to pause, penstock: outputs\[0\]: type has changed from'
extra="dogstatsd_stream_socket: $work/other.sock" write
refuses 'dogstatsd_stream_socket has changed from .*stream\.sock" to ".*other\.sock"'

# The limits hold from then on, and go again.
write 'max_contexts: 1'
must 'reload' ctl reload
"$tests/send.py" dgram "$uds" 'limit.a:1|c\nlimit.b:1|c' || fail 'send.py'
dropped() {
	read_ledger && "$tests/expect.py" ledger "$work/ledger.json" "lines.dropped.context_limit=$1"
}
wait_until 10 'two lines were dropped at the limit' dropped 2
extra='histogram_aggregates: [sum]'$'\n''histogram_percentiles: []' \
	write 'max_contexts: 1000000' 'zero_fill: false'
must 'reload' ctl reload
rm "$output"
"$tests/send.py" dgram "$uds" 'limit.a:1|c\nlimit.b:1|c\nlimit.h:3:4|h' || fail 'send.py'
flush
expect ledger "$work/ledger.json" lines.dropped.context_limit=2 difference=0
expect_equal 'the rows of the next flush' \
	'limit.a limit.b limit.h.sum' \
	"$(python3 -c '
import json, sys
print(*sorted(json.loads(row)["name"] for row in open(sys.argv[1])))' "$output")"
stop_daemon
