package analysis

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"informerscope/core/log/fold"
	"informerscope/core/words/event"
)

// chromeEvent is an event of the Chrome trace-event format.
type chromeEvent struct {
	Name  string         `json:"name"`
	Phase string         `json:"ph"`
	TS    float64        `json:"ts"` // microseconds
	PID   int            `json:"pid"`
	TID   int            `json:"tid"`
	Dur   *float64       `json:"dur,omitempty"`
	Cat   string         `json:"cat,omitempty"`
	ID    string         `json:"id,omitempty"`
	Scope string         `json:"s,omitempty"`
	Args  map[string]any `json:"args,omitempty"`
}

// The threads of a lane's process; the wire has a process of its own.
const (
	tidReflector = 1
	tidQueue     = 2
	tidMarks     = 3
	tidListener  = 100
	tidWorker    = 10000
	pidWire      = 100
)

// WriteChrome writes a log in the Chrome trace-event format, which Perfetto opens. Each lane is a process. Its spans are the Reflector's requests and waits,
// pops, handler calls and reconciles. Queue and ring lengths are counters; faults and marks are instants. A span that is still open at the log's end ends
// there.
func WriteChrome(w io.Writer, events iter.Seq[*event.Entry]) error {
	c := &chrome{w: bufio.NewWriterSize(w, 64<<10), open: map[[2]int]chromeEvent{}, threadNames: map[[2]int]bool{}, wire: map[uint64]string{}}
	fmt.Fprint(c.w, `{"displayTimeUnit":"ms","traceEvents":[`)
	for e := range events {
		c.see(e)
		if c.err != nil {
			return c.err
		}
	}
	c.close()
	if c.err != nil {
		return c.err
	}
	fmt.Fprint(c.w, "\n]}\n")
	return c.w.Flush()
}

type chrome struct {
	w           *bufio.Writer
	n           int
	err         error
	at          time.Duration
	open        map[[2]int]chromeEvent // by pid and tid
	threadNames map[[2]int]bool
	wire        map[uint64]string
}

func (c *chrome) put(e chromeEvent) {
	if c.err != nil {
		return
	}
	b, err := json.Marshal(e)
	if err != nil {
		c.err = err
		return
	}
	if c.n > 0 {
		c.w.WriteByte(',')
	}
	c.n++
	c.w.WriteByte('\n')
	_, c.err = c.w.Write(b)
}

func (c *chrome) name(pid, tid int, name string) {
	for _, k := range [][2]int{{pid, 0}, {pid, tid}} {
		if c.threadNames[k] {
			continue
		}
		c.threadNames[k] = true
		e := chromeEvent{Name: "thread_name", Phase: "M", PID: pid, TID: tid, Args: map[string]any{"name": name}}
		if k[1] == 0 {
			e.Name = "process_name"
			e.Args["name"] = fmt.Sprintf("informer %d", pid)
			if pid == pidWire {
				e.Args["name"] = "API server"
			}
		}
		c.put(e)
	}
}

func (c *chrome) begin(pid, tid int, thread, name string, args map[string]any) {
	c.end(pid, tid, nil)
	c.name(pid, tid, thread)
	c.open[[2]int{pid, tid}] = chromeEvent{Name: name, Phase: "X", TS: fold.Micros(c.at), PID: pid, TID: tid, Args: args}
}

func (c *chrome) end(pid, tid int, err error) {
	k := [2]int{pid, tid}
	e, ok := c.open[k]
	if !ok {
		return
	}
	delete(c.open, k)
	d := fold.Micros(c.at) - e.TS
	e.Dur = &d
	if err != nil {
		if e.Args == nil {
			e.Args = map[string]any{}
		}
		e.Args["error"] = err.Error()
	}
	c.put(e)
}

func (c *chrome) counter(pid int, name string, n int) {
	c.put(chromeEvent{Name: name, Phase: "C", TS: fold.Micros(c.at), PID: pid, TID: 0, Args: map[string]any{"length": n}})
}

func (c *chrome) close() {
	//maporder:free no two of them compare as equal
	keys := slices.SortedFunc(maps.Keys(c.open), func(a, b [2]int) int { return slices.Compare(a[:], b[:]) })
	for _, k := range keys {
		c.end(k[0], k[1], nil)
	}
	for _, req := range slices.Sorted(maps.Keys(c.wire)) {
		c.request("e", req, c.wire[req])
	}
	clear(c.wire)
}

