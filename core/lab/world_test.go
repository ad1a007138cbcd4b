package lab

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"informerscope/core/lab/selection"
	"informerscope/core/log/fold"
	"informerscope/core/log/trace"
	"informerscope/core/words/event"
)

// TestWorlds compares what the log says of the cluster, and of how far a store is apart from it, with the cluster and the store themselves. It does so at many
// moments of runs with holds, cuts, expired histories, deletions, selectors and shards.
func TestWorlds(t *testing.T) {
	for name, change := range map[string]selection.Change{
		"1.31":          {Release: ptr("1.31")},
		"1.35":          {Release: ptr("1.35")},
		"1.37":          {Release: ptr("1.37")},
		"a namespace":   {Namespace: ptr("shop")},
		"a label":       {Selector: ptr("tier=worker")},
		"two releases":  {Release: ptr("1.31,1.37")},
		"two resources": {Resource: ptr("pods,deployments.apps")},
		"a shard":       {},
		"a failover":    {},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				change.Rate, change.Objects = ptr(15.0), ptr(60)
				l, rec := start(t, change)
				rng := rand.New(rand.NewPCG(7, uint64(len(name))))
				pass(2 * time.Second)
				if name == "a shard" {
					err := errors.Join(l.Shutdown(), l.SetShard("1/2"))
					pass(time.Second)
					if err := errors.Join(err, l.Start("", "", "")); err != nil {
						t.Fatal(err)
					}
				}
				counted, most := 0, 0
				steps := 60
				if testing.Short() {
					steps = 20
				}
				for step := range steps {
					if name == "a failover" && step%10 == 5 {
						do(t, l, "failover", ClusterArgs{N: step % 20 * 4})
					}
					disturb(t, l, rng)
					pass(time.Duration(rng.IntN(1500)) * time.Millisecond)
					counted += compareWorlds(t, l, rec, fmt.Sprintf("step %d", step))
					most = max(most, state(rec).World.Apart)
				}
				if counted == 0 && name != "a failover" || most < 10 {
					t.Errorf("changes were counted at %d moments, and %d at most", counted, most)
				}
				for lane := range lanesOf(rec) {
					_ = l.Informer(lane).Release("pop", 0, 0) // if it is held
				}
				if _, err := l.Informer(0).Fault("refuse", FaultArgs{On: ptr(false)}); err != nil {
					t.Fatal(err)
				}
				do(t, l, "failover", ClusterArgs{})
				do(t, l, "rate", ClusterArgs{PerSecond: 0})
				pass(3 * time.Minute)
				compareWorlds(t, l, rec, "the end")
				compareSeen(t, rec)
				head, _ := rec.Head()
				for lane := range rec.FoldAt(head).Lanes() {
					if w := rec.FoldAt(head).LaneState(lane).World; w.Apart != 0 || w.OldestMillis != nil || w.Objects == 0 {
						t.Errorf("when all has come, %+v", w)
					}
				}
			})
		})
	}
}

func lanesOf(rec *trace.Recorder) int {
	head, _ := rec.Head()
	return rec.FoldAt(head).Lanes()
}

// disturb does something to the cluster, the connection or the informer.
func disturb(t *testing.T, l *Lab, rng *rand.Rand) {
	t.Helper()
	var err error
	switch x := rng.IntN(14); x {
	case 0, 1:
		err = l.Informer(0).Hold("pop", 0)
	case 2, 3, 4:
		_ = l.Informer(0).Release("pop", rng.IntN(6), 0) // if it is held
	case 5, 6:
		_, err = l.Informer(0).Fault("cut", FaultArgs{})
	case 7, 8:
		_, err = l.Informer(0).Fault("refuse", FaultArgs{On: ptr(x == 7)})
	case 9:
		do(t, l, "compact", ClusterArgs{})
	case 10:
		do(t, l, "expire", ClusterArgs{})
	case 11, 12:
		_, _ = l.Cluster("delete", ClusterArgs{}) // a random pod, if there is one
	case 13:
		do(t, l, "burst", ClusterArgs{N: 30})
	}
	if err != nil {
		t.Fatal(err)
	}
}

