// SPDX-License-Identifier: BSD-3-Clause
// Calls hot-shots and prints what each call must give, one JSON object a line.
//
// usage: node send.js udp|stream|uds TO LINES
// TO is a port or a path; how many lines were sent goes into the file LINES.
'use strict';
const fs = require('fs');
const net = require('net');
const stream = require('stream');
const StatsD = require('hot-shots');

const [way, to, linesPath] = process.argv.slice(2);
let lines = 0;

function expect(row) {
  console.log(JSON.stringify(row));
}

// Each write becomes a frame: its length in 4 bytes, little end first, in front of it.
class Framing extends stream.Writable {
  constructor(connection) {
    super();
    this.connection = connection;
  }

  _write(chunk, encoding, done) {
    const length = Buffer.alloc(4);
    length.writeUInt32LE(chunk.length);
    this.connection.write(Buffer.concat([length, chunk]), done);
  }
}

const connection = way === 'stream' ? net.connect(to) : null;
const transports = {
  udp: { host: '127.0.0.1', port: Number(to) },
  stream: { protocol: 'stream', stream: way === 'stream' ? new Framing(connection) : null },
  uds: { protocol: 'uds', path: to }
};

// Datadog mode also sends a container id with each line, which has to do no harm.
const client = new StatsD({
  ...transports[way],
  prefix: 'node.',
  globalTags: ['app:node'],
  maxBufferSize: 1000,
  bufferFlushInterval: 50,
  datadog: true,
  containerID: 'abcdef0123456789',
  includeDatadogTelemetry: false,
  errorHandler(error) {
    console.error(`hot-shots: ${error}`);
    process.exit(1);
  }
});

function call(method, ...parameters) {
  client[method](...parameters);
  lines++;
}

const tags = ['zone:b', 'env:test'];
const both = ['app:node', 'env:test', 'zone:b'];
const app = ['app:node'];

for (let i = 0; i < 1000; i++) {
  call('increment', 'incr', tags);
}
expect({ type: 'count', name: 'node.incr', tags: both, value: 1000 });
call('increment', 'amount', 41);
call('decrement', 'amount', 1.5);
expect({ type: 'count', name: 'node.amount', tags: app, value: 39.5 });
call('gauge', 'gauge', 12);
call('gauge', 'gauge', -0.25);
expect({ type: 'gauge', name: 'node.gauge', tags: app, value: -0.25 });
for (const value of [30, 10, 20]) {
  call('timing', 'timing', value);
}
expect({ type: 'count', name: 'node.timing.count', tags: app, value: 3 });
expect({ type: 'gauge', name: 'node.timing.avg', tags: app, value: 20 });
expect({ type: 'gauge', name: 'node.timing.median', tags: app, value: 20 });
for (const value of [4, 1, 3, 2]) {
  call('histogram', 'histogram', value, tags);
}
expect({ type: 'gauge', name: 'node.histogram.max', tags: both, value: 4 });
expect({ type: 'gauge', name: 'node.histogram.avg', tags: both, value: 2.5 });
for (const value of [0.5, 100, 2.5]) {
  call('distribution', 'distribution', value);
}
expect({ type: 'distribution', name: 'node.distribution', tags: app,
  sketch: { count: 3, sum: 103, min: 0.5, max: 100 } });
for (const member of ['alice', 'bob', 'alice']) {
  call('set', 'set', member);
}
expect({ type: 'set', name: 'node.set', tags: app, value: 2 });
call('event', 'deployed', 'line one\nline two', { alert_type: 'warning', priority: 'low',
  aggregation_key: 'deploy', source_type_name: 'ci', hostname: 'elsewhere' }, ['zone:b']);
expect({ type: 'event', title: 'node.deployed', text: 'line one\nline two', alert_type: 'warning',
  priority: 'low', aggregation_key: 'deploy', source_type_name: 'ci', host: 'elsewhere',
  tags: ['app:node', 'zone:b'] });
call('check', 'database', client.CHECKS.CRITICAL, { message: 'no answer' }, ['zone:b']);
expect({ type: 'service_check', name: 'node.database', status: 2, message: 'no answer',
  tags: ['app:node', 'zone:b'] });

client.close(() => {
  fs.writeFileSync(linesPath, String(lines));
  if (connection) {
    connection.end();
  }
});