// request begins or ends the asynchronous span of an HTTP request.
func (c *chrome) request(phase string, req uint64, url string) {
	c.put(chromeEvent{Name: url, Phase: phase, Cat: "http", ID: fmt.Sprint(req), TS: fold.Micros(c.at), PID: pidWire, TID: 1})
}

func (c *chrome) see(e *event.Entry) {
	if e.At > c.at {
		c.at = e.At
	}
	if int(e.Lane) >= fold.MaxLanes {
		return
	}
	pid := int(e.Lane) + 1
	listener := tidListener + int(e.Listener())
	worker := tidWorker + int(e.Listener())
	request := uint64(e.Lane)<<32 | uint64(e.Req()) // each informer numbers its own requests
	switch e.Kind {
	case event.KindSelected:
		c.close()
	case event.KindRequestSent:
		requestSent := e.RequestSent()
		args := map[string]any{"request": requestSent.Req}
		if requestSent.Options != nil {
			args["resourceVersion"] = requestSent.Options.ResourceVersion
		}
		c.begin(pid, tidReflector, "Reflector", requestSent.Verb.String(), args)
	case event.KindRequestAnswered:
		if o, ok := c.open[[2]int{pid, tidReflector}]; e.Err() != nil || ok && o.Name == event.VerbList.String() {
			c.end(pid, tidReflector, e.Err())
		}
	case event.KindWatchClosed:
		c.end(pid, tidReflector, e.Err())
	case event.KindBackoff:
		c.begin(pid, tidReflector, "Reflector", "backoff", map[string]any{"millis": fold.Millis(e.Backoff().Wait)})
	case event.KindBackoffEnded, event.KindReflectorStopped:
		c.end(pid, tidReflector, nil)
	case event.KindQueued:
		c.counter(pid, "queue", e.Queued().Length)
	case event.KindPopped:
		popped := e.Popped()
		name := "process " + popped.Mode
		if popped.Key != "" {
			name = "process " + popped.Key
		}
		c.begin(pid, tidQueue, "process loop", name, map[string]any{"deltas": popped.Deltas, "locked": popped.Locked})
		c.counter(pid, "queue", popped.Length)
	case event.KindProcessed:
		c.end(pid, tidQueue, e.Err())
	case event.KindAccepted:
		c.counter(pid, fmt.Sprintf("listener %d ring", e.Listener()), e.Accepted().Ring)
	case event.KindDelivered:
		c.counter(pid, fmt.Sprintf("listener %d ring", e.Listener()), e.Delivered().Ring)
	case event.KindHandling:
		handling := e.Handling()
		c.begin(pid, listener, fmt.Sprintf("listener %d", handling.Listener), strings.TrimSpace("On"+handling.Op.String()+" "+handling.Key), nil)
	case event.KindHandled:
		c.end(pid, listener, e.Err())
	case event.KindListenerStopped:
		c.end(pid, listener, nil)
	case event.KindWorkTaken:
		c.begin(pid, worker, fmt.Sprintf("worker %d", e.Listener()), "reconcile "+e.Key(), nil)
	case event.KindWorkDone:
		c.end(pid, worker, nil)
	case event.KindClusterWrite: // a span within the worker's own
		clusterWrite := e.ClusterWrite()
		c.open[[2]int{pid, -worker}] = chromeEvent{Name: clusterWrite.Verb + " " + clusterWrite.Key, Phase: "X", TS: fold.Micros(c.at), PID: pid, TID: worker,
			Args: map[string]any{"resourceVersion": clusterWrite.RV}}
	case event.KindClusterWritten:
		c.end(pid, -worker, e.Err())
	case event.KindWireRequest:
		wireRequest := e.WireRequest()
		c.name(pidWire, 1, "requests")
		c.wire[request] = wireRequest.URL
		c.request("b", request, wireRequest.URL)
	case event.KindWireDone:
		if url, ok := c.wire[request]; ok {
			delete(c.wire, request)
			c.request("e", request, url)
		}
	}
	if m, ok := Marks(e); ok {
		c.name(pid, tidMarks, "marks")
		name := m.Kind
		if m.Text != "" && m.Kind != "error" && m.Kind != "backoff" {
			name += " " + m.Text
		}
		c.put(chromeEvent{Name: name, Phase: "i", Scope: "p", TS: fold.Micros(c.at), PID: pid, TID: tidMarks,
			Args: map[string]any{"text": m.Text, "code": m.Code, "seq": m.Seq}})
	}
}
