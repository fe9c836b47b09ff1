#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The highest rate at which a penstockd loses nothing, as a share of its saturation, over memif from
a generator on another core: penstock-load search, with flushes running.

usage: zero_loss.py BUILD [--json] [--trial-seconds S] [--confirm-seconds S]
"""
import argparse
import json
import os
import sys

from subject import Subject

SKIPPED = 77
MEMIF = 'socket-abstract=no,socket=FOLDER/memif.sock,rsize=13'
WINDOW = 2  # s: some flushes in every trial
LINES = 18  # a datagram


def search(subject, options):
    cpus = os.sched_getaffinity(0) - subject.thread_cpus('worker1')

    def leave_worker_alone():
        os.sched_setaffinity(0, cpus)

    memif = MEMIF.replace('FOLDER', subject.folder.name)
    run = subject.load('search', '--to', 'dpdk:net_memif0,role=client,' + memif, '--ledger',
                       subject.admin, '--types', 'c', '--tags', '4', '--contexts', '10000',
                       '--datagram-size', '1472', '--lines-per-datagram', str(LINES),
                       '--trial-seconds', str(options.trial_seconds), '--confirm-seconds',
                       str(options.confirm_seconds), '--timeout', '10000',
                       preexec_fn=leave_worker_alone)
    text = run.communicate()[0]
    if run.returncode not in (0, 1):
        sys.exit(f'zero_loss: the search ends with {run.returncode}')
    return json.loads(text)


def check(subject, found):
    """What left the generator and was not lost is in the ledger, to the line."""
    ledger = subject.ask('ledger')
    arrived = sum(trial['sent'] - trial['lost_sequence'] for trial in found['trials'])
    if not ledger['balanced'] or ledger['lines']['received'] != arrived or \
            ledger['lines']['aggregated'] != arrived:
        sys.exit('zero_loss: the ledger has other lines than were sent: ' + json.dumps(ledger))


def row(found, options):
    ndr, last = found['ndr'], found['trials'][-1]
    share = round(ndr['share_of_saturation'], 4)
    note = (f'{"confirmed" if found["confirmed"] else "not confirmed"} for '
            f'{options.confirm_seconds:g} s; generator late by {last["lateness"]["max_us"]:.0f} us '
            'at most')
    if ndr['limited_by_generator']:
        note += '; the generator could not offer more'
    return {'load': 'memif', 'unit': 'M lines/s', 'reference': 'saturation',
            'reference_median': round(found['saturation'] / 1e6, 3), 'contestant': 'no loss',
            'median': round(ndr['lines_per_second'] / 1e6, 3), 'ratio': share, 'low': share,
            'high': share, 'note': note, 'met': found['confirmed']}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('build')
    parser.add_argument('--json', action='store_true')
    parser.add_argument('--trial-seconds', type=float, default=2)
    parser.add_argument('--confirm-seconds', type=float, default=20)
    options = parser.parse_args()
    if len(os.sched_getaffinity(0)) < 2:
        print('SKIP: there is one CPU only')
        sys.exit(SKIPPED)
    memif = MEMIF + ',role=server'
    with Subject(options.build, 'hostname: bench', 'dogstatsd_port: 8125', 'bind_host: 127.0.0.1',
                 f'aggregate_window_duration_seconds: {WINDOW}', 'penstock:', '  idle: poll',
                 f'  ports: [{{name: port0, device: "net_memif0,{memif}"}}]') as subject:
        found = search(subject, options)
        check(subject, found)
    result = row(found, options)
    print(json.dumps(result) if options.json else
          f'{result["median"]} of {result["reference_median"]} M lines/s: {result["ratio"]:.3f}; '
          f'{result["note"]}')


main()
