#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Reads /metrics strictly and compares it with the ledger of the same moment.

usage: metrics.py URL LEDGER
The format: https://prometheus.io/docs/instrumenting/exposition_formats/ (text, 0.0.4). Stricter
than that: every family has HELP and TYPE, before its samples, which stand together.
"""
import json
import re
import sys
import urllib.error
import urllib.request

NAME = r'[a-zA-Z_:][a-zA-Z0-9_:]*'
LABEL = r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\\\|\\"|\\n)*)"'
SAMPLE = re.compile(rf'({NAME})(?:\{{((?:{LABEL})(?:,{LABEL})*)\}})? (\S+)')


def read(text):
    """Samples as {(name, ((label, value), ...)): number}."""
    assert text.endswith('\n'), 'the last line has no newline'
    families, samples, current = {}, {}, None
    for line in text[:-1].split('\n'):
        if line.startswith('# HELP '):
            name, _, help_text = line[len('# HELP '):].partition(' ')
            assert re.fullmatch(NAME, name), f'bad name: {line}'
            assert help_text, f'no help: {line}'
            assert name not in families, f'HELP for {name} stands twice'
            families[name], current = None, name
        elif line.startswith('# TYPE '):
            name, kind = line[len('# TYPE '):].split(' ')
            assert name == current and families[name] is None, f'TYPE out of place: {line}'
            assert kind in ('counter', 'gauge', 'histogram'), f'type: {line}'
            assert (kind == 'counter') == name.endswith('_total'), f'_total is for counters: {line}'
            families[name] = kind
        else:
            match = SAMPLE.fullmatch(line)
            assert match, f'not a sample: {line!r}'
            name, labels, value = match[1], match[2] or '', match[match.lastindex]
            if families[current] == 'histogram':
                assert re.fullmatch(current + '_(bucket|sum|count)', name), f'histogram: {line}'
            else:
                assert name == current, f'sample away from its family: {line}'
            pairs = tuple(sorted(re.findall(LABEL, labels)))
            assert len({label for label, _ in pairs}) == len(pairs), f'label twice: {line}'
            assert (name, pairs) not in samples, f'series twice: {line}'
            samples[name, pairs] = float(value)
    check_histograms(samples)
    return samples


def check_histograms(samples):
    """Buckets never fall, the last is +Inf and the count."""
    last = {}
    for (name, labels), value in samples.items():
        if not name.endswith('_bucket'):
            continue
        others = tuple(pair for pair in labels if pair[0] != 'le')
        bound = float(dict(labels)['le'])
        before = last.get((name, others), (float('-inf'), 0))
        assert bound > before[0] and value >= before[1], f'bucket out of order: {name} {labels}'
        last[name, others] = bound, value
    for (name, others), (bound, value) in last.items():
        assert bound == float('inf'), f'no +Inf: {name}'
        assert samples[name.removesuffix('_bucket') + '_count', others] == value, name


def check_workers(samples):
    """Each worker's stages together are its life; what all took in is the sum."""
    seconds = {}
    for (name, labels), value in samples.items():
        if name == 'penstock_worker_stage_seconds_total':
            worker = dict(labels)['worker']
            seconds[worker] = seconds.get(worker, 0) + value
    assert len(seconds) == samples['penstock_workers', ()], 'not every worker has stages'
    uptime = samples['penstock_uptime_seconds', ()]
    for worker, n in seconds.items():
        assert uptime - 3 < n < uptime + 2, f'{worker} lived {n} s of {uptime}'
    for what in 'datagrams', 'lines':
        by_worker = sum(value for (name, _), value in samples.items()
                        if name == f'penstock_{what}_received_by_worker_total')
        assert by_worker == samples[f'penstock_{what}_received_total', ()], what


def wanted(ledger):
    """What the ledger makes us expect, in the same form."""
    for level in ('frames', 'datagrams', 'lines', 'samples'):
        for name, value in ledger[level].items():
            if name == 'by_listener':
                for listener, n in value.items():
                    yield ('penstock_datagrams_received_by_listener_total',
                           (('listener', listener),)), n
            elif isinstance(value, dict):
                for reason, n in value.items():
                    yield (f'penstock_{level}_{name}_total', (('reason', reason),)), n
            else:
                suffix = '' if name == 'queued' else '_total'
                yield (f'penstock_{level}_{name}{suffix}', ()), value
    for output, counts in ledger['outputs'].items():
        label = ('output', output)
        yield ('penstock_output_points_total', (label,)), counts['points']
        yield ('penstock_output_delivered_total', (label,)), counts['delivered']
        yield ('penstock_output_queued', (label,)), counts['queued']
        for reason, n in counts['dropped'].items():
            yield ('penstock_output_dropped_total', (label, ('reason', reason))), n
    yield ('penstock_ledger_difference', ()), ledger['difference']


def status_of(url):
    try:
        with urllib.request.urlopen(url, timeout=5) as reply:
            return reply.status
    except urllib.error.HTTPError as error:
        return error.code


def main():
    url, ledger_path = sys.argv[1:]
    with open(ledger_path, encoding='utf-8') as file:
        ledger = json.load(file)
    with urllib.request.urlopen(url + '/metrics', timeout=5) as reply:
        kind = reply.headers['Content-Type']
        text = reply.read().decode('utf-8')
    assert kind.startswith('text/plain; version=0.0.4'), f'Content-Type: {kind}'
    samples = read(text)
    check_workers(samples)
    n = 0
    for key, value in wanted(ledger):
        assert key in samples, f'missing: {key}'
        assert samples[key] == value, f'{key}: expected {value}, got {samples[key]}'
        n += 1
    assert samples['penstock_ledger_difference', ()] == 0
    assert sum(ledger['lines']['rejected'].values()) > 0, 'nothing was rejected'
    assert status_of(url + '/healthz') == 200, '/healthz is not 200'
    assert status_of(url + '/no-such-page') == 404, 'an unknown page is not 404'
    print(f'{n} values are the ledger\'s, of {len(samples)} series')


main()
