package audience

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"informerscope/core/wire/broadcast"
	"informerscope/server/internal/testkit"
)

// slowly serves the broadcast to slow clients: ask requests a segment and returns the connection unread.
func slowly(t *testing.T, hall *Hall) (ask func(n uint64) (*http.Response, net.Conn)) {
	t.Helper()
	pipes := testkit.NewPipes()
	server := &http.Server{Handler: hall, ReadHeaderTimeout: time.Minute}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = server.Serve(pipes)
	}()
	t.Cleanup(func() {
		_ = server.Close()
		<-ended
	})
	return func(n uint64) (*http.Response, net.Conn) {
		t.Helper()
		c := pipes.Dial(t)
		if _, err := fmt.Fprintf(c, "GET %s%s/segments/%d HTTP/1.1\r\nHost: h\r\n\r\n", Prefix, hall.Token(), n); err != nil {
			t.Fatal(err)
		}
		response, err := http.ReadResponse(bufio.NewReaderSize(c, 512), nil)
		if err != nil {
			t.Fatal(err)
		}
		return response, c
	}
}

// heap is the size of live memory.
func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// bulky makes a directory with one segment of size bytes, which the server does not decode.
func bulky(t *testing.T, size int) (dir string, segment []byte) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "talk")
	hall := open(t, Options{Dir: dir})
	segment = make([]byte, size)
	source := rand.NewChaCha8([32]byte{7})
	_, _ = source.Read(segment)
	hall.mu.Lock()
	defer hall.mu.Unlock()
	if err := hall.appendLocked(segment, broadcast.Head{N: 1, Checkpoint: true, Fresh: true}, ""); err != nil {
		t.Fatal(err)
	}
	return dir, segment
}

// TestSlowFollowersHoldAPiece: after a restart, three hundred followers begin to read 3 MB each and stop. Together they hold a few megabytes and no
// open file. Those that continue get the whole segment.
func TestSlowFollowersHoldAPiece(t *testing.T) {
	const followers, size = 300, 3 << 20
	const ceiling = 32 << 20 // includes the clients' own memory
	dir, segment := bulky(t, size)
	hall := open(t, Options{Dir: dir})
	ask := slowly(t, hall)
	before := heap()
	files, _ := os.ReadDir("/proc/self/fd")
	var responses []*http.Response
	for range followers {
		response, c := ask(1)
		defer func() { _ = c.Close() }()
		if _, err := io.ReadFull(response.Body, make([]byte, 1)); err != nil || response.ContentLength != size {
			t.Fatalf("%s, %d bytes: %v", response.Status, response.ContentLength, err)
		}
		responses = append(responses, response)
	}
	awaitHeld(t, hall, followers)
	now := heap() - before
	t.Logf("%d followers hold %d KiB", followers, now>>10)
	if now > ceiling {
		t.Errorf("%d followers hold %d MiB", followers, now>>20)
	}
	if after, _ := os.ReadDir("/proc/self/fd"); len(after) > len(files)+10 {
		t.Errorf("%d files were open, and %d are", len(files), len(after))
	}
	for _, response := range responses[:3] {
		if rest, err := io.ReadAll(response.Body); err != nil || !bytes.Equal(rest, segment[1:]) {
			t.Errorf("%d bytes came, %v", len(rest)+1, err)
		}
	}
}

