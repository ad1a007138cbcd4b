package audit

import (
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"informerscope/server/internal/scrub"
)

// The stages of a request that are logged, by the names of Kubernetes' own audit log.
const (
	// Started is the beginning of the answer to a watch.
	Started = "ResponseStarted"
	// Complete is the end of any request.
	Complete = "ResponseComplete"
)

// Entry is a line. Credentials are removed from its strings before they are written.
type Entry struct {
	Time    time.Time `json:"time"`    // of this stage
	Stage   string    `json:"stage"`   // Started or Complete
	Request int64     `json:"request"` // the same number in the lines of one request
	Viewer  int64     `json:"viewer"`  // the same number in the lines of one connection
	Remote  string    `json:"remote"`  // the connection's other end: the viewer's, or the last proxy's

	Context string `json:"context"`
	// Verb is list, watch or get; discovery if the request is not for a resource; empty if it was not understood.
	Verb      string `json:"verb"`
	Group     string `json:"group"`
	Version   string `json:"version"`
	Resource  string `json:"resource"`
	Namespace string `json:"namespace"` // empty for all
	Name      string `json:"name"`
	// Own is the path of an answer of the relay's own, such as /contexts.
	Own string `json:"own,omitempty"`
	// Rule is the rule by which the relay refused the request.
	Rule string `json:"rule,omitempty"`

	Began  time.Time `json:"began"`
	Status int       `json:"status"`
	// Ended, Bytes (of the body, as sent) and Millis are set for completed requests.
	Ended  *time.Time `json:"ended,omitempty"`
	Bytes  int64      `json:"bytes"`
	Millis int64      `json:"durationMillis"`
}

// maxString is how many bytes of a string are written: no name in Kubernetes is longer, but a viewer may send any. Of a string of more than twice that
// length only the length is written.
const maxString = 253

// queueLength is how many lines may be queued for writing before requests wait too.
const queueLength = 1024

// Log writes entries to one writer, in the order of Add. It loses none before Hurry: if the writer is stuck, requests wait.
type Log struct {
	out   io.Writer
	clean func(string) string
	fail  func(error)

	lines     chan []byte
	hurry     chan struct{}
	hurryOnce sync.Once
	done      chan struct{}
	lostCount atomic.Int64
}

// New begins a log that writes to out. Strings go through clean, such as scrub.Scrubber.Line. It calls fail with the first error of writing, and with
// the first after each success, perhaps from another goroutine. Close ends the log.
func New(out io.Writer, clean func(string) string, fail func(error)) *Log {
	l := &Log{out: out, clean: clean, fail: fail, lines: make(chan []byte, queueLength), hurry: make(chan struct{}), done: make(chan struct{})}
	go l.write()
	return l
}

func (l *Log) write() {
	defer close(l.done)
	failing := false
	for line := range l.lines {
		n, err := l.out.Write(line)
		if err == nil && n < len(line) {
			err = io.ErrShortWrite
		}
		if err != nil {
			l.lostCount.Add(1)
			if !failing {
				l.fail(err)
			}
		}
		failing = err != nil
	}
}

// Add queues an entry for writing.
func (l *Log) Add(e Entry) {
	for _, text := range []*string{&e.Remote, &e.Context, &e.Verb, &e.Group, &e.Version, &e.Resource, &e.Namespace, &e.Name, &e.Own, &e.Rule} {
		if len(*text) > 2*maxString { // cleaning it would cost much, and to cut it before could leave half a credential
			*text = fmt.Sprintf("(%d bytes)", len(*text))
		}
		*text = scrub.Cut(l.clean(*text), maxString)
	}
	line, err := json.Marshal(e)
	if err != nil { // a year beyond 9999
		l.lostCount.Add(1)
		return
	}
	line = append(line, '\n')
	select {
	case l.lines <- line:
	default:
		select {
		case l.lines <- line:
		case <-l.hurry:
			l.lostCount.Add(1)
		}
	}
}

// Hurry makes Add stop waiting, so that a writer that is stuck does not delay the end of the program.
func (l *Log) Hurry() { l.hurryOnce.Do(func() { close(l.hurry) }) }

// Lost is how many entries could not be written.
func (l *Log) Lost() int64 { return l.lostCount.Load() }

// Close writes what is left, for at most patience, and returns how many entries are lost. Add must not be called any more.
func (l *Log) Close(patience time.Duration) int64 {
	l.Hurry()
	close(l.lines)
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-l.done:
		return l.Lost()
	case <-timer.C:
		// The entry being written may still get through; it counts as lost all the same.
		return l.Lost() + int64(len(l.lines)) + 1
	}
}
