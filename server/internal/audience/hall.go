package audience

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"informerscope/core/wire/broadcast"
)

const (
	// defaultMemory bounds the segments kept in memory without a directory, in bytes: enough for hours, at some kilobytes a segment.
	defaultMemory = 256 << 20
	// defaultHeld is how many requests for segments may be in progress; each follower has about one.
	defaultHeld = 10_000
	// defaultHold is how long such a request waits; shorter than the timeouts of proxies.
	defaultHold = 20 * time.Second
	// speakerTimeout is how long after its last segment a speaker counts as gone: a page sends one at least every ten seconds.
	speakerTimeout = 30 * time.Second
	// maxDirectory bounds the segments in a directory, in bytes.
	maxDirectory = 64 << 30
)

// Options configure a [Hall]. The zero value is usable, and removes no credentials.
type Options struct {
	// Token admits followers. If empty, it is the one in Dir, or else a random one.
	Token string
	// Dir is the directory of the segments and the token; without it they are only in memory.
	Dir string
	// Objects broadcasts whole objects.
	Objects bool
	// Text removes credentials from each text of a segment. Object redacts the JSON of each whole object before that. Both may be nil.
	Text   func(string) string
	Object func([]byte) []byte
	// Memory bounds the segments kept in memory without Dir, in bytes; 256 MiB when 0. Older ones are dropped.
	Memory int64
	// MaxHeld is how many requests for segments may be in progress at one time; 10,000 when 0.
	MaxHeld int
	// Hold is how long a request for the next segment waits; 20 s when 0.
	Hold time.Duration
	// Admit, if set, is called for every request with the token.
	Admit func(context.Context)
	// OnRefusal, if set, counts a refused request.
	OnRefusal func(rule string)
	// Log may be nil.
	Log *slog.Logger
	// Now is the clock; time.Now when nil.
	Now func() time.Time
}

// [Hall] stores one broadcast at a time and serves it. Safe for concurrent use.
type Hall struct {
	o     Options
	token [sha256.Size]byte

	mu            sync.Mutex
	store         *store
	record        record
	lastSegmentAt time.Time            // when the speaker last sent something
	wake          chan struct{}        // closed when a segment arrives
	inProgress    int                  // requests for segments in progress
	connections   map[string]time.Time // followers' connections, and when each last made a request
	lastSweep     time.Time            // when idle ones were last removed from connections
	bytesSent     int64                // bytes of segments to followers
	closed        bool
}

// Problem is an error that the speaker's page can act on.
type Problem struct {
	// Code is the HTTP status.
	Code int
	// Message is for people.
	Message string
	// Expected is the number of the missing segment, with 409.
	Expected uint64
}

// Error implements error.
func (p *Problem) Error() string { return p.Message }

// Status is what the speaker's page shows about its audience.
type Status struct {
	On        bool   `json:"on"`
	Audience  string `json:"audience"`
	Path      string `json:"path"`
	Objects   bool   `json:"objects"`
	Speaking  string `json:"speaking"`
	Segments  uint64 `json:"segments"`
	Followers int    `json:"followers"`
	Bytes     int64  `json:"bytes"`
	// Kept is true if the segments outlive the server.
	Kept bool `json:"kept"`
}

