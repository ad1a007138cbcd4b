package conformance

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sort"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clientgo "k8s.io/client-go/tools/cache"

	"informerscope/core/informer"
)

// fifo is a queue of either library, made as an informer of an era makes it.
type fifo struct {
	add, update, delete func(any) error
	replace             func([]any, string) error
	resync              func() error
	bookmark            func(string) error
	synced              func() bool
	done                func() bool
	close               func()
	closed              func() bool
	// pop pops once as the era's process loop does, and calls during while what was popped is processed.
	pop func(during func() error) (string, error)
}

// store is the store behind a queue. Its keys come sorted, so that what a
// queue finds there has an order.
type store map[string]any

func (s store) ListKeys() []string {
	keys := make([]string, 0, len(s))
	for k := range s {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}

func (s store) GetByKey(key string) (any, bool, error) {
	o, ok := s[key]
	return o, ok, nil
}

func thing(name string, rv int) *object {
	return &object{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name, ResourceVersion: fmt.Sprint(rv)}}
}

func deltaText(kind string, o any) string {
	switch d := o.(type) {
	case informer.DeletedFinalStateUnknown:
		return fmt.Sprintf("%s tombstone[%s of %s]", kind, d.Key, deltaText("", d.Obj))
	case clientgo.DeletedFinalStateUnknown:
		return fmt.Sprintf("%s tombstone[%s of %s]", kind, d.Key, deltaText("", d.Obj))
	case informer.ReplacedAllInfo:
		return fmt.Sprintf("%s at %s %s", kind, d.ResourceVersion, thingsText(d.Objects))
	case clientgo.ReplacedAllInfo:
		return fmt.Sprintf("%s at %s %s", kind, d.ResourceVersion, thingsText(d.Objects))
	case informer.BookmarkInfo:
		return kind + " at " + d.ResourceVersion
	case clientgo.BookmarkInfo:
		return kind + " at " + d.ResourceVersion
	case informer.SyncAllInfo, clientgo.SyncAllInfo, nil:
		return kind
	case metav1.Object:
		return kind + " " + d.GetName() + "@" + d.GetResourceVersion()
	}
	return fmt.Sprintf("%s %T", kind, o)
}

func thingsText(objs []any) string {
	var out []string
	for _, o := range objs {
		out = append(out, deltaText("", o))
	}
	return strings.Join(out, "")
}

func newFIFO(era informer.Era, mine bool, behind store, transform func(any) (any, error)) *fifo {
	batch := era >= informer.Era135
	if mine {
		var q informer.Queue
		switch {
		case era == informer.Era131:
			q = informer.NewDeltaFIFOWithOptions(informer.DeltaFIFOOptions{KnownObjects: behind, EmitDeltaTypeReplaced: true, Transformer: transform})
		case era == informer.Era137:
			q = informer.NewRealFIFOWithOptions(informer.RealFIFOOptions{AtomicEvents: true, UnlockWhileProcessing: true, EmitDeltaTypeBookmark: true, Transformer: transform})
		default:
			q = informer.NewRealFIFOWithOptions(informer.RealFIFOOptions{KnownObjects: behind, Transformer: transform})
		}
		return ourFIFO(q, batch)
	}
	var q clientgo.Queue
	switch {
	case era == informer.Era131:
		q = clientgo.NewDeltaFIFOWithOptions(clientgo.DeltaFIFOOptions{KnownObjects: behind, EmitDeltaTypeReplaced: true, Transformer: transform})
	case era == informer.Era137:
		q = clientgo.NewRealFIFOWithOptions(clientgo.RealFIFOOptions{AtomicEvents: true, UnlockWhileProcessing: true, EmitDeltaTypeBookmark: true, Transformer: transform})
	default:
		q = clientgo.NewRealFIFOWithOptions(clientgo.RealFIFOOptions{KnownObjects: behind, Transformer: transform})
	}
	return theirFIFO(q, batch)
}

func ourFIFO(q informer.Queue, batch bool) *fifo {
	f := &fifo{add: q.Add, update: q.Update, delete: q.Delete, replace: q.Replace, resync: q.Resync, synced: q.HasSynced, close: q.Close,
		bookmark: func(string) error { return nil },
		done:     func() bool { return informer.IsDone(q.HasSyncedChecker()) },
		closed:   q.(interface{ IsClosed() bool }).IsClosed}
	if b, ok := q.(informer.ReflectorBookmarkStore); ok {
		f.bookmark = b.Bookmark
	}
	f.pop = func(during func() error) (string, error) {
		text := ""
		say := func(how string, ds []informer.Delta, initial bool) error {
			text = how
			for _, d := range ds {
				text += " " + deltaText(string(d.Type), d.Object) + ";"
			}
			text += fmt.Sprint(" initial=", initial)
			return during()
		}
		single := func(o any, initial bool) error { return say("single", o.(informer.Deltas), initial) }
		if b, ok := q.(informer.QueueWithBatch); ok && batch {
			err := b.PopBatch(func(ds []informer.Delta, initial bool) error { return say("batch", ds, initial) }, single)
			return text, err
		}
		_, err := q.Pop(single)
		return text, err
	}
	return f
}

