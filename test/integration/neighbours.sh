#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# A port with addresses is a good neighbour: the kernel finds it by ARP and neighbour discovery and
# pings it, it asks before it takes an address and announces it, leaves an address alone that
# somebody else has, keeps tags, and answers floods at a bounded rate. The other side is the kernel.
#
#   kernel ── pen0 10.78.0.1, 2001:db8:78::1 ══ veth ══ pen1 ── net_af_packet ── penstockd
#   10.78.0.10, 2001:db8:78::10 are the port's; 10.78.0.9 and 2001:db8:78::9 are pen0's, and the
#   port wants them too
. "$(dirname "$0")/netns.sh"
. "$(dirname "$0")/lib.sh"
neighbour=$tests/neighbour.py

ip link add pen0 type veth peer name pen1 || skip 'no veth devices'
for address in 10.78.0.1/24 10.78.0.9/24 2001:db8:78::1/64 2001:db8:78::9/64; do
	case $address in *:*) nodad=nodad ;; *) nodad='' ;; esac
	must 'an address' ip address add $address dev pen0 $nodad
done
echo 1 >/proc/sys/net/ipv6/conf/pen1/disable_ipv6
ip link set pen0 up
ip link set pen1 up
port_mac=$(cat /sys/class/net/pen1/address)

"$neighbour" listen pen0 9 >"$work/heard" &
children+=($!)
wait_until 5 'somebody listens' grep -q listening "$work/heard"
top='dogstatsd_port: 8125'
own='ports: [{name: port0, device: "net_af_packet0,iface=pen1",
    addresses: [10.78.0.10/24, 10.78.0.9/24, "2001:db8:78::10/64", "2001:db8:78::9/64"],
    gateway: [10.78.0.1, "2001:db8:78::1"]}]'
configure
start_daemon

# While it asks for its addresses it has none.
says() { grep -q "$1" "$log"; }
wait_until 10 '10.78.0.10 is held' says '10.78.0.10 is nobody else'
wait_until 10 '2001:db8:78::10 is held' says '2001:db8:78::10 is nobody else'
for taken in 10.78.0.9 2001:db8:78::9; do
	wait_until 10 "the conflict over $taken is noticed" says "$taken is in use by"
	expect_equal "how often the log says it of $taken" 1 \
		"$(grep -c " $taken is in use by $(cat /sys/class/net/pen0/address) " "$log")"
done

# What it sent meanwhile: three probes and two announcements (RFC 5227), one solicitation (RFC
# 4862) and two advertisements; for the lost address nothing after the answer to the first probe.
count() { grep -c "^$1\$" "$work/heard"; }
announced() { [ "$(count 'arp 10.78.0.10 10.78.0.10')" -ge 2 ]; }
wait_until 10 'it was announced twice' announced
expect_equal 'ARP probes' 3 "$(count 'arp 0.0.0.0 10.78.0.10')"
expect_equal 'ARP announcements' 2 "$(count 'arp 10.78.0.10 10.78.0.10')"
expect_equal 'ARP probes for the lost address' 1 "$(count 'arp 0.0.0.0 10.78.0.9')"
expect_equal 'announcements of the lost address' 0 "$(count 'arp 10.78.0.9 .*')"
expect_equal 'IPv6 probes' 1 "$(count 'ns :: 2001:db8:78::10')"
expect_equal 'advertisements' 2 "$(count 'na 2001:db8:78::10 2001:db8:78::10 ff02::1')"
expect_equal 'advertisements of the lost address' 0 "$(count 'na 2001:db8:78::9 .*')"
[ "$(count 'arp 10.78.0.10 10.78.0.1')" -ge 1 ] || fail 'it did not ask for its gateway'
[ "$(count 'ns 2001:db8:78::10 2001:db8:78::1')" -ge 1 ] || fail 'it did not ask for its gateway6'

# The kernel finds it and pings it; its table shows the port's MAC.
ip neighbour flush dev pen0
must 'ping' "$neighbour" ping 10.78.0.10 8
must 'ping6' "$neighbour" ping 2001:db8:78::10 8
for address in 10.78.0.10 2001:db8:78::10; do
	ip neighbour show $address | grep -q "lladdr $port_mac" ||
		fail "the kernel has another MAC for $address: $(ip neighbour show $address)"
done

# From another network, through the gateway.
must 'an address' ip address add 198.51.100.7/32 dev lo
must 'an address' ip route replace 10.78.0.10/32 dev pen0 src 198.51.100.7
must 'ping from another network' "$neighbour" ping 10.78.0.10
ip route del 10.78.0.10/32

must 'tagged frames' "$neighbour" tagged pen0 "$port_mac" 10.78.0.1 10.78.0.10

# 1000 a second and 100 at once, whatever the rate; and the port still answers ARP.
answered=$("$neighbour" flood pen0 "$port_mac" 10.78.0.1 10.78.0.10 3)
[ "$answered" -ge 500 ] || fail "only $answered of a flood were answered in 3 s"
[ "$answered" -le 3700 ] || fail "$answered of a flood were answered in 3 s"
ip neighbour flush dev pen0
sleep 0.2
must 'ping after the flood' "$neighbour" ping 10.78.0.10

# It takes datagrams as before.
send_load load udp:10.78.0.10:8125 --lines 2000 --rate 20000
expect_exact load port0
expect ledger "$work/ledger.json" 'difference=0'
python3 - "$work/ledger.json" <<-'END' || fail 'the ledger lacks a count'
	import json, sys
	frames = json.load(open(sys.argv[1]))['frames']
	for name in 'answer_limit', 'address_conflict', 'not_asked':
	    assert frames['dropped'][name] > 0, name
	assert frames['answered'] > 500
END

# Somebody takes the address later: it is left to him, and datagrams still come in.
must 'dispute' "$neighbour" dispute pen0 10.78.0.10
wait_until 5 'the conflict is noticed' says '10.78.0.10 is in use by 02:00:00:00:00:99'
if "$neighbour" ping 10.78.0.10 1 2>/dev/null; then
	fail 'an address in conflict was answered for'
fi
must 'ping6' "$neighbour" ping 2001:db8:78::10
read_ledger
expect ledger "$work/ledger.json" 'difference=0'
stop_daemon