// compareWorlds compares the log with the cluster's own lists, and the number of changes apart with what is in the queue and what was not read.
func compareWorlds(t *testing.T, l *Lab, rec *trace.Recorder, when string) (counted int) {
	t.Helper()
	head, _ := rec.Head()
	f := rec.FoldAt(head)
	for i, ln := range l.exp.currentLanes() {
		path := "/" + ln.target.Resource
		if ns := l.exp.selection.ForTarget(ln.target.Target).WatchedNamespace(); ns != "" {
			path = "/namespaces/" + ns + path
		}
		if ln.target.Group == "" {
			path = "/api/" + ln.target.Version + path
		} else {
			path = "/apis/" + ln.target.Group + "/" + ln.target.Version + path
		}
		labels, shard := l.exp.selectors(ln)
		all, sent := listKeys(t, l, path, nil), listKeys(t, l, path, url.Values{"labelSelector": {labels}, "shardSelector": {shard.String()}})
		cluster, objects := f.Cluster(i), f.Objects(i)
		if cluster.Len() != len(all) {
			t.Fatalf("%s: lane %d: the cluster has %d objects, the log says %d", when, i, len(all), cluster.Len())
		}
		cluster.Range(func(key string, o fold.Held) bool {
			if o.RV != all[key] || o.Unsent != (sent[key] == "") {
				t.Fatalf("%s: lane %d: %s is %+v, and in the cluster %q, sent %q", when, i, key, o, all[key], sent[key])
			}
			c, here := objects.Get(key)
			if n := cluster.Apart(key); (n > 0) != (here && o.Unsent || !o.Unsent && c.RV != o.RV) {
				t.Fatalf("%s: lane %d: %s has %d changes apart: %+v, in the store %q", when, i, key, n, o, c.RV)
			}
			return true
		})
		objects.Range(func(c *fold.Cell) bool {
			if _, there := cluster.Get(c.Key); !there && cluster.Apart(c.Key) == 0 {
				t.Fatalf("%s: lane %d: %s is gone, and not apart", when, i, c.Key)
			}
			return true
		})
		s := f.WholeState(i)
		restored := fold.NewFold()
		for _, e := range f.Baseline() {
			restored.Apply(&e)
		}
		if got, want := worldText(restored.WholeState(i)), worldText(s); got != want {
			t.Fatalf("%s: lane %d: a baseline says\n%s\nnot\n%s", when, i, got, want)
		}
		// A server that is behind may take the store back. How many changes it then lacks is not known.
		if !strings.HasSuffix(t.Name(), "failover") && comparePassage(t, l, rec, s, i, when) {
			counted++
		}
	}
	return counted
}