func theirFIFO(q clientgo.Queue, batch bool) *fifo {
	f := &fifo{add: q.Add, update: q.Update, delete: q.Delete, replace: q.Replace, resync: q.Resync, synced: q.HasSynced, close: q.Close,
		bookmark: func(string) error { return nil },
		done:     func() bool { return clientgo.IsDone(q.HasSyncedChecker()) },
		closed:   q.(interface{ IsClosed() bool }).IsClosed}
	if b, ok := q.(clientgo.ReflectorBookmarkStore); ok {
		f.bookmark = b.Bookmark
	}
	f.pop = func(during func() error) (string, error) {
		text := ""
		say := func(how string, ds []clientgo.Delta, initial bool) error {
			text = how
			for _, d := range ds {
				text += " " + deltaText(string(d.Type), d.Object) + ";"
			}
			text += fmt.Sprint(" initial=", initial)
			return during()
		}
		single := func(o any, initial bool) error { return say("single", o.(clientgo.Deltas), initial) }
		if b, ok := q.(clientgo.QueueWithBatch); ok && batch {
			err := b.PopBatch(func(ds []clientgo.Delta, initial bool) error { return say("batch", ds, initial) }, single)
			return text, err
		}
		_, err := q.Pop(single)
		return text, err
	}
	return f
}

// queueScript is what is done to a queue alone.
type queueScript struct {
	behind []string // keys in the store behind the queue
	play   func(q *probe)
	// want are patterns for what client-go says, by era; those of the default era are for all that have none.
	want map[informer.Era][]string
}

// probe is a queue under test, with what it said.
type probe struct {
	*fifo
	b strings.Builder
}

func (p *probe) did(what string, err error) {
	line(&p.b, "%s: failed=%v synced=%v done=%v", what, err != nil, p.synced(), p.done())
}

// take pops what is there: at most n times, until the filler that take puts behind it.
func (p *probe) take(n int) {
	for range n {
		inside := ""
		text, err := p.pop(func() error { return nil })
		if errors.Is(err, informer.ErrFIFOClosed) || errors.Is(err, clientgo.ErrFIFOClosed) {
			line(&p.b, "closed and empty")
			return
		}
		line(&p.b, "popped %s%s error=%v synced=%v done=%v", text, inside, err, p.synced(), p.done())
	}
}

// drain closes the queue and pops all there is.
func (p *probe) drain() {
	p.close()
	p.take(100000)
}

