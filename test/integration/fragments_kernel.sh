#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The kernel cuts datagrams into fragments and sends jumbo frames; they arrive exactly. The MTU is
# set, refused and changed under way; a flood of fragments takes bounded memory.
#
#   penstock-load (UDP) --> penport --net_tap--> penstockd
#   penstock-load (UDP) --> pensend == veth == penport --net_af_packet--> penstockd
#
# Through net_af_packet only fragments of IPv6 come: the driver asks the kernel to put those of IPv4
# together, and such a datagram is one long frame.
. "$(dirname "$0")/lib.sh"

[ "$(id -u)" = 0 ] || skip 'only root can make a network namespace'
command -v ip >/dev/null || skip 'ip is missing (package iproute2)'
[ -c /dev/net/tun ] || skip 'no /dev/net/tun here'
if [ -z "${IN_NAMESPACE:-}" ]; then
	trap - EXIT
	rm -rf "$work"
	unshare --net --mount true || skip 'no network namespaces here'
	IN_NAMESPACE=1 exec unshare --net --mount "$0" "$@"
fi
must 'the interfaces of the namespace' mount -t sysfs sysfs /sys
must 'lo' ip link set lo up

mac=02:00:00:00:00:09
port=8125
n_flood=$((10000 / share))
start_on() { # DEVICE [PORT-OPTIONS]
	top="dogstatsd_port: $port
bind_host: 127.0.0.1
dogstatsd_socket: \"\"
dogstatsd_stream_socket: \"\""
	own="ports: [{name: port0, addresses: [10.77.0.9/24, '2001:db8:77::9/64']${2:-}, device: \"$1\"}]"
	rm -f "$output" "$work"/load*
	configure
	start_daemon
}
send_from() { # INTERFACE: the kernel's side of the network
	must "$1 up" ip link set "$1" up
	must 'IPv4 address' ip address add 10.77.0.1/24 dev "$1"
	must 'IPv6 address' ip address add 2001:db8:77::1/64 dev "$1" nodad
	must 'neighbour' ip neighbour replace 10.77.0.9 lladdr $mac dev "$1"
	must 'IPv6 neighbour' ip neighbour replace 2001:db8:77::9 lladdr $mac dev "$1"
}
rate=40000
n=0
send_both() { # SIZE: over IPv4 and IPv6, so slowly that queues hold it on a busy machine
	local address
	for address in 10.77.0.9 '[2001:db8:77::9]'; do
		n=$((n + 1))
		send_load load$n "udp:$address:$port" --lines $((6000 / share)) --rate $rate \
			--datagram-size "$1" --name-prefix "load$n." "${mixed[@]}"
	done
}
all_arrived() { # datagrams sent and received agree
	read_ledger
	python3 - "$work/ledger.json" "$work"/load*.json <<-'END'
		import json, sys
		ledger = json.load(open(sys.argv[1]))
		sent = sum(json.load(open(path))['sent']['datagrams'] for path in sys.argv[2:])
		sys.exit(ledger['datagrams']['received'] != sent or ledger['datagrams']['queued'] != 0)
	END
}
expect_all() { # COUNTER=VALUE...
	wait_until 20 "all of load$n and those before is in the ledger" all_arrived
	flush
	expect ledger "$work/ledger.json" difference=0 balanced=true frames.queued=0 "$@" \
		frames.dropped.{bad_ip_header,fragment_timeout,fragment_overlap,fragment_limit}=0
	must 'sums' "$root/scripts/compare-sums" <(cat "$work"/load*.sums) "$output"
}
counter() { # NAME
	python3 -c 'import json, sys
print(json.load(open(sys.argv[1]))["frames"][sys.argv[2]])' "$work/ledger.json" "$1"
}

# Fragments of 1500 bytes: 3, 6 and 41 of each datagram, and of 1300 bytes at the end.
start_on 'net_tap0,iface=penport'
send_from penport
for size in 4000 8000 60000; do
	send_both $size
done
(
	sleep 0.2
	ip link set penport mtu 1300
	sleep 0.2
	ip link set penport mtu 1500
) &
children+=($!)
send_both 8000
expect_all
[ "$(counter reassembled)" -gt "$(counter delivered)" ] || fail 'the kernel sent no fragments'

resident() {
	awk '/^VmRSS:/ { print $2 }' "/proc/$daemon/status"
}
before=$(resident)
must 'flood' "$tests/fragment.py" flood penport ${mac//:/} $port $n_flood
[ $(($(resident) - before)) -lt 16384 ] ||
	fail "the flood took memory: $before KiB before, $(resident) KiB after"
flood_is_over() {
	read_ledger && "$tests/expect.py" ledger "$work/ledger.json" frames.queued=0 difference=0 balanced=true \
		frames.dropped.fragment_flood=$((n_flood - 64)) frames.dropped.fragment_timeout=64
}
wait_until 10 'the flood is over, and each of its fragments counted' flood_is_over
stop_daemon

# Jumbo frames, spread over buffers of 2 KiB, and fragments of that size.
start_on 'net_tap0,iface=penport'
send_from penport
must 'the MTU' ip link set penport mtu 9000
send_both 8900
send_both 60000
expect_all
stop_daemon

must 'veth' ip link add pensend type veth peer name penport
echo 1 >/proc/sys/net/ipv6/conf/penport/disable_ipv6
must 'penport up' ip link set penport up
send_from pensend

# The driver sets no MTU above Ethernet's; what the kernel has is taken.
own="ports: [{name: port0, mtu: 9000, device: \"net_af_packet0,iface=penport\"}]"
configure
"$PENSTOCKD" -c "$config" >"$work/refused" 2>&1 && fail 'an mtu that does not fit was not refused'
grep -q "port port0: mtu 9000 is not possible: .*'ip link set penport mtu 9000'" "$work/refused" ||
	fail "mtu 9000: $(cat "$work/refused")"

rate=10000 # net_af_packet says nothing of what its ring of few frames has no room for
start_on 'net_af_packet0,iface=penport,framesz=61440,blocksz=61440,framecnt=256'
for size in 4000 60000; do
	send_both $size
done
expect_all
[ "$(counter reassembled)" -gt 0 ] || fail 'the kernel sent no fragments'
# What no longer fits the interface is the kernel's to drop; what fits later arrives.
must 'a smaller MTU' ip link set penport mtu 1000
python3 -c '
import socket, sys
out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for i in range(3):
    out.sendto(b"lost:1|c\n" * 150, ("10.77.0.9", int(sys.argv[1])))' $port
must 'the MTU again' ip link set penport mtu 1500
send_both 1400
expect_all
stop_daemon

start_on 'net_af_packet0,iface=penport' ', mtu: 1400'
expect_equal "penport's MTU" 1400 "$(cat /sys/class/net/penport/mtu)"
stop_daemon
must "penport's MTU" ip link set penport mtu 9000
must "the sender's MTU" ip link set pensend mtu 9000
start_on 'net_af_packet0,iface=penport,framesz=16384,blocksz=65536'
grep -q 'frames are cut' "$log" && fail 'a warning of cut frames, with room for them'
send_both 8900
expect_all
stop_daemon

# With the driver's default the kernel cuts such frames: said at the start, and counted.
start_on 'net_af_packet0,iface=penport'
grep -q 'port port0: the MTU is 9000, but frames are cut after 1982 bytes' "$log" ||
	fail 'no warning of cut frames'
stop_daemon