// TestAForgottenSegmentBreaksOff: a slow follower does not keep a segment in memory that the server has dropped.
func TestAForgottenSegmentBreaksOff(t *testing.T) {
	hall := open(t, Options{Memory: 1 << 20})
	ask := slowly(t, hall)
	s := speak(t, hall, broadcast.CutterOptions{})
	s.send()
	put := func(n uint64, size int) {
		t.Helper()
		hall.mu.Lock()
		defer hall.mu.Unlock()
		if err := hall.appendLocked(make([]byte, size), broadcast.Head{N: n, Checkpoint: true, Fresh: true}, ""); err != nil {
			t.Fatal(err)
		}
	}
	put(2, 600<<10)
	response, c := ask(2)
	defer func() { _ = c.Close() }()
	if _, err := io.ReadFull(response.Body, make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	put(3, 600<<10)
	if rest, err := io.ReadAll(response.Body); !errors.Is(err, io.ErrUnexpectedEOF) || len(rest) > 4*piece {
		t.Errorf("%d bytes came, %v", len(rest), err)
	}
	if second, _ := ask(2); second.StatusCode != http.StatusNotFound {
		t.Errorf("asked again: %s", second.Status)
	}
}

// TestFollowersAreBounded: slow followers count as waiting ones do, and make room when they leave.
func TestFollowersAreBounded(t *testing.T) {
	dir, _ := bulky(t, 100<<10)
	hall := open(t, Options{Dir: dir, MaxHeld: 3})
	ask := slowly(t, hall)
	var conns []net.Conn
	for range 3 {
		response, c := ask(1)
		conns = append(conns, c)
		if response.StatusCode != http.StatusOK {
			t.Fatal(response.Status)
		}
	}
	if response, _ := ask(1); response.StatusCode != http.StatusServiceUnavailable || response.Header.Get("Retry-After") == "" {
		t.Errorf("one too many: %s %v", response.Status, response.Header)
	}
	for _, c := range conns {
		_ = c.Close()
	}
	awaitHeld(t, hall, 0)
	if response, _ := ask(1); response.StatusCode != http.StatusOK {
		t.Errorf("after they went: %s", response.Status)
	}
}

// TestNothingIsLockedDuringACheck: while a segment is checked, followers get answers, and the speaker can begin another broadcast. The segment is
// then too late.
func TestNothingIsLockedDuringACheck(t *testing.T) {
	checking, goOn := make(chan struct{}), make(chan struct{})
	hall := open(t, Options{Text: func(s string) string {
		if strings.HasPrefix(s, "hold on") {
			close(checking)
			<-goOn
		}
		return s
	}})
	base := serve(t, hall).URL + Prefix + hall.Token() + "/"
	s := speak(t, hall, broadcast.CutterOptions{})
	s.send()
	if err := s.cut.Position(json.RawMessage(`{"page":"hold on"}`)); err != nil {
		t.Fatal(err)
	}
	seg, ok, err := s.cut.Cut()
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	posted := make(chan error, 1)
	go func() { posted <- hall.Segment(s.id, seg.N, seg.Bytes) }()
	<-checking
	if n := newest(t, base); n.Segments != 1 {
		t.Errorf("head %+v", n)
	}
	if response, _ := get(t, base+"segments/1"); response.StatusCode != http.StatusOK {
		t.Errorf("a segment: %s", response.Status)
	}
	id, first, err := hall.Begin(true)
	if err != nil || first != 2 {
		t.Fatal(first, err)
	}
	close(goOn)
	var p *Problem
	if err := <-posted; !errors.As(err, &p) || p.Code != 410 {
		t.Errorf("the segment of the talk before: %v", err)
	}
	if st := hall.Status(); st.Speaking != id || st.Segments != 1 {
		t.Errorf("status %+v", st)
	}
}

// TestManyFollowersAreCountedRarely: idle connections are removed once a second, not for each request.
func TestManyFollowersAreCountedRarely(t *testing.T) {
	var now time.Duration
	begun := time.Now()
	hall := open(t, Options{MaxHeld: 5, Now: func() time.Time { return begun.Add(now) }})
	full := 2 * hall.o.MaxHeld
	for i := range full {
		hall.notice(fmt.Sprint("early ", i))
	}
	for _, x := range []struct {
		at   time.Duration
		seen int
	}{{followerTimeout - time.Second/2, full}, {followerTimeout + time.Second/4, full}, {followerTimeout + time.Second/2, 1}} {
		now = x.at
		hall.notice(fmt.Sprint("late ", x.at))
		if len(hall.connections) != x.seen {
			t.Errorf("after %s %d are seen, want %d", x.at, len(hall.connections), x.seen)
		}
	}
}