var queueScripts = map[string]queueScript{
	"burst": {play: func(q *probe) {
		q.did("replace", q.replace([]any{}, "1"))
		for i, n := range []string{"a", "b", "a", "c", "b"} {
			q.did("update "+n, q.update(thing(n, 10+i)))
		}
		q.drain()
	}, want: map[informer.Era][]string{informer.Era131: {`Updated a@10; Updated a@12; initial`, `Updated b@11; Updated b@14; initial`, `Updated c@13; initial`}}},
	"every delta in order": {play: func(q *probe) {
		q.did("add", q.add(thing("a", 1)))
		q.did("update", q.update(thing("b", 2)))
		q.did("delete", q.delete(thing("a", 3)))
		q.did("delete", q.delete(thing("a", 4)))
		q.did("add", q.add(thing("a", 5)))
		q.drain()
	}, want: map[informer.Era][]string{informer.EraDefault: {`(?s)Added a@1;.*Updated b@2;.*Deleted a@3;.*Deleted a@4;.*Added a@5`}}},
	"deletes merge": {behind: []string{"a", "b"}, play: func(q *probe) {
		q.did("delete", q.delete(thing("a", 1)))
		q.did("delete", q.delete(thing("a", 2)))
		q.did("delete", q.delete(thing("b", 3)))
		q.did("replace without them", q.replace([]any{}, "4"))
		q.drain()
	}, want: map[informer.Era][]string{informer.Era131: {`popped single Deleted a@\d; initial`, `popped single Deleted b@3; initial`}}},
	"replace": {behind: []string{"gone", "kept", "queued"}, play: func(q *probe) {
		q.did("update", q.update(thing("queued", 5)))
		q.did("update", q.update(thing("fresh", 6)))
		q.did("delete", q.delete(thing("kept", 7)))
		q.did("replace", q.replace([]any{thing("kept", 8), thing("new", 9), thing("kept", 10)}, "11"))
		q.drain()
	}, want: map[informer.Era][]string{
		informer.Era131:     {`Deleted kept@7; Replaced kept@8; Replaced kept@10;`, `Deleted tombstone.ns/gone of`, `Deleted tombstone.ns/queued of`},
		informer.Era133:     {`(?s)Deleted kept@7;.*Deleted tombstone.ns/queued of  queued@5.*Deleted tombstone.ns/fresh of  fresh@6.*Deleted tombstone.ns/gone.*Replaced kept@8.*Replaced new@9.*Replaced kept@10`},
		informer.Era135:     {`Deleted tombstone.ns/queued of  queued@5.; Deleted tombstone.ns/fresh of  fresh@6.; Deleted tombstone.ns/gone.*; Replaced kept@8; Replaced new@9;`},
		informer.EraDefault: {`ReplacedAll at 11  kept@8 new@9 kept@10;`}}},
	"resync with a queued key": {behind: []string{"a", "b"}, play: func(q *probe) {
		q.did("replace", q.replace([]any{thing("a", 1), thing("b", 1)}, "1"))
		for range 3 {
			if !q.synced() {
				q.take(1)
			}
		}
		q.did("update", q.update(thing("a", 2)))
		q.did("resync", q.resync())
		q.drain()
	}, want: map[informer.Era][]string{informer.EraDefault: {`Sync b@1`}}},
	"resync of an atomic queue": {play: func(q *probe) {
		q.did("update", q.update(thing("a", 2)))
		q.did("resync", q.resync())
		q.did("resync", q.resync())
		q.drain()
	}, want: map[informer.Era][]string{informer.EraDefault: {`(?s)SyncAll;.*SyncAll;`}}},
	"bookmark": {play: func(q *probe) {
		q.did("bookmark", q.bookmark("5"))
		q.did("update", q.update(thing("a", 6)))
		q.did("bookmark", q.bookmark("7"))
		q.drain()
	}, want: map[informer.Era][]string{informer.EraDefault: {`single Bookmark at 5`, `single Bookmark at 7`}}},
	"batches": {play: func(q *probe) {
		var objs []any
		for i := range 1500 {
			objs = append(objs, thing(fmt.Sprint("o", i), 1))
		}
		q.did("replace", q.replace(objs, "5"))
		for i := range 2600 {
			_ = q.update(thing(fmt.Sprint("o", i), 2))
		}
		for _, n := range []string{"a", "b", "a", "c", "c"} { // a repeated key ends a batch
			_ = q.update(thing(n, 3))
		}
		q.did("resync", q.resync())
		q.did("bookmark", q.bookmark("9"))
		_ = q.update(thing("mute", 4)) // the transform takes its metadata away: a key error
		_ = q.update(thing("d", 5))
		_ = q.update(thing("e", 5))
		q.drain()
	}, want: map[informer.Era][]string{informer.EraDefault: {`batch Updated o0@2;`, `batch Updated o1000@2;`}}},
	"single": {play: func(q *probe) {
		q.did("update", q.update(thing("a", 1)))
		q.take(1)
		q.did("update", q.update(thing("a", 2)))
		q.did("update", q.update(thing("b", 2)))
		q.take(1)
		q.drain()
	}, want: map[informer.Era][]string{informer.EraDefault: {`popped single Updated a@1`, `popped batch Updated a@2; Updated b@2;`}}},
	"closed": {play: func(q *probe) {
		q.did("update", q.update(thing("a", 1)))
		q.did("update", q.update(thing("b", 2)))
		q.close()
		line(&q.b, "closed=%v", q.closed())
		q.take(10)
	}, want: map[informer.Era][]string{informer.EraDefault: {`(?s)closed=true.*Updated a@1;.*Updated b@2;.*closed and empty`}}},
	"add before replace": {play: func(q *probe) {
		line(&q.b, "synced=%v", q.synced())
		q.did("update", q.update(thing("a", 1)))
		q.take(1)
		q.did("replace", q.replace([]any{thing("a", 2)}, "2"))
		q.drain()
	}, want: map[informer.Era][]string{informer.EraDefault: {`^synced=false`, `update: failed=false synced=true done=true`, `initial=false`}}},
	"population": {behind: []string{"gone"}, play: func(q *probe) {
		q.did("replace", q.replace([]any{thing("a", 1), thing("b", 2)}, "2"))
		q.did("update", q.update(thing("c", 3)))
		q.drain()
	}, want: map[informer.Era][]string{informer.EraDefault: {`replace: failed=false synced=false`, `initial=true`, `Updated c@3; initial=false`}}},
	"empty replace": {play: func(q *probe) {
		q.did("replace", q.replace([]any{}, "2"))
		q.drain()
		line(&q.b, "synced=%v", q.synced())
	}, want: map[informer.Era][]string{
		informer.Era131: {`replace: failed=false synced=true`}, informer.Era133: {`replace: failed=false synced=true`}, informer.Era135: {`replace: failed=false synced=true`},
		informer.EraDefault: {`replace: failed=false synced=false`, `ReplacedAll at 2 ; initial=true`, `^synced=true`}}},
}

