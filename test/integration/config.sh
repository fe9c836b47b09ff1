#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# What penstockd says before it starts: a configuration that is wrong ends with 78 and names file,
# line and column; a resource that is missing ends with 69 and names it; --check and --print-config
# touch nothing.
#
#   penstock.yaml --> penstockd --> exit code, one sentence
. "$(dirname "$0")/lib.sh"

# run CODE PATTERN ARGUMENT...: penstockd ends with CODE within 20 s; stderr or stdout has PATTERN.
run() {
	local code=$1 pattern=$2 said status
	shift 2
	said=$(timeout 20 "$PENSTOCKD" "$@" 2>&1)
	status=$?
	[ $status -eq "$code" ] ||
		fail "penstockd $*: expected exit code $code, got $status; it said:"$'\n'"$said"
	grep -Eq -- "$pattern" <<<"$said" ||
		fail "penstockd $*: expected '$pattern' in what it said:"$'\n'"$said"
}

# refuses CODE PATTERN LINE...: the same for a configuration of these lines.
refuses() {
	local code=$1 pattern=$2
	shift 2
	printf '%s\n' "$@" >"$work/bad.yaml"
	run "$code" "$pattern" -c "$work/bad.yaml"
}

# Wrong: where, and what
refuses 78 'bad\.yaml:3:' 'hostname: x' 'tags: [a:b' 'dogstatsd_port: 1'
refuses 78 'bad\.yaml:2:3: .*worker.*workers' 'penstock:' '  worker: 1'
refuses 78 'bad\.yaml:3:.*path' 'penstock:' '  outputs:' '    - {type: file, pth: /tmp/x}'
refuses 78 'bad\.yaml:2:[0-9]+: .*dogstatsd_port' 'hostname: x' 'dogstatsd_port: 70000'
refuses 78 'bad\.yaml:1:[0-9]+: .*aggregate_window_duration_seconds' \
	'aggregate_window_duration_seconds: 0'
refuses 78 'bad\.yaml:2:[0-9]+: .*idle' 'penstock:' '  idle: snooze'
refuses 78 'bad\.yaml:1:1' '- a list'
refuses 78 'twice|again|duplicate' 'hostname: a' 'hostname: b'
refuses 78 'bad\.yaml:[0-9]+:[0-9]+' 'penstock:' '  outputs: [{type: carrier_pigeon}]'
run 78 'no-such-file' -c "$work/no-such-file.yaml"
run 64 'usage' --no-such-option
run 0 '[0-9]+\.[0-9]+' --version

# The environment is named when it is what is wrong.
export DD_DOGSTATSD_PORT=zero
refuses 78 'DD_DOGSTATSD_PORT' 'hostname: x'
unset DD_DOGSTATSD_PORT

# Missing: what
quiet=("dogstatsd_port: 0" "dogstatsd_socket: $uds" 'penstock:' '  hugepages: off'
	"  admin: {socket: $admin, http: \"\"}")
refuses 69 "$work/none" "${quiet[@]}" "  outputs: [{type: file, path: $work/none/out}]"
mkdir "$work/folder"
refuses 69 "$work/folder" "${quiet[@]}" "  outputs: [{type: file, path: $work/folder}]"
port=("${quiet[@]/port: 0/port: __random__}" "  outputs: [{type: 'null'}]")
refuses 78 'net_nonsense0' "${port[@]}" '  ports: [{device: net_nonsense0}]'
refuses 69 '0000:fe:1f\.7' "${port[@]}" '  ports: [{device: "0000:fe:1f.7"}]'
refuses 69 'nosuchif' "${port[@]}" '  ports: [{device: "net_af_packet0,iface=nosuchif"}]'
rm -rf "$work/folder"
if [ "$(id -u)" -eq 0 ]; then # a folder that root may write in and nobody can make one in
	XDG_RUNTIME_DIR=/proc run 69 '/proc/penstock'
fi

# A limit that DPDK would panic over
printf '%s\n' "${port[@]}" >"$work/small.yaml"
said=$(ulimit -n 8 && exec timeout 20 "$PENSTOCKD" -c "$work/small.yaml" 2>&1)
expect_equal 'the exit code with 8 files' 69 $?
grep -q 'may open 8 files, but needs' <<<"$said" || fail "with 8 files it says: $said"

configure
start_daemon
refuses 69 "$udp_port" "dogstatsd_port: $udp_port" 'dogstatsd_socket: ""' 'penstock:' \
	'  hugepages: off' "  admin: {socket: $work/other.sock, http: \"\"}" \
	"  outputs: [{type: 'null'}]"
refuses 69 "$uds" "dogstatsd_port: 0" "dogstatsd_socket: $uds" 'penstock:' '  hugepages: off' \
	"  admin: {socket: $work/other.sock, http: \"\"}" "  outputs: [{type: 'null'}]"
refuses 69 "another process .* $output" "dogstatsd_port: 0" "dogstatsd_socket: $work/own.sock" \
	'penstock:' '  hugepages: off' "  admin: {socket: $work/other.sock, http: \"\"}" \
	"  outputs: [{type: file, path: $output}]"
refuses 69 "$admin" "dogstatsd_port: 0" "dogstatsd_socket: $work/own.sock" 'penstock:' \
	'  hugepages: off' "  admin: {socket: $admin, http: \"\"}" "  outputs: [{type: 'null'}]"
stop_daemon

# An Agent's key that we do not have is a warning; the plan follows.
rm -rf "${work:?}"/*
printf '%s\n' 'dogstatsd_stats_port: 5' 'hostname: planned' "dogstatsd_socket: $uds" 'penstock:' \
	'  ports: [{device: "net_null0"}]' '  hugepages: off' \
	"  outputs: [{type: file, path: $output}]" >"$config"
run 0 'dogstatsd_stats_port' -c "$config" --check
plan=$("$PENSTOCKD" -c "$config" --check 2>/dev/null) || fail "--check ended with $?"
for word in planned "$uds" net_null0 "$output" worker; do
	grep -Fq -- "$word" <<<"$plan" || fail "--check does not say '$word':"$'\n'"$plan"
done
expect_equal 'what --check left in the folder' "$config" "$(find "$work" -type f -o -type s)"

# What --print-config prints gives the same configuration again.
"$PENSTOCKD" -c "$config" --print-config >"$work/first.yaml" 2>/dev/null || fail '--print-config'
"$PENSTOCKD" -c "$work/first.yaml" --print-config >"$work/second.yaml" 2>"$work/warnings" ||
	fail "--print-config of its own output: $(cat "$work/warnings")"
grep -v '^#' "$work/first.yaml" >"$work/first" && grep -v '^#' "$work/second.yaml" >"$work/second"
cmp "$work/first" "$work/second" || fail "$(diff "$work/first" "$work/second")"
grep -q 'planned' "$work/first" || fail '--print-config does not print what was configured'
