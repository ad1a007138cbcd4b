package lab

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"informerscope/core/cluster/levers"
	"informerscope/core/cluster/simcluster"
	"informerscope/core/lab/selection"
	"informerscope/core/log/fold"
	"informerscope/core/log/trace"
	"informerscope/core/words/event"
)

// door is a relay's simulated cluster with a stream of writes. Each request for the stream takes the next connection.
type door struct {
	cluster     *simcluster.Cluster
	connections chan connection
	after       chan string   // the number in each request for the stream
	ended       chan struct{} // a client has ended its stream
}

// connection carries writes until it is closed.
type connection chan levers.Write

func (d *door) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/contexts":
		_, _ = io.WriteString(w, `{"current":"sim","contexts":[{"name":"sim","cluster":"sim","server":"sim","user":"admin","simulated":true}]}`)
	case levers.Path:
		levers.Handler(levers.Own(d.cluster)).ServeHTTP(w, r)
	case levers.WritesPath:
		d.after <- r.URL.Query().Get("after")
		d.stream(w, r)
	default:
		http.StripPrefix("/clusters/sim", d.cluster).ServeHTTP(w, r)
	}
}

func (d *door) stream(w http.ResponseWriter, r *http.Request) {
	var writes connection
	select {
	case writes = <-d.connections:
	case <-r.Context().Done():
		return
	}
	for {
		_, _ = io.WriteString(w, "\n")
		w.(http.Flusher).Flush()
		select {
		case <-r.Context().Done():
			close(d.ended)
			return
		case x, isOpen := <-writes:
			if !isOpen {
				return
			}
			_ = json.NewEncoder(w).Encode(x)
		}
	}
}

// audits returns the writes in a log, as lines.
func audits(rec *trace.Recorder) (lines []string) {
	head, _ := rec.Head()
	rec.Read(rec.First(), head, func(e *event.Entry) bool {
		if e.Kind == event.KindAudit {
			a, _ := fold.ReadAudit(e)
			lines = append(lines, fmt.Sprintf("%s %s %d %v by %s (%s)", a.Request(e.Key()), e.RV(), e.Audit().Status, e.Audit().Mark, a.Author, a.User))
		}
		return true
	})
	return lines
}

// waitForAudits waits until a log has n writes.
func waitForAudits(t *testing.T, rec *trace.Recorder, n int) []string {
	t.Helper()
	deadline := time.After(20 * time.Second)
	for {
		changed := rec.Changed()
		if lines := audits(rec); len(lines) >= n {
			return lines
		}
		select {
		case <-changed:
		case <-deadline:
			t.Fatalf("the log has these writes: %q; want %d", audits(rec), n)
		}
	}
}

// TestTheLogNamesAuthors watches pods of one namespace in a shared cluster whose stream of writes breaks once. The log has a person's writes, and those that
// made a version of a watched pod. A recording has them too.
func TestTheLogNamesAuthors(t *testing.T) {
	d := &door{simcluster.New(simcluster.Options{Seed: 7, Still: true}), make(chan connection), make(chan string, 2), make(chan struct{})}
	l, rec := liveLab(t, d.ServeHTTP)
	if _, err := l.Select(t.Context(), selection.Change{Source: ptr("live"), Context: ptr("sim"), Namespace: ptr("default")}); err != nil {
		t.Fatal(err)
	}
	seq := uint64(0)
	write := func(to connection, w levers.Write) {
		seq++
		if w.Seq = seq; w.Time.IsZero() {
			w.Time = time.Now().Add(time.Second) // an answer's date is in whole seconds
		}
		to <- w
	}
	kubelet := levers.Write{User: "system:node:a", Author: "kubelet", Verb: "patch", Status: 200, Resource: "pods", Subresource: "status",
		Namespace: "default", Name: "web", Version: "12"}
	person := levers.Write{User: "jane", Author: "kubectl", Person: true, Verb: "patch", Status: 200, Resource: "deployments.apps",
		Subresource: "scale", Namespace: "default", Name: "web", Version: "13", Words: "scaled default/web from 3 to 6"}
	with := func(w levers.Write, change func(*levers.Write)) levers.Write {
		change(&w)
		return w
	}

	first := make(connection)
	d.connections <- first
	old := func(w *levers.Write) { w.Time = time.Now().Add(-time.Hour) }
	write(first, with(person, old)) // says nothing about what is watched
	write(first, with(person, func(w *levers.Write) { old(w); w.Resource, w.Subresource, w.Version = "pods", "", "11" }))
	write(first, kubelet)
	write(first, with(kubelet, func(w *levers.Write) { w.Namespace = "kube-system" }))
	write(first, with(kubelet, func(w *levers.Write) { w.Resource, w.Subresource = "leases.coordination.k8s.io", "" }))
	write(first, with(kubelet, func(w *levers.Write) { w.Status = 409; w.Version = "" }))
	write(first, person)
	waitForAudits(t, rec, 3)
	close(first)

	second := make(connection)
	d.connections <- second
	write(second, with(person, func(w *levers.Write) { old(w); w.Status = 409; w.Version = "" })) // made while the connection was broken
	want := []string{
		"patch pods default/web 11 200 false by kubectl (jane)",
		"patch pods/status default/web 12 200 false by kubelet ()",
		"patch deployments.apps/scale default/web 13 200 true by kubectl (jane)",
		"patch deployments.apps/scale default/web  409 true by kubectl (jane)",
	}
	if got := waitForAudits(t, rec, len(want)); !slices.Equal(got, want) {
		t.Errorf("the log has\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if a, b := <-d.after, <-d.after; a != "0" || b != "7" {
		t.Errorf("writes were asked for after %s and after %s, want 0 and 7", a, b)
	}

	var file bytes.Buffer
	if _, err := l.Record(&file, false); err != nil {
		t.Fatal(err)
	}
	again := trace.NewRecorder(trace.RecorderOptions{})
	player := New(Options{Recorder: again})
	defer player.Close()
	if read, err := player.Load(&file); err != nil || read.Warning != "" {
		t.Fatal(read, err)
	}
	if got := audits(again); !slices.Equal(got, want) {
		t.Errorf("the recording has\n%s", strings.Join(got, "\n"))
	}
	var last *fold.PersonWrite
	for _, log := range []*trace.Recorder{rec, again} {
		head, _ := log.Head()
		if is := log.FoldAt(head).PersonWrite(); is == nil || !is.Refused() || last != nil && *is != *last {
			t.Errorf("the newest write of a person is %+v", is)
		} else {
			last = is
		}
	}

	// Somebody's program may write without end to what is not watched.
	began := time.Now().Unix()
	for range 3 * maxUnwatched {
		write(second, person)
	}
	write(second, with(kubelet, func(w *levers.Write) { w.Version = "99" }))
	var got []string
	for n := len(want) + 1; len(got) == 0 || !strings.Contains(got[len(got)-1], " 99 "); n = len(got) + 1 {
		got = waitForAudits(t, rec, n)
	}
	seconds := int(time.Now().Unix()-began) + 1
	if n := len(got) - len(want) - 1; n < maxUnwatched-1 || // the refused write may have been in that second
		n > seconds*maxUnwatched {
		t.Errorf("%d writes to what is not watched were logged", n)
	}
	l.Close()
	select {
	case <-d.ended:
	case <-time.After(20 * time.Second):
		t.Error("the stream is still read after the lab has ended")
	}
}
