#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Flows of the kernel's own UDP sockets, over IPv4 and IPv6, through an interface with one queue to
# several workers: each flow's gauges come in their order, so the last value stays; what is no UDP
# stays with the worker that polls.
#
#   40 UDP sockets -- pensend 10.77.0.1 ==veth== penport -- net_af_packet0 (port0) -- workers
. "$(dirname "$0")/lib.sh"

[ "$(id -u)" -eq 0 ] || skip 'needs root for a network namespace and a veth pair'
if [ "${PENSTOCK_IN_NAMESPACE:-}" != 1 ]; then
	unshare -nm mount -t sysfs sysfs /sys 2>/dev/null ||
		skip 'no network namespace can be made here'
	PENSTOCK_IN_NAMESPACE=1 unshare -nm "$0" "$@"
	exit
fi
mount -t sysfs sysfs /sys # its class/net is that of the namespace then
workers=$(nproc)
[ "$workers" -ge 2 ] || skip 'one core only, so there is nobody to steer to'
[ "$workers" -le 3 ] || workers=3

ip link set lo up
ip link add pensend type veth peer name penport 2>/dev/null || skip 'no veth pair can be made here'
ip address add 10.77.0.1/24 dev pensend
ip address add 2001:db8:77::1/64 dev pensend nodad
ip link set pensend up
ip link set penport up
ip neighbour replace 10.77.0.9 lladdr 02:00:00:00:00:09 dev pensend
ip neighbour replace 2001:db8:77::9 lladdr 02:00:00:00:00:09 dev pensend

top="dogstatsd_port: 8125
bind_host: 127.0.0.1"
own="workers: $workers
ports: [{name: port0, device: \"net_af_packet0,iface=penport,framecnt=8192\"}]"
configure
start_daemon # its ring holds all that is sent, however long a busy machine keeps it waiting
python3 - "$work/expected.ndjson" <<'END' || fail 'the senders'
import json, socket, sys, time
FLOWS, VALUES = 40, 100
flows = []
for i in range(FLOWS):
    family, address = [(socket.AF_INET, '10.77.0.9'), (socket.AF_INET6, '2001:db8:77::9')][i % 2]
    flow = socket.socket(family, socket.SOCK_DGRAM)
    flow.connect((address, 8125))
    flows.append(flow)
for value in range(1, VALUES + 1):
    for i, flow in enumerate(flows):
        flow.send(f'order.{i}:{value}|g\ncount:1|c'.encode())
    time.sleep(0.005)
with open(sys.argv[1], 'w') as file:
    for i in range(FLOWS):
        print(json.dumps({'name': f'order.{i}', 'value': VALUES}), file=file)
END
has_all() {
	read_ledger
	grep -Eq '"frames": *\{[^}]*"delivered": *4000\b' "$work/ledger.json"
}
wait_until 20 'all datagrams are in the ledger' has_all
flush
expect ledger "$work/ledger.json" difference=0 frames.delivered=4000 frames.dropped.steer_full=0
expect contains "$work/expected.ndjson" "$output"
expect rows "$output" count=4000
ctl --json status | python3 -c '
import json, sys
port, = json.load(sys.stdin)["ports"]
print(port)
sys.exit(not all(share["frames"] > 100 for share in port["shares"]))' || fail 'a worker rests'
stop_daemon
