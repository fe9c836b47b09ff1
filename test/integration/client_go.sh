#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# A client that is not ours: what the official Go client (Debian's package) is asked to send comes
# out, over UDP and over a Unix datagram socket.
#
#   client_go (datadog-go) --loopback--> penstockd --> file == the client's calls
#             '--------------dgram.sock--'
. "$(dirname "$0")/lib.sh"

gopath=/usr/share/gocode
[ -d $gopath/src/github.com/DataDog/datadog-go/statsd ] ||
	skip 'golang-github-datadog-datadog-go-dev is missing (scripts/install-deps test)'
go=''
for candidate in /usr/lib/go-*/bin/go /usr/bin/go; do
	[ -x "$candidate" ] && go=$candidate && break
done
[ -n "$go" ] || skip 'golang-go is missing (scripts/install-deps test)'

# Nothing is fetched: the client's source is the package's.
cp "$tests/client_go/main.go" "$work/main.go"
(cd "$work" && env GOPATH=$gopath GO111MODULE=off GOFLAGS='' GOTOOLCHAIN=local CGO_ENABLED=0 \
	GOCACHE="$work/go-cache" HOME="$work" "$go" build -o client_go main.go) >"$work/go.log" 2>&1 ||
	fail "go build: $(cat "$work/go.log")"

for address in udp unix; do
	rm -f "$output"
	configure
	start_daemon
	[ $address = udp ] && address=127.0.0.1:$udp_port || address=unix://$uds
	"$work/client_go" "$address" "$work/lines" >"$work/expected.ndjson" ||
		fail "the client with $address"
	lines=$(cat "$work/lines")
	all_in() {
		read_ledger && "$tests/expect.py" ledger "$work/ledger.json" "lines.received=$lines"
	}
	wait_until 10 "$lines lines arrive" all_in
	flush
	expect ledger "$work/ledger.json" "lines.received=$lines" difference=0 \
		lines.events=1 lines.service_checks=1 lines.passed=2 "lines.aggregated=$((lines - 2))"
	expect contains "$work/expected.ndjson" "$output"
	stop_daemon
	echo "$address: $lines lines, $(wc -l <"$work/expected.ndjson") expectations"
done