// Open returns a [Hall] with the broadcast that its directory holds.
func Open(o Options) (*Hall, error) {
	if o.Memory <= 0 {
		o.Memory = defaultMemory
	}
	if o.MaxHeld <= 0 {
		o.MaxHeld = defaultHeld
	}
	if o.Hold <= 0 {
		o.Hold = defaultHold
	}
	if o.Text == nil {
		o.Text = func(s string) string { return s }
	}
	if o.Admit == nil {
		o.Admit = func(context.Context) {}
	}
	if o.OnRefusal == nil {
		o.OnRefusal = func(string) {}
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	store, r, err := openStore(o.Dir, o.Memory)
	if err != nil {
		return nil, err
	}
	switch {
	case o.Token != "":
		r.Token = o.Token
	case r.Token == "":
		r.Token = rand.Text()
	}
	if err := store.save(&r); err != nil {
		return nil, err
	}
	return &Hall{o: o, token: sha256.Sum256([]byte(r.Token)), store: store, record: r, wake: make(chan struct{}), connections: map[string]time.Time{}}, nil
}

// Token is the audience's token.
func (h *Hall) Token() string { return h.record.Token } // immutable, so without the lock

// Path is where the audience opens the page.
func (h *Hall) Path() string { return "/?audience#audience=" + h.Token() }

// Status returns the current state.
func (h *Hall) Status() Status {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := Status{On: true, Audience: h.record.Token, Path: h.Path(), Objects: h.o.Objects, Segments: h.record.Segments, Followers: h.countFollowersLocked(),
		Bytes: h.bytesSent, Kept: h.o.Dir != ""}
	if h.isSpeakingLocked() {
		s.Speaking = h.record.ID
	}
	return s
}

// isSpeakingLocked reports whether a page broadcasts now.
func (h *Hall) isSpeakingLocked() bool {
	return h.record.ID != "" && !h.record.Ended && h.o.Now().Sub(h.lastSegmentAt) < speakerTimeout
}

// Begin starts a new speaker's broadcast. It is refused while another page broadcasts, unless take is set. first is the number of its first segment.
func (h *Hall) Begin(take bool) (id string, first uint64, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return "", 0, &Problem{Code: 503, Message: "the server is shutting down"}
	}
	if h.isSpeakingLocked() && !take {
		return "", 0, &Problem{Code: 409, Message: "another page is broadcasting; take over from it, or wait until it ends"}
	}
	r := h.record
	r.ID, r.First, r.Ended, r.StartedAt, r.Sent, r.Checkpoints = rand.Text(), r.Segments+1, false, h.o.Now(), "", nil
	if err := h.store.save(&r); err != nil {
		return "", 0, h.reportWriteFailure(err)
	}
	h.record, h.lastSegmentAt = r, h.o.Now()
	h.o.Log.Info("a page began to broadcast", "first", r.First)
	return r.ID, r.First, nil
}

func (h *Hall) reportWriteFailure(err error) error {
	h.o.Log.Error("the broadcast cannot be stored", "dir", h.o.Dir, "error", err)
	return &Problem{Code: 507, Message: "the broadcast cannot be written to the directory of --broadcast-dir"}
}

