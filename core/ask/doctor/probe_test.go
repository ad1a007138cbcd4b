package doctor_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"informerscope/core/ask/doctor"
	"informerscope/core/log/fold"
	"informerscope/core/words/event"
)

// script writes a log as a probe does: entries name their causes, and writes do not say which version they send.
type script struct {
	events []event.Entry
	at     time.Duration
	rv     int
}

func (s *script) add(d time.Duration, es ...event.Event) {
	for _, e := range es {
		s.at += d
		s.events = append(s.events, event.Entry{Seq: uint64(len(s.events) + 1), At: s.at, Event: e})
	}
}

func (s *script) next() string { s.rv++; return fmt.Sprint(100 + s.rv) }

// begin attaches to a process with a work queue of these keys, and handlers of these names.
func (s *script) begin(waiting []string, names ...string) {
	f := fold.NewFold()
	select1 := event.Selection{Source: "probe", Version: "v1", Resource: "configmaps", Kind: "ConfigMap", Releases: []string{"1.37"}}
	s.add(time.Millisecond, event.Selected{Selection: marshal(select1)}.Event())
	f.Apply(&s.events[0])
	state := f.WholeState(0)
	state.Running, state.Synced, state.Release = true, true, "1.37"
	state.Reflector.Phase, state.Reflector.Verb, state.Reflector.ResourceVersion = "watching", "WATCH", "100"
	state.Reflector.LastRequest = "/api/v1/namespaces/ns/configmaps?allowWatchBookmarks=true&watch=true"
	state.Fidelity = map[string]fold.Fidelity{"workqueue": {How: "exact"}}
	state.Workqueue = &fold.Workqueue{Queue: waiting, Depth: len(waiting)}
	for i, name := range names {
		state.Listeners = append(state.Listeners, fold.Listener{ID: int32(i + 1), Name: name})
	}
	s.add(time.Millisecond, event.Restored{State: marshal(state)}.Event())
}

// run lets a worker reconcile a key that an event of an object has woken. write is empty for none.
func (s *script) run(key, object, rv, write string) {
	s.add(5*time.Millisecond,
		event.Stored{Kind: event.KindStoreUpdated, Op: event.OpUpdated, Key: object, RV: rv}.Event(),
		event.Work{Kind: event.KindWorkAdded, Key: key, N: 1, Op: event.OpUpdated, Object: object, RV: rv, Worker: 1, Lane: 1}.Event(),
		event.Work{Kind: event.KindWorkTaken, Key: key, Worker: 1}.Event(),
		event.ListerRead{Key: object, RV: rv, Worker: 1}.Event())
	if write != "" {
		s.write(key, http.MethodPut, object, "status", write)
	}
	s.add(5*time.Millisecond, event.Work{Kind: event.KindWorkDone, Key: key, Worker: 1}.Event())
}

func (s *script) write(key, verb, object, subresource, rv string) {
	resource := []event.IndexValues{{Index: "resource", Values: []string{"configmaps"}}}
	if subresource != "" {
		resource = append(resource, event.IndexValues{Index: "subresource", Values: []string{subresource}})
	}
	asked := object
	if verb == http.MethodPost {
		asked = ""
	}
	s.add(5*time.Millisecond,
		event.ClusterWrite{Key: key, Verb: verb, Worker: 1, Lane: 1, Objects: []event.Item{{Key: asked, Indexed: resource}}}.Event(),
		event.ClusterWritten{Key: key, Verb: verb, Worker: 1, Lane: 1, RV: rv, Objects: []event.Item{{Key: object, Indexed: resource}}}.Event())
}

// findings examines the log.
func (s *script) findings() []doctor.Finding {
	d, f := doctor.New(), fold.NewFold()
	for i := range s.events {
		d.See(&s.events[i])
		f.Apply(&s.events[i])
	}
	return d.Findings(f, 0)
}

