#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# An exception port gives the kernel what is not for the port: ping and TCP reach an address on a
# tap through it, while the port answers for its own address and takes datagrams.
#
#   peer's namespace                   this test's namespace          inner namespace
#   kernel ── pen0 10.79.0.1 ══ veth ══ pen1 ── net_af_packet
#                                                │ penstockd 10.79.0.10
#                                               net_tap ───────────── penx 10.79.0.20 ── kernel
#
# The kernel hears what arrives at pen1 as well, so the tap is moved to where pen1 is not.
. "$(dirname "$0")/netns.sh"
. "$(dirname "$0")/lib.sh"
neighbour=$tests/neighbour.py

[ -c /dev/net/tun ] || skip 'no /dev/net/tun'
has_namespace() { ! [ "/proc/$1/ns/net" -ef /proc/self/ns/net ]; }
for side in peer inner; do
	unshare --net sleep 600 &
	declare $side=$!
	children+=($!)
	wait_until 5 "the $side has a namespace" has_namespace $!
done
at_peer() { nsenter --net=/proc/$peer/ns/net "$@"; }
inside() { nsenter --net=/proc/$inner/ns/net "$@"; }
ip link add pen1 type veth peer name pen0 netns $peer || skip 'no veth devices'
echo 1 >/proc/sys/net/ipv6/conf/pen1/disable_ipv6
ip link set pen1 up
at_peer ip address add 10.79.0.1/24 dev pen0
at_peer ip address add 2001:db8:79::1/64 dev pen0 nodad
at_peer ip link set pen0 up
# Frames out of this kernel have no checksums, and none like a NIC fills them in.
must 'checksums' at_peer "$neighbour" checksums pen0

start() { # ADDRESSES
	top='dogstatsd_port: 8125'
	own="ports: [{name: port0, device: \"net_af_packet0,iface=pen1\", addresses: [$1],
	    exception: \"net_tap0,iface=penx\"}]"
	configure
	start_daemon
	expect_equal 'the MAC of the tap' "$(cat /sys/class/net/pen1/address)" \
		"$(cat /sys/class/net/penx/address)"
	must 'a move' ip link set penx netns $inner
	must 'an address' inside ip address add 10.79.0.20/24 dev penx
	must 'an address' inside ip address add 2001:db8:79::20/64 dev penx nodad
	must 'link up' inside ip link set penx up
}
frames() { # NAME: its count
	read_ledger
	python3 -c '
import json, sys
frames = json.load(open(sys.argv[1]))["frames"]
print({**frames, **frames["dropped"]}[sys.argv[2]])' "$work/ledger.json" "$1"
}
talk() {
	local full
	full=$(frames exception_full) # while the tap was on its way
	must 'ping' at_peer "$neighbour" ping 10.79.0.20 4
	must 'ping6' at_peer "$neighbour" ping 2001:db8:79::20 4
	must 'ping from the kernel' inside "$neighbour" ping 10.79.0.1 4
	for address in 10.79.0.20 2001:db8:79::20; do
		: >"$work/serve"
		inside "$neighbour" serve $address 5001 >"$work/serve" &
		children+=($!)
		wait_until 5 'somebody serves' grep -q serving "$work/serve"
		must 'TCP' at_peer "$neighbour" fetch $address 5001 1000000
	done
	sleep 0.3
	expect_equal 'frames that the kernel did not take' "$full" "$(frames exception_full)"
}

# The port's own address is the port's, everything else the kernel's.
start '10.79.0.10/24'
is_held() { grep -q '10.79.0.10 is nobody else' "$log"; }
wait_until 10 '10.79.0.10 is held' is_held
must 'ping of the port' at_peer "$neighbour" ping 10.79.0.10 4
talk
expect ledger "$work/ledger.json" 'difference=0'
[ "$(frames answered)" -ge 5 ] || fail 'the port did not answer'
[ "$(frames exception)" -ge 200 ] || fail 'the kernel got too little'
at_peer "$PENSTOCK_LOAD" --to udp:10.79.0.10:8125 \
	--host "$hostname" --sums "$work/load.sums" --lines 2000 --rate 20000 >"$work/load.json" ||
	fail 'penstock-load failed'
expect_exact load port0
stop_daemon
! inside ip link show penx >/dev/null 2>&1 || fail 'the tap is still there after the end'

# Without addresses the port answers nothing: the kernel does.
rm -f "$output"
start ''
talk
expect ledger "$work/ledger.json" 'difference=0' 'frames.answered=0'
stop_daemon
