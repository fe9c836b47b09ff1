#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# penstockctl against a daemon that says what the test wants: what it prints, and how it ends.
#
#   penstockctl -> Unix socket -> python3, which answers each request from the file "reply"
set -u
penstockctl=$1

if ! command -v python3 >/dev/null; then
	echo 'SKIP: python3 is missing (scripts/install-deps check)'
	exit 77
fi

folder=$(mktemp -d)
server=
trap '[ -n "$server" ] && kill "$server"; rm -rf "$folder"' EXIT
export XDG_RUNTIME_DIR=$folder/run PENSTOCK_SOCKET=
mkdir -p "$folder/run/penstock"
failed=0

# expect CODE PATTERN ARGUMENT...: the exit code, and a line of what is printed.
expect() {
	local code=$1 pattern=$2 output status
	shift 2
	output=$("$penstockctl" "$@" 2>&1)
	status=$?
	if [ "$status" != "$code" ] || ! grep -Eq -- "$pattern" <<<"$output"; then
		echo "FAILED: penstockctl $* should end with $code and print '$pattern'; $status:"
		sed 's/^/    /' <<<"$output"
		failed=1
	fi
}

expect 64 '^usage: '
expect 64 '^usage: ' status ledger
expect 64 '^usage: ' --nonsense status
expect 64 "no command 'top'; there are: status ledger rejects flush reload" top
expect 0 '^usage: ' --help
expect 0 '^penstockctl [0-9]' --version
expect 69 "no penstockd answers at $folder/none .*: start it, or name" -s "$folder/none" status
touch "$folder/file"
expect 69 'no penstockd answers' -s "$folder/file" status
if [ ! -e "/tmp/penstock-$(id -u)/admin.sock" ] && [ ! -e /run/penstock/admin.sock ]; then
	expect 69 "^  $folder/run/penstock/admin.sock" status
fi

socket=$folder/run/penstock/admin.sock
python3 - "$socket" "$folder" <<'PYTHON' &
import socket, sys
server = socket.socket(socket.AF_UNIX)
server.bind(sys.argv[1])
server.listen()
while True:
    client, _ = server.accept()
    request = b''
    while not request.endswith(b'\n'):
        request += client.recv(4096)
    open(sys.argv[2] + '/request', 'wb').write(request)
    client.sendall(open(sys.argv[2] + '/reply', 'rb').read())
    client.close()
PYTHON
server=$!
for _ in $(seq 100); do
	[ -S "$socket" ] && break
	sleep 0.1
done
reply() { printf '%s\n' "$1" >"$folder/reply"; }

reply '{"state":"ready","version":"1.2.3","uptime_s":90061,"config_generation":4,"workers":2,
	"contexts":11,"context_bytes":1048576,"context_bytes_max":2097152,
	"listeners":[{"name":"udp","address":"127.0.0.1:8125"}],
	"outputs":[{"name":"file","points":50,"delivered":40,"queued":6,"dropped":4}]}'
expect 0 '^state +ready$' status
expect 0 '^uptime +1 d 01:01:01$' status
expect 0 '^context memory +1\.0 of 2\.0 MiB$' status
expect 0 '^udp +127\.0\.0\.1:8125$' status
expect 0 '^file +50 +40 +6 +4$' -s "$socket" status
expect 0 '^\{"state":"ready"' --json status
grep -qx status "$folder/request" || { echo 'FAILED: the request is not "status"'; failed=1; }
reply '{"state":"draining"}'
expect 1 '^state +draining$' status

reply '{"balanced":true,"difference":0,"epoch":1,"lines":{"received":7,"filtered":0,"aggregated":5,
	"rejected":{"no_pipe":2,"bad_type":0}},
	"outputs":{"file":{"points":5,"delivered":5,"queued":0,"dropped":{"stopped":0}}}}'
expect 0 '^  rejected\.no_pipe +2$' ledger
expect 0 '^output file$' ledger
expect 0 '^balanced:' ledger
if "$penstockctl" ledger | grep -q 'bad_type\|filtered'; then
	echo 'FAILED: the ledger shows rows that are 0'
	failed=1
fi
reply '{"balanced":false,"difference":3}'
expect 1 '^NOT BALANCED: the difference is 3$' ledger
expect 1 '"difference":3' --json ledger

reply '{"rejects":[{"time":"2026-11-30T20:15:00.123Z","reason":"no_pipe","listener":"udp","size":4,
	"line":"a\\x00:1"}]}'
expect 0 '^2026-11-30T20:15:00.123Z  no_pipe +udp +4  a\\x00:1$' rejects
reply '{"flushed":true}'
expect 0 '^flushed' flush
reply '{"error":"penstock.yaml:3:1: the port cannot change"}'
expect 1 '^penstockctl: reload: penstock.yaml:3:1: the port cannot change$' reload
reply 'HTTP/1.1 400 Bad Request'
expect 69 'this is no reply of penstockd: HTTP/1.1 400' status

[ $failed = 0 ] && echo 'penstockctl prints and ends as documented'
exit $failed
