// SPDX-License-Identifier: BSD-3-Clause

// Calls the official Go client and prints what each call must give, one JSON object a line.
//
// usage: client_go ADDRESS LINES
// ADDRESS is "127.0.0.1:8125" or "unix:///path"; how many lines were sent goes into the file LINES.
package main

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/DataDog/datadog-go/statsd"
)

// Patience of a write to a Unix socket; the client's own default is a millisecond.
const patience = 5 * time.Second

const unixPrefix = statsd.UnixAddressPrefix

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "client_go:", err)
		os.Exit(1)
	}
}

var lines int

// A call of the client that sends one line.
func call(err error) {
	must(err)
	lines++
}

type row map[string]interface{}

func expect(what row) {
	text, err := json.Marshal(what)
	must(err)
	fmt.Println(string(text))
}

func plain(client *statsd.Client) {
	tags := []string{"env:test", "zone:b"}
	both := []string{"app:go", "env:test", "zone:b"} // with the client's own, sorted
	app := []string{"app:go"}

	call(client.Count("count", 7, tags, 1))
	call(client.Count("count", -2, tags, 1))
	expect(row{"type": "count", "name": "go.count", "tags": both, "value": 5})
	call(client.Incr("incr", nil, 1))
	call(client.Incr("incr", nil, 1))
	call(client.Decr("decr", nil, 1))
	expect(row{"type": "count", "name": "go.incr", "tags": app, "value": 2})
	expect(row{"type": "count", "name": "go.decr", "tags": app, "value": -1})
	call(client.Gauge("gauge", 1.5, nil, 1))
	call(client.Gauge("gauge", -273.15, nil, 1))
	expect(row{"type": "gauge", "name": "go.gauge", "tags": app, "value": -273.15})
	for _, value := range []float64{4, 1, 3, 2} {
		call(client.Histogram("histogram", value, tags, 1))
	}
	expect(row{"type": "count", "name": "go.histogram.count", "tags": both, "value": 4})
	expect(row{"type": "gauge", "name": "go.histogram.avg", "tags": both, "value": 2.5})
	expect(row{"type": "gauge", "name": "go.histogram.max", "tags": both, "value": 4})
	for _, value := range []time.Duration{10, 20, 60} {
		call(client.Timing("timing", value*time.Millisecond, nil, 1))
	}
	expect(row{"type": "count", "name": "go.timing.count", "tags": app, "value": 3})
	expect(row{"type": "gauge", "name": "go.timing.avg", "tags": app, "value": 30})
	expect(row{"type": "gauge", "name": "go.timing.median", "tags": app, "value": 20})
	call(client.TimeInMilliseconds("ms", 0.25, nil, 1))
	expect(row{"type": "gauge", "name": "go.ms.max", "tags": app, "value": 0.25})
	for _, value := range []float64{0.5, 100, 2.5} {
		call(client.Distribution("distribution", value, nil, 1))
	}
	expect(row{"type": "distribution", "name": "go.distribution", "tags": app,
		"sketch": row{"count": 3, "sum": 103, "min": 0.5, "max": 100}})
	for _, member := range []string{"alice", "bob", "alice"} {
		call(client.Set("set", member, nil, 1))
	}
	expect(row{"type": "set", "name": "go.set", "tags": app, "value": 2})
}

func notices(client *statsd.Client) {
	event := statsd.NewEvent("deployed", "line one\nline two")
	event.Priority = statsd.Low
	event.AlertType = statsd.Warning
	event.AggregationKey = "deploy"
	event.SourceTypeName = "ci"
	event.Hostname = "elsewhere"
	event.Tags = []string{"zone:b"}
	call(client.Event(event))
	expect(row{"type": "event", "title": "deployed", "text": "line one\nline two",
		"priority": "low", "alert_type": "warning", "aggregation_key": "deploy",
		"source_type_name": "ci", "host": "elsewhere", "tags": []string{"app:go", "zone:b"}})
	check := statsd.NewServiceCheck("database", statsd.Critical)
	check.Message = "no answer m: timeout"
	check.Tags = []string{"zone:b"}
	call(client.ServiceCheck(check))
	// The client writes "m\:" for "m:", and the Agent leaves it so.
	expect(row{"type": "service_check", "name": "database", "status": 2,
		"message": "no answer m\\: timeout", "tags": []string{"app:go", "zone:b"}})
}

// Only a writer to a Unix socket has a time-out to set.
func bePatient(client *statsd.Client, address string) {
	if strings.HasPrefix(address, unixPrefix) {
		must(client.SetWriteTimeout(patience))
	}
}

// Many calls in few datagrams.
func buffered(address string) {
	client, err := statsd.NewBuffered(address, 100)
	must(err)
	bePatient(client, address)
	for i := 0; i < 5000; i++ {
		call(client.Incr("go.buffered", []string{fmt.Sprintf("shard:%d", i%4)}, 1))
	}
	must(client.Close())
	for i := 0; i < 4; i++ {
		expect(row{"type": "count", "name": "go.buffered",
			"tags": []string{fmt.Sprintf("shard:%d", i)}, "value": 1250})
	}
}

// Passes on what the client writes and counts the lines of each name: the client alone knows which
// calls a sample rate lets through.
type counter struct {
	net.Conn
	lines map[string]int
}

func (c *counter) Write(data []byte) (int, error) {
	c.lines[strings.SplitN(string(data), ":", 2)[0]]++
	return c.Conn.Write(data)
}

func (c *counter) SetWriteTimeout(time.Duration) error { return nil }

func sampled(address string) {
	network := "udp"
	if strings.HasPrefix(address, unixPrefix) {
		network, address = "unixgram", strings.TrimPrefix(address, unixPrefix)
	}
	conn, err := net.Dial(network, address)
	must(err)
	writer := &counter{conn, map[string]int{}}
	client, err := statsd.NewWithWriter(writer)
	must(err)
	for i := 0; i < 1000; i++ {
		must(client.Count("go.sampled", 3, nil, 0.25))
		must(client.Histogram("go.sampled_histogram", 8, nil, 0.5))
	}
	must(client.Close())
	lines += writer.lines["go.sampled"] + writer.lines["go.sampled_histogram"]
	expect(row{"type": "count", "name": "go.sampled", "tags": []string{},
		"value": writer.lines["go.sampled"] * 3 * 4})
	expect(row{"type": "count", "name": "go.sampled_histogram.count", "tags": []string{},
		"value": writer.lines["go.sampled_histogram"] * 2})
}

func main() {
	client, err := statsd.New(os.Args[1])
	must(err)
	bePatient(client, os.Args[1])
	client.Namespace = "go."
	client.Tags = []string{"app:go"}
	plain(client)
	notices(client)
	must(client.Close())
	buffered(os.Args[1])
	sampled(os.Args[1])
	must(os.WriteFile(os.Args[2], []byte(strconv.Itoa(lines)), 0o644))
}
