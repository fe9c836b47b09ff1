#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# penstock-load searches the rate at which a daemon loses nothing, over a Unix socket and over memif:
# well below what either carries it finds the upper bound, and its account is that of the ledger.
#
#   penstock-load search ==uds, memif==> penstockd
#          └──────── "ledger" ──────────────┘ (admin socket)
. "$(dirname "$0")/lib.sh"

port=$(free_port)
top="dogstatsd_port: $port"
memif=socket-abstract=no,socket=$work/memif.sock
own="ports: [{name: port0, device: \"net_memif0,role=server,$memif\"}]"
configure
start_daemon

search() { # NAME TARGET ARGUMENT...
	local name=$1 target=$2
	shift 2
	"$PENSTOCK_LOAD" search --to "$target" --ledger "$admin" --udp-port "$port" --types c \
		--tags 4 --trial-seconds 0.5 --timeout 10000 "$@" \
		>"$work/$name.json" 2>"$work/$name.err"
}

# Each trial adds up, the rates are within the bounds, and all trials together are what the ledger
# has more of than before ($lines).
lines=0
expect_account() { # NAME RATE_MAX
	read_ledger
	lines=$(
		python3 - "$work/$1.json" "$work/ledger.json" "$2" "$lines" <<'END'
import json, sys

search, ledger = (json.load(open(path)) for path in sys.argv[1:3])
rate_max, lines = int(sys.argv[3]), int(sys.argv[4])
trials = search["trials"]
assert trials[0]["rate"] == 0 and trials[0]["offered"] > 0
for trial in trials:
    assert trial["sent"] + trial["lost_tx"] == trial["offered"], trial
    assert trial["lateness"]["max_us"] >= trial["lateness"]["mean_us"] >= 0, trial
    assert trial["clean"] == (trial["valid"] and trial["lost_tx"] == 0 and
                              trial["lost_sequence"] == 0 and trial["lost_ledger"] == 0), trial
for trial in trials[1:]:
    assert 0 < trial["rate"] < rate_max, trial
    assert trial["took"] >= trial["seconds"], trial
    assert trial["offered"] <= trial["rate"] * trial["seconds"] + 200, trial
    assert not trial["valid"] or trial["offered"] >= trial["rate"] * trial["seconds"], trial
arrived = sum(trial["sent"] - trial["lost_sequence"] for trial in trials)
assert ledger["lines"]["received"] - lines == arrived, (ledger["lines"], lines, arrived)
print(ledger["lines"]["received"])
END
	) || fail "the account of $1: $(cat "$work/$1.json")"
}

expect_bound() { # NAME RATE_MAX RESOLUTION
	python3 - "$work/$1.json" "$2" "$3" <<'END' || fail "$1: $(cat "$work/$1.json" "$work/$1.err")"
import json, sys
search, rate_max, resolution = json.load(open(sys.argv[1])), *map(float, sys.argv[2:4])
rate = search["ndr"]["lines_per_second"]
sys.exit(not (search["confirmed"] and (0.95 - resolution) * rate_max <= rate < rate_max
              and search["saturation"] > rate))
END
}

search uds "uds:$uds" --rate-max 10000 --resolution 0.2 --confirm-seconds 2 ||
	fail "search over uds: $(cat "$work/uds.json" "$work/uds.err")"
expect_account uds 10000
expect_bound uds 10000 0.2
search memif "dpdk:net_memif0,role=client,$memif" --rate-max 20000 --resolution 0.2 \
	--confirm-seconds 2 || fail "search over memif: $(cat "$work/memif.json" "$work/memif.err")"
expect_account memif 20000
expect_bound memif 20000 0.2

# What it cannot do, it says.
refused() { # CODE TEXT ARGUMENT...
	local code=$1 text=$2 said
	shift 2
	said=$("$PENSTOCK_LOAD" search "$@" 2>&1 >/dev/null)
	expect_equal "the exit code of search $*" "$code" $?
	[[ $said == *"$text"* ]] || fail "search $* says: $said"
}
refused 64 'needs --ledger' --to "uds:$uds"
refused 64 'not with pcap' --to "pcap:$work/x.pcap" --ledger "$admin"
refused 64 'leave out --rate' --to "uds:$uds" --ledger "$admin" --rate 5
refused 64 'at most 1000000' --to "uds:$uds" --ledger "$admin" --contexts 2000000
refused 69 'no penstockd answers' --to "uds:$uds" --ledger "$work/nobody.sock"
stop_daemon
