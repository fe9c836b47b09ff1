#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# A client that is not ours: what npm's hot-shots is asked to send comes out, over UDP and as
# length-prefixed frames over a Unix stream socket; over a Unix datagram socket where its native
# module can be built.
#
#   hot-shots (node) --loopback-----> penstockd --> file == the client's calls
#                    --stream.sock--'
. "$(dirname "$0")/../../integration/lib.sh"

command -v node >/dev/null && command -v npm >/dev/null || skip 'node and npm are missing'
version=17.1.1
npm install --silent --no-audit --no-fund --prefix "$work/node" "hot-shots@$version" \
	>"$work/npm.log" 2>&1 || skip "npm cannot install hot-shots: $(tail -n 1 "$work/npm.log")"
ways=(udp stream)
if [ -e "$work/node/node_modules/unix-dgram/build/Release/unix_dgram.node" ]; then
	ways+=(uds)
else
	echo 'unix-dgram was not built: no Unix datagrams'
fi

for way in "${ways[@]}"; do
	rm -f "$output"
	configure
	start_daemon
	case $way in
	udp) to=$udp_port ;;
	stream) to=$uds_stream ;;
	uds) to=$uds ;;
	esac
	NODE_PATH=$work/node/node_modules node "$root/test/extended/hot_shots/send.js" $way "$to" \
		"$work/lines" >"$work/expected.ndjson" || fail "hot-shots over $way"
	lines=$(cat "$work/lines")
	all_in() {
		read_ledger && "$tests/expect.py" ledger "$work/ledger.json" "lines.received=$lines"
	}
	wait_until 10 "$lines lines arrive" all_in
	flush
	expect ledger "$work/ledger.json" difference=0 lines.events=1 lines.service_checks=1 \
		lines.passed=2 "lines.aggregated=$((lines - 2))"
	expect contains "$work/expected.ndjson" "$output"
	stop_daemon
	echo "$way: $lines lines, $(wc -l <"$work/expected.ndjson") expectations"
done
