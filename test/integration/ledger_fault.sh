#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The ledger can fail: with one increment of a counter left out, it shows a difference and
# "penstockctl ledger" ends with 1. Done for every counter that this test's traffic touches; without
# a fault, the same traffic balances at every moment.
#
#   faults.py --loopback, dgram.sock, stream.sock--> penstockd, PENSTOCK_LEDGER_FAULT=COUNTER
#   frames.pcap --net_pcap0 (port0)------------------'
. "$(dirname "$0")/lib.sh"

[ "${PENSTOCK_LEDGER_FAULT_BUILT:-false}" = true ] || skip 'the build has no -Dledger_fault=true'

port=$(free_port)
top="dogstatsd_port: $port
dogstatsd_buffer_size: 1024
dogstatsd_so_rcvbuf: 4608
dogstatsd_eol_required: [udp]"
own="max_contexts: 20
max_context_bytes: 1MiB
ports: [{name: port0, addresses: [198.18.0.2/24], allow: [198.18.0.0/24],
  checksum: verify, device: \"net_pcap0,rx_pcap=$work/frames.pcap\"}]"
"$tests/faults.py" frames "$port" "$work/frames.pcap" || fail 'faults.py frames'
configure
traffic() {
	must 'traffic' "$tests/faults.py" send "$port" "$uds" "$uds_stream" "$daemon"
}
counters() { # those of the ledger's sums that are not 0
	"$tests/faults.py" counters "$root/lib/stats/stats.def" "$work/ledger.json"
}

start_daemon
traffic
# The last things to come are the kernel's own count, once a second, and what waits for 2 s.
complete() {
	read_ledger || fail "without a fault, penstockctl ledger ended with $?: $(cat "$work/ledger.json")"
	counters >"$work/counters"
	grep -q datagrams.dropped.kernel "$work/counters" &&
		grep -q frames.dropped.fragment_timeout "$work/counters"
}
wait_until 10 'the kernel has counted its drops' complete
expect ledger "$work/ledger.json" difference=0 balanced=true
mapfile -t all < <(counters)
kill_daemon

must_have=(frames.{received,delivered}
	frames.dropped.{too_short,not_ip,bad_ip_header,bad_ip_checksum}
	frames.reassembled frames.dropped.fragment_{duplicate,overlap,limit,timeout,flood}
	frames.dropped.{bad_fragment,not_udp,bad_udp_length,bad_udp_checksum,wrong_address,wrong_port}
	frames.dropped.{source_refused,too_long,bad_extension}
	frames.dropped.{not_asked,address_not_ready,address_conflict,bad_neighbour,bad_echo}
	datagrams.{received,delivered} datagrams.dropped.{frame_too_long,unfinished_length}
	datagrams.dropped.{unfinished_frame,kernel}
	lines.{received,aggregated,passed} lines.dropped.{context_limit,memory_limit,weight_limit}
	lines.rejected.{no_pipe,no_colon,empty_name,empty_value,bad_value,bad_type,bad_rate}
	lines.rejected.{bad_timestamp,bad_event,bad_service_check,nan_or_inf,unsupported_timestamp}
	lines.rejected.{unterminated,truncated}
	samples.{received,aggregated,passed}
	samples.dropped.{nan_or_inf,context_limit,memory_limit,weight_limit})
for counter in "${must_have[@]}"; do
	[[ " ${all[*]} " = *" $counter "* ]] || fail "the traffic does not touch $counter"
done

shows_fault() {
	ctl --json ledger >"$work/ledger.json"
	[ $? -eq 1 ]
}
for counter in "${all[@]}"; do
	start_daemon PENSTOCK_LEDGER_FAULT="$counter"
	traffic
	wait_until 10 "a missing increment of $counter shows" shows_fault
	grep -q '"balanced": *false' "$work/ledger.json" || fail "$counter: $(cat "$work/ledger.json")"
	grep -q '"difference": *[1-9]' "$work/ledger.json" || fail "$counter: $(cat "$work/ledger.json")"
	kill_daemon
done
echo "${#all[@]} counters, each missed when one increment is: ${all[*]}"
echo 'not touched by this traffic:'
"$tests/faults.py" untouched "$root/lib/stats/stats.def" "${all[@]}"
