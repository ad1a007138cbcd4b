package ownwrites

import (
	"bytes"
	"context"
	"fmt"
	"hash/fnv"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tidwall/gjson"
	"k8s.io/utils/clock"

	"informerscope/core/cluster/simcluster"
	"informerscope/core/words/vclock"
)

// requestTime is how long a controller's write takes, and jitter how much longer at most. A watch event has the same jitter.
const (
	requestTime = 4 * time.Millisecond
	jitter      = time.Millisecond
)

const (
	parentsPath  = "/apis/apps/v1/namespaces/" + namespace + "/replicasets"
	childrenPath = "/api/v1/namespaces/" + namespace + "/pods"
	namespace    = "default"
)

// Counts are what a controller did to a Cluster.
type Counts struct {
	// Duplicates are the children that were created although their parent had as many as it ever wanted.
	Duplicates int `json:"duplicates"`
	// Writes are the writes that the API server carried out, and Conflicts those that it refused with 409.
	Writes    int `json:"writes"`
	Conflicts int `json:"conflicts"`
}

// Cluster is the simulated cluster of one lane, and the way to it: an http.RoundTripper for a controller. A write takes some milliseconds, and a watch event
// arrives later than it was sent by the lag. Its methods are safe for concurrent use.
type Cluster struct {
	api     *simcluster.Cluster
	clock   clock.WithTicker
	lag     time.Duration
	seed    uint64
	onWay   atomic.Int64   // watch events that have not arrived
	serving sync.WaitGroup // watches

	mu           sync.Mutex
	requests     uint64
	mostChildren map[string]int    // the most children that were wanted, by the uid of their parent
	live         map[string]int    // by the same
	parentOf     map[string]string // the uid of a child's parent, by the child's path
	uids         map[string]string // of parents, by name
	counts       Counts
}

// NewCluster returns a cluster without parents or children.
func NewCluster(c clock.WithTicker, seed uint64, lag time.Duration) *Cluster {
	return &Cluster{api: simcluster.New(simcluster.Options{Clock: c, Seed: seed, Objects: -1, Still: true}), clock: c, lag: lag, seed: seed,
		mostChildren: map[string]int{}, live: map[string]int{}, parentOf: map[string]string{}, uids: map[string]string{}}
}

// Counts returns what controllers did so far.
func (c *Cluster) Counts() Counts {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.counts
}

// IsQuiet reports whether every watch event has arrived.
func (c *Cluster) IsQuiet() bool { return c.onWay.Load() == 0 }

// jitterOf returns a duration below jitter that depends only on the seed and on what travels. So lanes that do the same have the same jitter, and no two things
// happen at the same instant, where their order would be chance.
func (c *Cluster) jitterOf(what string) time.Duration {
	h := fnv.New64a()
	fmt.Fprint(h, c.seed, what) // never fails
	return time.Duration(h.Sum64()%uint64(jitter-1)) + 1
}

// RoundTrip implements http.RoundTripper.
func (c *Cluster) RoundTrip(req *http.Request) (*http.Response, error) {
	sent := req.Clone(req.Context())
	if sent.Body == nil {
		sent.Body = http.NoBody
	}
	if on, _ := strconv.ParseBool(req.URL.Query().Get("watch")); on {
		return c.watch(sent)
	}
	defer sent.Body.Close()
	isWrite := req.Method != http.MethodGet
	if isWrite {
		c.mu.Lock()
		c.requests++
		n := c.requests
		c.mu.Unlock()
		if err := vclock.Sleep(req.Context(), c.clock, requestTime+c.jitterOf(fmt.Sprint("request ", n))); err != nil {
			return nil, err
		}
	}
	a := c.serve(sent)
	if isWrite {
		c.count(req, a)
	}
	return a.response(req, io.NopCloser(&a.body)), nil
}

// serve lets the API server answer at once.
func (c *Cluster) serve(req *http.Request) *answer {
	a := &answer{header: http.Header{}, code: http.StatusOK}
	c.api.ServeHTTP(a, req)
	return a
}

// count counts a write of a controller.
func (c *Cluster) count(req *http.Request, a *answer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case a.code == http.StatusConflict:
		c.counts.Conflicts++
	case a.code < http.StatusMultipleChoices:
		c.counts.Writes++
		switch child := strings.HasPrefix(req.URL.Path, childrenPath); {
		case child && req.Method == http.MethodPost:
			made := gjson.GetManyBytes(a.body.Bytes(), "metadata.ownerReferences.0.uid", "metadata.name")
			parent := made[0].String()
			if c.live[parent] >= c.mostChildren[parent] {
				c.counts.Duplicates++
			}
			c.live[parent]++
			c.parentOf[childrenPath+"/"+made[1].String()] = parent
		case child && req.Method == http.MethodDelete:
			c.live[c.parentOf[req.URL.Path]]--
		}
	}
}