// Segment takes segment n of a speaker. The newest segment sent again with the same bytes is accepted and changes nothing. No lock is held during the
// check: the followers and the speaker's other requests do not wait for it.
func (h *Hall) Segment(id string, n uint64, segment []byte) error {
	sum := sha256.Sum256(segment)
	sent := hex.EncodeToString(sum[:])
	h.mu.Lock()
	isRepeat, err := h.checkNumberLocked(id, n, sent)
	h.mu.Unlock()
	if isRepeat || err != nil {
		return err
	}
	packed, head, err := broadcast.Check(segment, broadcast.Checks{Text: h.o.Text, Object: h.o.Object, Bodies: h.o.Objects})
	switch {
	case err != nil:
		return &Problem{Code: 400, Message: "the segment is refused: " + h.o.Text(err.Error())}
	case head.N != n:
		return &Problem{Code: 400, Message: fmt.Sprintf("the segment's own number is %d, and it was sent as %d", head.N, n)}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	isRepeat, err = h.checkNumberLocked(id, n, sent) // another one may have arrived
	switch r := &h.record; {
	case isRepeat || err != nil:
		return err
	case n == r.First && !(head.Checkpoint && head.Fresh):
		return &Problem{Code: 400, Message: "a broadcast begins with a checkpoint that continues nothing"}
	case h.o.Dir == "" && h.store.bytes > h.o.Memory && !head.Checkpoint:
		return &Problem{Code: 507, Message: "the segments since the last checkpoint exceed the server's memory for them; start it with --broadcast-dir"}
	case h.o.Dir != "" && r.Bytes+int64(len(packed)) > maxDirectory:
		return &Problem{Code: 507, Message: fmt.Sprintf("the directory of --broadcast-dir holds %d bytes, which is its limit", r.Bytes)}
	}
	return h.appendLocked(packed, head, sent)
}

// checkNumberLocked checks that segment n is the next one. isRepeat is true if it is the newest one, whose answer was lost.
func (h *Hall) checkNumberLocked(id string, n uint64, sent string) (isRepeat bool, err error) {
	r := &h.record
	if h.closed {
		return false, &Problem{Code: 503, Message: "the server is shutting down"}
	}
	if id == "" || id != r.ID {
		return false, &Problem{Code: 410, Message: "this page is not broadcasting (any more): begin again"}
	}
	h.lastSegmentAt = h.o.Now()
	switch {
	case n == r.Segments && n >= r.First && sent == r.Sent:
		return true, nil
	case r.Ended:
		return false, &Problem{Code: 410, Message: "the broadcast has ended: begin a new one"}
	case n != r.Segments+1:
		return false, &Problem{Code: 409, Message: fmt.Sprintf("segment %d was sent, and %d is next", n, r.Segments+1), Expected: r.Segments + 1}
	}
	return false, nil
}

// appendLocked stores a checked segment.
func (h *Hall) appendLocked(packed []byte, head broadcast.Head, sent string) error {
	r := h.record
	r.Segments, r.Sent, r.Last, r.Ended, r.Bytes = head.N, sent, head, head.End, r.Bytes+int64(len(packed))
	if head.Checkpoint {
		r.Checkpoints = append(r.Checkpoints[:len(r.Checkpoints):len(r.Checkpoints)], head.N)
	}
	if err := h.store.put(head.N, packed); err != nil {
		return h.reportWriteFailure(err)
	}
	if err := h.store.save(&r); err != nil {
		return h.reportWriteFailure(err)
	}
	h.record = r
	h.trimLocked()
	close(h.wake)
	h.wake = make(chan struct{})
	return nil
}

// trimLocked drops old segments beyond the memory, so that the rest begins with a checkpoint.
func (h *Hall) trimLocked() {
	if h.store.bytes <= h.o.Memory {
		return
	}
	h.store.trim(h.record.First)
	// Drop whole stretches from checkpoint to checkpoint, never the last one.
	c := h.record.Checkpoints
	for len(c) > 1 && h.store.bytes > h.o.Memory {
		h.store.trim(c[1])
		if h.store.oldest < c[1] { // enough was dropped
			break
		}
		c = c[1:]
	}
	for len(c) > 1 && c[0] < h.store.oldest {
		c = c[1:]
	}
	h.record.Checkpoints = c
}

// End ends a speaker's broadcast. If the page sent no last segment, End makes one.
func (h *Hall) End(id string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	r := h.record
	switch {
	case id == "" || id != r.ID:
		return &Problem{Code: 410, Message: "this page is not broadcasting (any more)"}
	case r.Ended:
		return nil
	case r.Segments < r.First: // nothing was sent
		r.Ended = true
		if err := h.store.save(&r); err != nil {
			return h.reportWriteFailure(err)
		}
		h.record = r
		return nil
	}
	last, err := broadcast.EndSegment(r.Last, h.o.Now())
	if err != nil {
		return err
	}
	head, err := broadcast.ReadHead(last.Bytes)
	if err != nil {
		return err
	}
	if err := h.appendLocked(last.Bytes, head, ""); err != nil {
		return err
	}
	h.o.Log.Info("the broadcast has ended", "segments", head.N)
	return nil
}

// Close ends all waiting requests. The files of a directory remain.
func (h *Hall) Close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.closed {
		h.closed = true
		close(h.wake)
	}
}

var errClosed = errors.New("the server is shutting down")

// wait waits for segment n if it is the next one, and reports whether it arrived within patience.
func (h *Hall) wait(ctx context.Context, n uint64, patience time.Duration) (bool, error) {
	var expired <-chan time.Time
	for {
		h.mu.Lock()
		last, ended, closed, wake := h.record.Segments, h.record.Ended, h.closed, h.wake
		h.mu.Unlock()
		switch {
		case n <= last:
			return true, nil
		case closed:
			return false, errClosed
		case n > last+1 || ended:
			return false, errAhead
		case patience <= 0:
			return false, nil
		}
		if expired == nil {
			timer := time.NewTimer(patience)
			defer timer.Stop()
			expired = timer.C
		}
		select {
		case <-wake:
		case <-expired:
			return false, nil
		case <-ctx.Done():
			return false, ctx.Err()
		}
	}
}

// enter counts a request for a segment, and returns false if there are too many. Call leave when it is answered.
func (h *Hall) enter() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.inProgress >= h.o.MaxHeld {
		return false
	}
	h.inProgress++
	return true
}

func (h *Hall) leave(sent int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.inProgress--
	h.bytesSent += sent
}

var errAhead = errors.New("there is no such segment yet")