// TestRecordingsOfAProbe plays logs as a probe writes them, with a fault and without.
func TestRecordingsOfAProbe(t *testing.T) {
	for _, x := range []struct {
		name string
		do   func(s *script)
		want string // the findings of weight
	}{
		{"a status that is written at each reconcile", func(s *script) {
			s.begin(nil)
			rv := s.next()
			for range 12 {
				version := rv
				rv = s.next()
				s.run("ns/a", "ns/a", version, rv)
			}
		}, "critical self-caused-loop: ns/a woke itself 11 times in a row within 385 ms, and nothing else woke it. Each time its own write did: PUT " +
			"configmaps/status ns/a."},

		{"a write for each of twelve changes by others", func(s *script) {
			s.begin(nil)
			for range 12 {
				made := s.next()
				s.run("ns/a", "ns/a", s.next(), made) // the answer is older than what comes next
				s.run("ns/a", "ns/a", s.next(), "")
			}
		}, ""},

		{"a list that is older than the watch before it", func(s *script) {
			s.begin(nil)
			s.add(time.Second, event.WatchEvent{Op: event.OpUpdated, Key: "ns/a", RV: "993"}.Event(), event.ReflectorRV{RV: "993"}.Event())
			s.add(time.Second, event.Event{Kind: event.KindWatchClosed}, event.RequestSent{Verb: event.VerbList}.Event(),
				event.Event{Kind: event.KindRequestAnswered}, event.ReflectorRV{RV: "728"}.Event())
		}, "warning versions-went-back: A list of configmaps has version 728. Version 993 had come before it."},

		{"a list that is newer, and another of the same version", func(s *script) {
			s.begin(nil)
			s.add(time.Second, event.WatchEvent{Op: event.OpUpdated, Key: "ns/a", RV: "993"}.Event())
			for range 2 {
				s.add(time.Second, event.RequestSent{Verb: event.VerbList}.Event(), event.Event{Kind: event.KindRequestAnswered}, event.ReflectorRV{RV: "1005"}.Event())
			}
		}, ""},

		{"a watch beside the informer's own, that stays open", func(s *script) {
			s.begin(nil)
			s.add(time.Second, event.WireRequest{Req: 2, URL: "/api/v1/namespaces/ns/configmaps?watch=true", Unowned: true}.Event(),
				event.WireResponse{Req: 2, Status: 200}.Event())
			s.add(12*time.Second, event.Note{Text: "the end"}.Event())
		}, "warning unshared-informers: A further watch of configmaps is open, which none of the informers seen here has: " +
			"/api/v1/namespaces/ns/configmaps?watch=true."},

		{"one that ends soon, and one that has just begun", func(s *script) {
			s.begin(nil)
			request := func(id uint32) event.Event {
				return event.WireRequest{Req: id, URL: "/api/v1/namespaces/ns/configmaps?watch=true", Unowned: true}.Event()
			}
			s.add(time.Second, request(2), event.WireResponse{Req: 2, Status: 200}.Event())
			s.add(5*time.Second, event.WireDone{Req: 2}.Event(), request(3))
			s.add(5*time.Second, event.Note{Text: "the end"}.Event())
		}, ""},

		{"a patch that changes nothing", func(s *script) {
			s.begin(nil)
			rv := s.next()
			for range 12 {
				s.run("ns/a", "ns/a", rv, rv)
			}
		}, ""},

		{"a read that misses an own create, and creates another", func(s *script) {
			s.begin(nil)
			const taken, done = event.KindWorkTaken, event.KindWorkDone
			for i := range 2 {
				s.add(5*time.Millisecond, event.Work{Kind: event.KindWorkAdded, Key: "ns/a", Flag: true, N: 1}.Event(),
					event.Work{Kind: taken, Key: "ns/a", Worker: 1}.Event(), event.ListerList{Worker: 1, Lane: 1, Index: "namespace=ns"}.Event())
				s.write("ns/a", http.MethodPost, fmt.Sprintf("ns/child-%d", i), "", s.next())
				s.add(5*time.Millisecond, event.Work{Kind: done, Key: "ns/a", Worker: 1}.Event())
			}
		}, "critical reads-before-own-writes: ns/a created ns/child-1 although it had created ns/child-0 before: its read did not show that yet. " +
			"Such duplicates: 1."},

		{"a read that sees what was created", func(s *script) {
			s.begin(nil)
			for i := range 12 {
				rv, child := s.next(), fmt.Sprintf("ns/child-%d", i)
				s.add(5*time.Millisecond, event.Work{Kind: event.KindWorkAdded, Key: "ns/a", Flag: true, N: 1}.Event(),
					event.Work{Kind: event.KindWorkTaken, Key: "ns/a", Worker: 1}.Event(), event.ListerList{Worker: 1, Lane: 1, Index: "namespace=ns"}.Event())
				s.write("ns/a", http.MethodPost, child, "", rv)
				s.add(5*time.Millisecond, event.Work{Kind: event.KindWorkDone, Key: "ns/a", Worker: 1}.Event(),
					event.Stored{Kind: event.KindStoreAdded, Op: event.OpAdded, Key: child, RV: rv}.Event())
			}
		}, ""},

		{"a key that never has its turn in a priority queue", func(s *script) {
			s.begin([]string{"ns/low"})
			for i := range 800 {
				s.run(fmt.Sprintf("ns/high-%d", i%40), "ns/x", s.next(), "")
			}
		}, "warning starved-keys: ns/low waited 20 s for a worker, while 800 keys or more that came later were taken first. Such waits: 1."},

		{"keys that wait in a queue that is paused", func(s *script) {
			s.begin(nil)
			s.add(time.Second, event.Work{Kind: event.KindWorkPaused}.Event())
			for i := range 5 {
				s.add(time.Millisecond, event.Work{Kind: event.KindWorkAdded, Key: fmt.Sprint("ns/a-", i), N: i + 1}.Event())
			}
			s.add(20*time.Second, event.Work{Kind: event.KindWorkResumed}.Event())
			for i := range 5 {
				key := fmt.Sprint("ns/a-", i)
				s.add(time.Millisecond, event.Work{Kind: event.KindWorkTaken, Key: key, Worker: 1, N: 4 - i}.Event())
				s.add(time.Millisecond, event.Work{Kind: event.KindWorkDone, Key: key, Worker: 1}.Event())
			}
			s.add(time.Second, event.Work{Kind: event.KindWorkPaused}.Event(), event.Work{Kind: event.KindWorkAdded, Key: "ns/b", N: 1}.Event(),
				event.Work{Kind: event.KindWorkAdded, Key: "ns/c", N: 2}.Event(), event.Work{Kind: event.KindWorkAdded, Key: "ns/d", N: 3}.Event())
			s.add(20*time.Second, event.Note{Text: "the end"}.Event())
		}, ""},

		{"a long backlog in a FIFO", func(s *script) {
			var all []string
			for i := range 800 {
				all = append(all, fmt.Sprintf("ns/k-%d", i))
			}
			s.begin(all)
			for i, key := range all {
				s.add(30*time.Millisecond, event.Work{Kind: event.KindWorkTaken, Key: key, Worker: 1, N: len(all) - i - 1}.Event(),
					event.Work{Kind: event.KindWorkDone, Key: key, Worker: 1}.Event())
			}
		}, ""},

		{"one worker for ten keys that take 3 s", func(s *script) {
			s.begin([]string{"k-1", "k-2", "k-3", "k-4", "k-5", "k-6", "k-7", "k-8", "k-9", "k-0"})
			for i := range 20 {
				key := fmt.Sprint("k-", (i+1)%10)
				s.add(time.Millisecond, event.Work{Kind: event.KindWorkTaken, Key: key, Worker: 1, N: 9}.Event())
				s.add(3*time.Second, event.Work{Kind: event.KindWorkDone, Key: key, Worker: 1}.Event())
				s.add(0, event.Work{Kind: event.KindWorkAdded, Key: key, N: 10}.Event())
			}
			s.add(time.Millisecond, event.Work{Kind: event.KindWorkTaken, Key: "k-1", Worker: 1, N: 9}.Event())
			s.add(time.Second, event.Note{Text: "the end"}.Event())
		}, "warning busy-workers: 1 of 1 workers are busy all the time, for 61 s. A reconcile takes 3.0 s; 9 wait, the oldest for 25 s."},

		{"a handler that hung before the recording", func(s *script) {
			s.begin(nil, "main.mail")
			s.add(time.Millisecond, event.Handling{Listener: 1}.Event())
			s.add(0, event.Sampled{Sample: `{"listeners":[{"id":1,"ring":1024,"capacity":1024}]}`}.Event())
			s.add(40*time.Second, event.Note{Text: "the recording ends"}.Event())
		}, "critical stuck-handler: A call of main.mail has run for 40 s, and 1024 notifications wait behind it."},

		{"lists that fail for an informer that has never had one", func(s *script) {
			s.begin(nil)
			s.events[1] = event.Entry{Seq: 2, At: s.at, Event: event.Event{Kind: event.KindInformerStarted}}
			for range 5 {
				s.add(5*time.Second, event.ListWatchStarted{Why: "500"}.Event(), event.RequestSent{Req: 1, Verb: event.VerbList}.Event(),
					event.RequestAnswered{Req: 1, Err: &event.LoggedError{Message: "Too Many Requests", Code: 429}}.Event())
			}
		}, "critical never-synced: It has run for 75 s and has not synced. It waits for this: its first list fails. The API server sheds load (429 Too Many " +
			"Requests). From the API server: “Too Many Requests”."},

		{"a hundred handlers", func(s *script) {
			s.begin(nil, "main.enqueue")
			for i := range 100 {
				s.add(10*time.Millisecond, event.ListenerAdded{Listener: int32(i + 2), Name: "main.mail", Late: true}.Event())
			}
		}, "warning leaked-handlers: The informer has 100 handlers named main.mail, and none was removed. Each change goes to all."},

		{"a hundred handlers from before the recording", func(s *script) {
			names := []string{"main.enqueue"}
			for range 100 {
				names = append(names, "main.mail")
			}
			s.begin(nil, names...)
			s.add(time.Second, event.Note{Text: "the end"}.Event())
		}, "warning leaked-handlers: The informer has 100 handlers named main.mail, and none was removed. Each change goes to all."},

		{"an object that a handler changed", func(s *script) {
			s.begin(nil, "main.label")
			s.add(time.Millisecond, event.Mutated{Key: "ns/a", RV: "5", Listener: 1, Change: "{}"}.Event())
		}, "critical mutated-objects: main.label changed ns/a, which it shares with the store; such changes: 1."},

		{"an own write that the watch does not bring", func(s *script) {
			s.begin(nil)
			s.run("ns/a", "ns/a", s.next(), s.next())
			s.add(20*time.Second, event.Note{Text: "the end"}.Event())
		}, "critical dead-watch: The open watch has brought nothing for 20 s. It lacks version 102 of ns/a, which an own write made 20 s ago."},

		{"an own write that the watch brings", func(s *script) {
			s.begin(nil)
			made := s.next()
			s.run("ns/a", "ns/a", s.next(), made)
			s.run("ns/a", "ns/a", s.next(), s.next())
			s.add(10*time.Second, event.WatchEvent{Op: event.OpUpdated, Key: "ns/a", RV: "104"}.Event())
			s.add(20*time.Second, event.Note{Text: "the end"}.Event())
		}, ""},

		{"an own write whose version the store has", func(s *script) { // its frame came before the log
			s.begin(nil)
			s.write("ns/a", http.MethodPost, "ns/a", "", "105")
			s.add(time.Second, event.Stored{Kind: event.KindStoreAdded, Op: event.OpAdded, Key: "ns/a", RV: "105"}.Event())
			s.add(20*time.Second, event.Note{Text: "the end"}.Event())
		}, ""},

		{"an own write outside of what the watch asks for", func(s *script) {
			s.begin(nil)
			s.write("other/a", http.MethodPut, "other/a", "", "105")
			s.write("ns/a", http.MethodPut, "ns/a", "scale", "106")
			s.add(20*time.Second, event.Note{Text: "the end"}.Event())
		}, ""},

		{"an own write beside a watch with a selector", func(s *script) {
			s.begin(nil)
			s.add(time.Millisecond, event.RequestSent{Req: 2, Verb: event.VerbWatch, Options: &metav1.ListOptions{LabelSelector: "a=b"}}.Event(),
				event.RequestAnswered{Req: 2}.Event())
			s.write("ns/a", http.MethodPut, "ns/a", "", "105")
			s.add(20*time.Second, event.Note{Text: "the end"}.Event())
		}, ""},

		{"a silent watch that is closed at last", func(s *script) {
			s.begin(nil)
			s.write("ns/a", http.MethodPut, "ns/a", "", "105")
			s.add(5*time.Minute, event.WatchClosed{Why: "the stream ended"}.Event())
		}, "warning dead-watch: Watches that turned out to be dead: 1, the last one after 300 s of silence or more. What changed in that time was missing " +
			"until the next request."},

		{"a quiet watch without bookmarks", func(s *script) { // of events, and until the version grows
			s.begin(nil)
			s.add(10*time.Minute, event.Note{Text: "the end"}.Event())
		}, ""},

		{"a watch whose bookmarks stop", func(s *script) {
			s.begin(nil)
			s.add(time.Minute, event.WatchEvent{Op: event.OpBookmark, RV: "105"}.Event())
			s.add(3*time.Minute, event.Note{Text: "the end"}.Event())
		}, "critical dead-watch: The open watch has brought neither an event nor a bookmark for 180 s."},

		{"a connection that was lost soon after the log began", func(s *script) {
			s.begin(nil)
			s.add(10*time.Second, event.WatchClosed{Err: &event.LoggedError{Message: "cut off: client connection lost", Cause: "timeout"}}.Event())
		}, "warning dead-watch: Watches that turned out to be dead: 1, the last one after 10 s of silence or more. What changed in that time was missing " +
			"until the next request."},
	} {
		t.Run(x.name, func(t *testing.T) {
			s := &script{}
			x.do(s)
			var got []string
			for _, f := range s.findings() {
				if f.Weight != doctor.Hint {
					got = append(got, fmt.Sprintf("%s %s: %s", f.Weight, f.Rule, f.What.EN))
				}
			}
			if strings.Join(got, "\n") != x.want {
				t.Errorf("it found\n%s\nwant\n%s", strings.Join(got, "\n"), x.want)
			}
		})
	}
}

func marshal(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}