// comparePassage: what the store lacks is in the queue, or was not read. While a list is on its way, the changes that it skips cannot be counted so; isCounted
// reports whether there were some that could.
func comparePassage(t *testing.T, l *Lab, rec *trace.Recorder, s *fold.State, lane int, when string) (isCounted bool) {
	t.Helper()
	var lacks []string
	for _, item := range s.Queue.Items {
		for _, d := range append(item.Deltas, item)[:max(len(item.Deltas), 1)] {
			switch {
			case d.Op == "Replaced" || d.Op == "ReplacedAll" || d.Tombstone:
				return false
			case d.Op == "Added" || d.Op == "Updated" || d.Op == "Deleted":
				lacks = append(lacks, d.RV)
			}
		}
	}
	if s.Reflector.Phase != "watching" && s.Reflector.Phase != "backoff" || s.Queue.BatchSize > 0 {
		return false
	}
	ln := l.exp.currentLanes()[lane]
	after := ln.reached.Load()
	if n, err := strconv.Atoi(l.exp.unread(ln, l.src.cluster)); err != nil {
		return false
	} else if s.World.Apart != n+len(lacks) {
		t.Fatalf("%s: lane %d: %d changes apart, %d wait in the queue and %d were not read", when, lane, s.World.Apart, len(lacks), n)
	}
	oldest := time.Duration(-1)
	head, _ := rec.Head()
	rec.Read(rec.First(), head, func(e *event.Entry) bool {
		if e.Kind != event.KindClusterChange || oldest >= 0 || e.Lane != uint8(lane) && (e.Lane > 0 || len(l.exp.selection.Resources) > 0) {
			return true
		}
		if rv, _ := strconv.ParseUint(e.RV(), 10, 64); slices.Contains(lacks, e.RV()) || rv > after && !e.ClusterChange().Unsent {
			oldest = e.At
		}
		return true
	})
	if s.World.Apart > 0 && s.World.OldestMillis == nil || oldest >= 0 && *s.World.OldestMillis != fold.Millis(oldest) {
		t.Fatalf("%s: lane %d: the oldest change was at %s, the log says %s", when, lane, oldest, worldText(s))
	}
	return s.World.Apart > 0
}

// compareSeen folds the log as if its cluster were another's, of which only the wire is known. In the end it has what was sent.
func compareSeen(t *testing.T, rec *trace.Recorder) {
	t.Helper()
	head, _ := rec.Head()
	f, whole := fold.NewFold(), rec.FoldAt(head)
	rec.Read(rec.First(), head, func(e *event.Entry) bool {
		if e.Kind == event.KindClusterObjects || e.Kind == event.KindClusterChange {
			return true
		}
		f.Apply(e)
		for i := range f.Lanes() {
			w := f.LaneState(i).World
			if e.Seq%512 > 0 || w.Known == "" {
				continue
			}
			if w.Known != "seen" || w.CameMillis == nil || *w.CameMillis > fold.Millis(e.At) {
				t.Fatalf("event %d: %+v", e.Seq, w)
			}
			f.Cluster(i).Range(func(key string, o fold.Held) bool {
				c, _ := f.Objects(i).Get(key)
				if n := f.Cluster(i).Apart(key); (n > 0) != (c.RV != o.RV) {
					t.Fatalf("event %d: %s has %d changes apart: %+v, in the store %q", e.Seq, key, n, o, c.RV)
				}
				return true
			})
		}
		return true
	})
	for i := range f.Lanes() {
		if w := f.LaneState(i).World; w.Apart != 0 || !w.Watched {
			t.Errorf("lane %d: in the end %+v", i, w)
		}
		sent := 0
		whole.Cluster(i).Range(func(key string, o fold.Held) bool {
			if !o.Unsent {
				sent++
			}
			if got, ok := f.Cluster(i).Get(key); ok == o.Unsent || ok && got.RV != o.RV {
				t.Errorf("lane %d: %s is %+v, and was seen %v as %+v", i, key, o, ok, got)
			}
			return true
		})
		if f.Cluster(i).Len() != sent {
			t.Errorf("lane %d: %d objects are seen, and %d were sent", i, f.Cluster(i).Len(), sent)
		}
	}
}

func worldText(s *fold.State) string {
	text, _ := json.Marshal(s.World)
	return string(text)
}

// listKeys returns the versions of what a list has, by key.
func listKeys(t *testing.T, l *Lab, path string, q url.Values) map[string]string {
	t.Helper()
	var list struct {
		Items []struct {
			Metadata struct{ Namespace, Name, ResourceVersion string }
		}
	}
	if err := l.src.cluster.Do(t.Context(), "GET", path+"?"+q.Encode(), nil, &list); err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, x := range list.Items {
		key := x.Metadata.Name
		if x.Metadata.Namespace != "" {
			key = x.Metadata.Namespace + "/" + key
		}
		out[key] = x.Metadata.ResourceVersion
	}
	return out
}
