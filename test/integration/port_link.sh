#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Links of two ports on kernel interfaces, in a network namespace of the test's own: one goes down
# and comes back, then its interface is deleted under the running daemon. Each is said, counted and
# shown; the other port goes on and loses nothing.
#
#   penstock-load --> east0 ==veth== east1 --> net_af_packet0 "east" \
#   penstock-load --> west0 ==veth== west1 --> net_af_packet1 "west"  penstockd --> file
[ "$(id -u)" = 0 ] || { echo 'SKIP: a network namespace and net_af_packet take root'; exit 77; }
[ -n "${PENSTOCK_NAMESPACE:-}" ] || PENSTOCK_NAMESPACE=1 exec unshare --net --mount "$0" "$@"
. "$(dirname "$0")/lib.sh"

make_link() { # NAME NETWORK: 10.77.NETWORK.9 lies behind NAME0
	ip link add "$1"0 type veth peer name "$1"1 && ip address add "10.77.$2.1/24" dev "$1"0 &&
		ip link set "$1"0 up && ip link set "$1"1 up &&
		ip neighbour replace "10.77.$2.9" lladdr 02:00:00:00:00:09 dev "$1"0
}
mount -t sysfs none /sys && ip link set lo up && make_link east 1 && make_link west 2 || skip 'no veth or no sysfs in a namespace here'

port_state() { # NAME KEY
	ctl --json status | python3 -c '
import json, sys
for port in json.load(sys.stdin)["ports"]:
    if port["name"] == sys.argv[1]:
        print(port[sys.argv[2]])' "$1" "$2"
}
has_state() { # NAME KEY VALUE
	[ "$(port_state "$1" "$2")" = "$3" ]
}
expect_metric() { # SAMPLE VALUE
	local value
	value=$(python3 -c '
import urllib.request
print(urllib.request.urlopen("http://127.0.0.1:8128/metrics").read().decode())' | grep -F "$1 ")
	expect_equal "$1 in /metrics" "$1 $2" "$value"
}

top='dogstatsd_port: 8125'
own="workers: 1
ports: [{name: east, device: \"net_af_packet0,iface=east1\"}, {name: west, device: \"net_af_packet1,iface=west1\"}]
admin: {socket: $admin, http: 127.0.0.1:8128}"
configure
start_daemon
wait_until 5 'both links are up' has_state east link up
expect_equal 'the link of west' up "$(port_state west link)"

ip link set east0 down
wait_until 5 'east has no link' has_state east link down
wait_until 5 'the log says so' grep -q 'warning port east: link down' "$log"
expect_metric 'penstock_port_link{port="east"}' 0
expect_metric 'penstock_port_link{port="west"}' 1
ip link set east0 up
ip neighbour replace 10.77.1.9 lladdr 02:00:00:00:00:09 dev east0
wait_until 5 'east has its link again' has_state east link up
wait_until 5 'the log says so' grep -q 'info port east: link up' "$log"
expect_metric 'penstock_port_link_changes_total{port="east"}' 2
expect_metric 'penstock_port_link_changes_total{port="west"}' 0
send_load east udp:10.77.1.9:8125 --lines 2000 --rate 10000 --types c
wait_for_arrival east

ip link delete east0
wait_until 5 'the device of east is gone' has_state east link gone
wait_until 5 'the log says so' grep -q 'error port east: its device net_af_packet0,iface=east1 is gone' "$log"
expect_equal 'link changes of east' 3 "$(port_state east link_changes)"
expect_metric 'penstock_port_link{port="east"}' 0
flush
rm -f "$output"
send_load west udp:10.77.2.9:8125 --lines 2000 --rate 10000 --types c
arrived_both() {
	read_ledger
	python3 -c '
import json, sys
of = lambda name: json.load(open(f"{sys.argv[1]}/{name}.json"))["sent"]["lines"]
ledger = json.load(open(f"{sys.argv[1]}/ledger.json"))
sys.exit(ledger["lines"]["received"] != of("east") + of("west"))' "$work"
}
wait_until 20 'the ledger has what both ports got' arrived_both
flush
must 'sums of west' "$root/scripts/compare-sums" "$work/west.sums" "$output"
expect ledger "$work/ledger.json" balanced=true
ctl status | grep -q '^east  *gone ' || fail "penstockctl status: $(ctl status)"
stop_daemon
