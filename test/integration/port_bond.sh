#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# A bond of two tap devices as a port, in a network namespace of the test's own; frames are put into
# the kernel's ends of the taps. Active and backup: the member that stands by takes over, and a lost
# member is said, counted and shown. LACP: the bond negotiates with a partner and keeps it while the
# worker sleeps, and receives on both members.
#
#   UDP frames, LACPDUs --> bond0, bond1 ==tap==> net_bonding0 (net_tap0, net_tap1) penstockd --> file
[ "$(id -u)" = 0 ] || { echo 'SKIP: a network namespace and net_tap take root'; exit 77; }
[ -n "${PENSTOCK_NAMESPACE:-}" ] || PENSTOCK_NAMESPACE=1 exec unshare --net --mount "$0" "$@"
. "$(dirname "$0")/lib.sh"
[ -c /dev/net/tun ] || skip '/dev/net/tun is missing'
ip link set lo up

state() { # KEY
	ctl --json status | python3 -c '
import json, sys
print(json.load(sys.stdin)["ports"][0][sys.argv[1]])' "$1"
}
has_state() { # KEY VALUE
	[ "$(state "$1")" = "$2" ]
}
start_bond() { # MODE
	top='dogstatsd_port: 8125'
	own="ports: [{name: uplink, device: \"net_bonding0,mode=$1\",
    addresses: [192.0.2.10/24], members: [\"net_tap0,iface=bond0\", \"net_tap1,iface=bond1\"]}]"
	configure
	start_daemon
	ip link set bond0 up && ip link set bond1 up || fail 'the taps cannot be set up'
}
# A datagram "NAME:1|c" from 192.0.2.1 in an Ethernet frame to the bond's own address.
send_frame() { # INTERFACE NAME
	python3 - "$1" "$2" <<'END'
import socket, struct, sys
interface, name = sys.argv[1:]
payload = f'{name}:1|c'.encode()
with open(f'/sys/class/net/{interface}/address', encoding='ascii') as file:
    mac = bytes.fromhex(file.read().strip().replace(':', ''))
udp = struct.pack('!HHHH', 40000, 8125, 8 + len(payload), 0) + payload
ip = bytearray(struct.pack('!BBHHHBBH4s4s', 0x45, 0, 20 + len(udp), 0, 0, 64, 17, 0,
                           socket.inet_aton('192.0.2.1'), socket.inet_aton('192.0.2.10')))
total = sum(struct.unpack('!10H', ip))
total = (total >> 16) + (total & 0xffff)
struct.pack_into('!H', ip, 10, ~((total >> 16) + total) & 0xffff)
out = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
out.bind((interface, 0))
out.send(mac + bytes.fromhex('020000000009') + b'\x08\x00' + ip + udp)
END
}
received() { # N
	ctl --json ledger | grep -Eq "\"uplink\": *$1[,}]"
}

mount -t sysfs none /sys || skip "no sysfs in a namespace here"
start_bond 1
expect_equal 'members' 2 "$(state members)"
wait_until 5 'both members are there' has_state members_active 2
send_frame bond0 first
wait_until 5 'the first datagram is there' received 1
ip link set bond0 down
wait_until 8 'a member is lost' has_state members_active 1
wait_until 2 'the log says so' grep -q 'warning port uplink: 1 of 2 members of the bond carry' "$log"
expect_equal 'the link with one member' up "$(state link)"
send_frame bond1 second
wait_until 5 'the second datagram is there' received 2
ip link set bond1 down
wait_until 8 'the link is lost with the last member' has_state link down
ip link set bond0 up
wait_until 8 'a member is back' has_state members_active 1
wait_until 5 'the link is back' has_state link up
send_frame bond0 third
wait_until 5 'the third datagram is there' received 3
flush
expect rows "$output" first=1 second=1 third=1
expect ledger "$work/ledger.json" balanced=true
stop_daemon
rm -f "$output"

start_bond 4
must 'LACP' "$tests/lacp.py" bond0 bond1 -- 6
send_frame bond0 fourth
send_frame bond1 fifth
wait_until 5 'both datagrams are there' received 2
flush
expect rows "$output" fourth=1 fifth=1
expect ledger "$work/ledger.json" balanced=true
stop_daemon
