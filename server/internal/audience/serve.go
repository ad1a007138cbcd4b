package audience

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Prefix begins the paths of the audience.
const Prefix = "/audience/"

const (
	// cacheForever lets every cache keep a segment.
	cacheForever = "public, max-age=31536000, immutable"
	// cacheBriefly lets a cache answer all requests of one moment at once.
	cacheBriefly = "public, max-age=1"
	cacheNever   = "no-store"
	// piece is how much of a segment is in memory for each follower that reads it, in bytes.
	piece = 8 << 10
	// slack is added to the longest wait of a request: time to send its answer over a slow network.
	slack = 40 * time.Second
)

// Newest is the answer to …/head.
type Newest struct {
	// First is the number of the broadcast's first kept segment, Checkpoint that of the newest checkpoint; 0 when there is none.
	First      uint64 `json:"first"`
	Segments   uint64 `json:"segments"`
	Checkpoint uint64 `json:"checkpoint"`
	Ended      bool   `json:"ended"`
	// Speaking is true if a segment arrived in the last half minute.
	Speaking  bool   `json:"speaking"`
	StartedAt string `json:"startedAt"`
	Now       string `json:"now"`
}

// ServeHTTP serves the paths under Prefix. A wrong token and a wrong path get the same status.
func (h *Hall) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		answer(w, http.StatusMethodNotAllowed, "only GET and HEAD are served here")
		return
	}
	path := r.URL.EscapedPath()
	token, what, _ := strings.Cut(strings.TrimPrefix(path, Prefix), "/")
	sum := sha256.Sum256([]byte(token))
	if subtle.ConstantTimeCompare(sum[:], h.token[:]) != 1 || !strings.HasPrefix(path, Prefix) {
		h.o.OnRefusal("audience-token")
		w.Header().Set("Connection", "close")
		answer(w, http.StatusNotFound, "there is no such audience: open the link that the speaker shows")
		return
	}
	// A cache would treat each query as another resource.
	if r.URL.RawQuery != "" || r.URL.ForceQuery {
		h.o.OnRefusal("audience-path")
		answer(w, http.StatusNotFound, "there is nothing under this path")
		return
	}
	h.o.Admit(r.Context())
	h.notice(r.RemoteAddr)
	if what == "head" {
		h.head(w, r)
		return
	}
	number, ok := strings.CutPrefix(what, "segments/")
	n, err := strconv.ParseUint(number, 10, 64)
	if !ok || err != nil || n == 0 || strconv.FormatUint(n, 10) != number {
		h.o.OnRefusal("audience-path")
		answer(w, http.StatusNotFound, "there is nothing under this path")
		return
	}
	h.segment(w, r, n)
}

func (h *Hall) head(w http.ResponseWriter, r *http.Request) {
	h.mu.Lock()
	now := h.o.Now()
	x := Newest{First: h.record.First, Segments: h.record.Segments, Ended: h.record.Ended, Speaking: h.isSpeakingLocked(), Now: now.UTC().Format(time.RFC3339Nano)}
	if c := h.record.Checkpoints; len(c) > 0 {
		x.First, x.Checkpoint = c[0], c[len(c)-1]
	}
	if !h.record.StartedAt.IsZero() {
		x.StartedAt = h.record.StartedAt.UTC().Format(time.RFC3339Nano)
	}
	h.mu.Unlock()
	body, err := json.Marshal(x)
	if err != nil {
		answer(w, http.StatusInternalServerError, "the answer cannot be encoded")
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", cacheBriefly)
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	if r.Method == http.MethodGet {
		_, _ = w.Write(body)
	}
}

func (h *Hall) segment(w http.ResponseWriter, r *http.Request, n uint64) {
	patience := h.o.Hold
	if r.Method == http.MethodHead {
		patience = 0
	}
	// The server's own timeouts are for short requests, and a read deadline that passes would cancel this one.
	deadline := time.Now().Add(patience + slack)
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(deadline)
	_ = control.SetWriteDeadline(deadline)
	if !h.enter() {
		h.o.OnRefusal("audience-crowded")
		w.Header().Set("Retry-After", "5")
		answer(w, http.StatusServiceUnavailable, "too many followers' requests are in progress")
		return
	}
	var sent int64
	defer func() { h.leave(sent) }()
	segment := segmentReader{h, n}
	var size int64
	exists, err := h.wait(r.Context(), n, patience)
	if exists {
		size, err = segment.size()
	}
	switch {
	case errors.Is(err, errAhead):
		answer(w, http.StatusNotFound, err.Error())
		return
	case errors.Is(err, fs.ErrNotExist):
		answer(w, http.StatusNotFound, "this segment has been dropped: begin at a later checkpoint")
		return
	case errors.Is(err, errClosed):
		w.Header().Set("Retry-After", "2")
		w.Header().Set("Connection", "close")
		answer(w, http.StatusServiceUnavailable, err.Error())
		return
	case r.Context().Err() != nil:
		return // the follower has left
	case err != nil:
		h.o.Log.Error("a segment cannot be read", "n", n, "error", err)
		answer(w, http.StatusInternalServerError, "the segment cannot be read")
		return
	case !exists:
		w.Header().Set("Cache-Control", cacheBriefly)
		w.WriteHeader(http.StatusNoContent)
		return
	}
	tag := fmt.Sprintf(`"%d-%d"`, n, size) // under one token the segment of a number never changes
	header := w.Header()
	header.Set("Content-Type", "application/octet-stream")
	header.Set("Cache-Control", cacheForever)
	header.Set("ETag", tag)
	if strings.Contains(r.Header.Get("If-None-Match"), tag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	header.Set("Content-Length", strconv.FormatInt(size, 10))
	if r.Method == http.MethodHead {
		return
	}
	// The anonymous structs hide WriterTo and ReaderFrom, so that the copy uses the buffer. If it breaks off, the answer is shorter than its
	// Content-Length, and net/http closes the connection.
	from, to := struct{ io.Reader }{io.NewSectionReader(segment, 0, size)}, struct{ io.Writer }{w}
	buffer := pieces.Get().(*[piece]byte)
	defer pieces.Put(buffer)
	if sent, err = io.CopyBuffer(to, from, buffer[:]); err != nil && r.Context().Err() == nil {
		h.o.Log.Debug("a segment broke off", "n", n, "sent", sent, "error", err)
	}
}

// pieces are the buffers of the followers' requests.
var pieces = sync.Pool{New: func() any { return new([piece]byte) }}

// answer writes an error that caches must not keep.
func answer(w http.ResponseWriter, status int, message string) {
	w.Header().Set("Cache-Control", cacheNever)
	http.Error(w, message, status)
}

// followerTimeout is how long a follower counts after its last request.
const followerTimeout = 30 * time.Second

// notice counts a follower by its connection.
func (h *Hall) notice(remote string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.connections) >= 2*h.o.MaxHeld {
		h.countFollowersLocked()
	}
	if len(h.connections) < 2*h.o.MaxHeld {
		h.connections[remote] = h.o.Now()
	}
}

// countFollowersLocked returns how many connections made a request recently. It removes idle ones at most once a second, because there may be many and
// each request calls it.
func (h *Hall) countFollowersLocked() int {
	now := h.o.Now()
	if now.Sub(h.lastSweep) < time.Second {
		return len(h.connections)
	}
	h.lastSweep = now
	for remote, seen := range h.connections {
		if now.Sub(seen) > followerTimeout {
			delete(h.connections, remote)
		}
	}
	return len(h.connections)
}