// mute is a transform that takes the metadata, and so the key, from objects of
// one name, and fails for another.
func mute(o any) (any, error) {
	if m, ok := o.(*object); ok {
		switch m.Name {
		case "mute":
			return "not an object", nil
		case "bad":
			return nil, errors.New("no transform")
		}
	}
	return o, nil
}

// queueTest plays a queueScript to both libraries' queues.
func queueTest(name string) func(*testing.T, informer.Era) {
	return func(t *testing.T, era informer.Era) {
		s, ok := queueScripts[name]
		if !ok {
			t.Fatalf("no queue script %q", name)
		}
		text := bubbles(t, func(mine bool) string {
			behind := store{}
			for _, k := range s.behind {
				behind["ns/"+k] = thing(k, 1)
			}
			var transform func(any) (any, error)
			if name == "batches" {
				transform = mute
			}
			p := &probe{fifo: newFIFO(era, mine, behind, transform)}
			s.play(p)
			return p.b.String()
		})
		want, ok := s.want[era]
		if !ok {
			want = s.want[informer.EraDefault]
		}
		wantText(t, text, want...)
	}
}

// TestRandomQueues does the same random things to the queues of both libraries
// standing alone, as each era makes them. Where a DeltaFIFO takes the order of
// what is missing from a list, or of what is known, from its store, that has
// an order here; the order in which it walks its own map of queued items is
// left to chance by client-go, so at most one queued key is missing from a list.
func TestRandomQueues(t *testing.T) {
	n := 400
	if raceEnabled {
		n = 60
	}
	pops, total := 0, 0
	for _, era := range eras {
		t.Run(era.String(), func(t *testing.T) {
			for seed := range uint64(n) {
				d := dice{rand.New(rand.NewPCG(seed, uint64(era)))}
				names := []string{"a", "b", "c", "d", "bad", "mute"}
				behind := [2]store{{}, {}}
				for _, k := range names[:4] {
					if d.one(3) {
						behind[0]["ns/"+k], behind[1]["ns/"+k] = thing(k, 1), thing(k, 1)
					}
				}
				var transform func(any) (any, error)
				if era != informer.Era131 {
					transform = mute
				}
				probes := [2]*probe{{fifo: newFIFO(era, false, behind[0], transform)}, {fifo: newFIFO(era, true, behind[1], transform)}}
				rv, length := 10, 0
				both := func(f func(*probe)) {
					for _, p := range probes {
						f(p)
					}
				}
				for range 10 + d.IntN(60) {
					rv++
					o := thing(names[d.IntN(len(names))], rv)
					if o.Name == "mute" && era != informer.Era137 {
						o.Name = "a" // a keyless delta in a queue that must find keys makes it useless
					}
					switch d.IntN(9) {
					case 0, 1:
						both(func(p *probe) { p.did("add", p.add(o)) })
					case 2, 3:
						both(func(p *probe) { p.did("update", p.update(o)) })
					case 4:
						both(func(p *probe) { p.did("delete", p.delete(o)) })
					case 5:
						var objs []any
						missing := d.IntN(8)
						for i, k := range names[:4] {
							if i != missing {
								objs = append(objs, thing(k, rv))
							}
						}
						if d.one(4) {
							objs = append(objs, thing("a", rv))
						}
						if d.one(8) {
							objs = append(objs, thing("bad", rv))
						}
						both(func(p *probe) { p.did("replace", p.replace(slices.Clone(objs), fmt.Sprint(rv))) })
					case 6:
						both(func(p *probe) { p.did("resync", p.resync()) })
					case 7:
						both(func(p *probe) { p.did("bookmark", p.bookmark(fmt.Sprint(rv))) })
					case 8:
						both(func(p *probe) { p.did("add a thing without metadata", p.add(7)) })
					}
					length++
					if d.one(3) {
						// Something is there to be popped: this.
						both(func(p *probe) { _ = p.update(thing("filler", rv)); p.take(1) })
						pops++
					}
				}
				both((*probe).drain)
				total++
				if d := firstDifference(fmt.Sprintf("seed %d", seed), strings.Split(probes[1].b.String(), "\n"), strings.Split(probes[0].b.String(), "\n")); d != "" {
					t.Fatal(d)
				}
			}
		})
	}
	t.Logf("%d random queues, %d pops before the end", total, pops)
}