// Apply carries out a user's write.
func (c *Cluster) Apply(w Write) error {
	method, path, contentType, body := w.request()
	req, err := http.NewRequest(method, path, strings.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", contentType)
	a := c.serve(req)
	if a.code >= http.StatusMultipleChoices {
		return fmt.Errorf("the simulated cluster answered %s %s with %d: %s", method, path, a.code, gjson.GetBytes(a.body.Bytes(), "message"))
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if w.Change == Create {
		c.uids[w.Parent] = gjson.GetBytes(a.body.Bytes(), "metadata.uid").String()
	}
	uid := c.uids[w.Parent]
	c.mostChildren[uid] = max(c.mostChildren[uid], w.Children) // a controller that has not seen a later, smaller number makes no duplicate
	return nil
}

// answer is an http.ResponseWriter that keeps what is written.
type answer struct {
	header http.Header
	code   int
	body   bytes.Buffer
}

func (a *answer) Header() http.Header         { return a.header }
func (a *answer) WriteHeader(code int)        { a.code = code }
func (a *answer) Write(p []byte) (int, error) { return a.body.Write(p) }

func (a *answer) response(req *http.Request, body io.ReadCloser) *http.Response {
	return &http.Response{StatusCode: a.code, Status: fmt.Sprint(a.code, " ", http.StatusText(a.code)), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: a.header, Body: body, ContentLength: -1, Request: req}
}

// watch opens a watch whose events are late.
func (c *Cluster) watch(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancel(req.Context())
	s := &stream{cluster: c, ctx: ctx, cancel: cancel, head: answer{header: http.Header{}, code: http.StatusOK}, begun: make(chan struct{}),
		changed: make(chan struct{}, 1)}
	c.serving.Go(func() {
		c.api.ServeHTTP(s, req.WithContext(ctx))
		s.begin()
		s.mu.Lock()
		s.ended = true
		s.mu.Unlock()
		s.notify()
	})
	select {
	case <-s.begun:
		return s.head.response(req, s), nil
	case <-ctx.Done():
		cancel()
		return nil, context.Cause(req.Context())
	}
}

// stream is the body of a watch: what the server writes can be read when its time has come, in its order. Close ends the watch.
type stream struct {
	cluster *Cluster
	ctx     context.Context
	cancel  context.CancelFunc
	head    answer // without a body
	begun   chan struct{}
	once    sync.Once
	changed chan struct{} // signals the reader

	mu     sync.Mutex
	pieces []piece // in the order in which they are due
	ended  bool
}

type piece struct {
	due  time.Time
	data []byte
}

func (s *stream) Header() http.Header { return s.head.header }

func (s *stream) WriteHeader(code int) {
	s.head.code = code
	s.begin()
}

// Flush implements http.Flusher; Write delivers by itself.
func (s *stream) Flush() {}

func (s *stream) begin() { s.once.Do(func() { close(s.begun) }) }

func (s *stream) notify() {
	select {
	case s.changed <- struct{}{}:
	default:
	}
}

// Write implements io.Writer for the server.
func (s *stream) Write(p []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	s.begin()
	due := s.cluster.clock.Now().Add(s.cluster.lag + s.cluster.jitterOf(gjson.GetBytes(p, "object.metadata.resourceVersion").String()))
	s.mu.Lock()
	if n := len(s.pieces); n > 0 && !due.After(s.pieces[n-1].due) {
		due = s.pieces[n-1].due.Add(time.Microsecond) // in its order, and at an instant of its own
	}
	s.pieces = append(s.pieces, piece{due, bytes.Clone(p)})
	s.mu.Unlock()
	s.cluster.onWay.Add(1)
	s.notify()
	return len(p), nil
}

// Read implements io.Reader for the client.
func (s *stream) Read(p []byte) (int, error) {
	for {
		s.mu.Lock()
		ended, isFilled := s.ended, len(s.pieces) > 0
		var first piece
		if isFilled {
			first = s.pieces[0]
		}
		s.mu.Unlock()
		switch {
		case isFilled:
			if d := first.due.Sub(s.cluster.clock.Now()); d > 0 {
				if err := vclock.Sleep(s.ctx, s.cluster.clock, d); err != nil {
					return 0, err
				}
			}
			return s.take(p), nil
		case ended:
			return 0, io.EOF
		}
		select {
		case <-s.changed:
		case <-s.ctx.Done():
			return 0, s.ctx.Err()
		}
	}
}

// take moves the first bytes into p.
func (s *stream) take(p []byte) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := copy(p, s.pieces[0].data)
	if s.pieces[0].data = s.pieces[0].data[n:]; len(s.pieces[0].data) == 0 {
		s.pieces = s.pieces[1:]
		s.cluster.onWay.Add(-1)
	}
	return n
}

// Close implements io.Closer.
func (s *stream) Close() error {
	s.cancel()
	return nil
}
