package play

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sort"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// store is the store of a queue. Its keys are sorted, so that the queue finds them in a fixed order.
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

func newThing(name string, rv int) *object {
	return &object{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name, ResourceVersion: fmt.Sprint(rv)}}
}

func deltaText(kind string, o any) string {
	switch d := o.(type) {
	case Tombstone:
		return fmt.Sprintf("%s tombstone[%s of %s]", kind, d.Key, deltaText("", d.Obj))
	case ReplacedAll:
		return fmt.Sprintf("%s at %s %s", kind, d.ResourceVersion, thingsText(d.Objects))
	case Bookmark:
		return kind + " at " + d.ResourceVersion
	case SyncAll, nil:
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

// anyRelease stands for all releases without patterns of their own.
const anyRelease Release = ""

// queueScript is a script for a queue alone.
type queueScript struct {
	behind []string // keys in the store of the queue
	play   func(q *probe)
	// want has patterns for the output by release. The patterns of anyRelease are for all releases that have none.
	want map[Release][]string
}

// probe is a queue under test, with its output.
type probe struct {
	*Queue
	b strings.Builder
}

func (p *probe) report(what string, err error) {
	line(&p.b, "%s: failed=%v synced=%v done=%v", what, err != nil, p.HasSynced(), p.Done())
}

// pop pops once, calls during while the queue processes the popped item, and returns a description of the item.
func (p *probe) pop(during func() error) (string, error) {
	text := ""
	err := p.Pop(func(how string, kinds []string, objects []any, initial bool) error {
		text = how
		for i := range kinds {
			text += " " + deltaText(kinds[i], objects[i]) + ";"
		}
		text += fmt.Sprint(" initial=", initial)
		return during()
	})
	return text, err
}

// take pops at most n items, and stops when the queue is closed and empty.
func (p *probe) take(n int) {
	for range n {
		text, err := p.pop(func() error { return nil })
		if errors.Is(err, p.Closed) {
			line(&p.b, "closed and empty")
			return
		}
		line(&p.b, "popped %s error=%v synced=%v done=%v", text, err, p.HasSynced(), p.Done())
	}
}

// drain closes the queue and pops all items.
func (p *probe) drain() {
	p.Close()
	p.take(100000)
}

var queueScripts = map[string]queueScript{
	"burst": {play: func(q *probe) {
		q.report("replace", q.Replace([]any{}, "1"))
		for i, n := range []string{"a", "b", "a", "c", "b"} {
			q.report("update "+n, q.Update(newThing(n, 10+i)))
		}
		q.drain()
	}, want: map[Release][]string{E131: {`Updated a@10; Updated a@12; initial`, `Updated b@11; Updated b@14; initial`, `Updated c@13; initial`}}},
	"every delta in order": {play: func(q *probe) {
		q.report("add", q.Add(newThing("a", 1)))
		q.report("update", q.Update(newThing("b", 2)))
		q.report("delete", q.Delete(newThing("a", 3)))
		q.report("delete", q.Delete(newThing("a", 4)))
		q.report("add", q.Add(newThing("a", 5)))
		q.drain()
	}, want: map[Release][]string{anyRelease: {`(?s)Added a@1;.*Updated b@2;.*Deleted a@3;.*Deleted a@4;.*Added a@5`}}},
	"deletes merge": {behind: []string{"a", "b"}, play: func(q *probe) {
		q.report("delete", q.Delete(newThing("a", 1)))
		q.report("delete", q.Delete(newThing("a", 2)))
		q.report("delete", q.Delete(newThing("b", 3)))
		q.report("replace without them", q.Replace([]any{}, "4"))
		q.drain()
	}, want: map[Release][]string{E131: {`popped single Deleted a@\d; initial`, `popped single Deleted b@3; initial`}}},
	"replace": {behind: []string{"gone", "kept", "queued"}, play: func(q *probe) {
		q.report("update", q.Update(newThing("queued", 5)))
		q.report("update", q.Update(newThing("fresh", 6)))
		q.report("delete", q.Delete(newThing("kept", 7)))
		q.report("replace", q.Replace([]any{newThing("kept", 8), newThing("new", 9), newThing("kept", 10)}, "11"))
		q.drain()
	}, want: map[Release][]string{
		E131:       {`Deleted kept@7; Replaced kept@8; Replaced kept@10;`, `Deleted tombstone.ns/gone of`, `Deleted tombstone.ns/queued of`},
		E133:       {`(?s)Deleted kept@7;.*Deleted tombstone.ns/queued of  queued@5.*Deleted tombstone.ns/fresh of  fresh@6.*Deleted tombstone.ns/gone.*Replaced kept@8.*Replaced new@9.*Replaced kept@10`},
		E135:       {`Deleted tombstone.ns/queued of  queued@5.; Deleted tombstone.ns/fresh of  fresh@6.; Deleted tombstone.ns/gone.*; Replaced kept@8; Replaced new@9;`},
		anyRelease: {`ReplacedAll at 11  kept@8 new@9 kept@10;`}}},
	"resync with a queued key": {behind: []string{"a", "b"}, play: func(q *probe) {
		q.report("replace", q.Replace([]any{newThing("a", 1), newThing("b", 1)}, "1"))
		for range 3 {
			if !q.HasSynced() {
				q.take(1)
			}
		}
		q.report("update", q.Update(newThing("a", 2)))
		q.report("resync", q.Resync())
		q.drain()
	}, want: map[Release][]string{anyRelease: {`Sync b@1`}}},
	"resync of an atomic queue": {play: func(q *probe) {
		q.report("update", q.Update(newThing("a", 2)))
		q.report("resync", q.Resync())
		q.report("resync", q.Resync())
		q.drain()
	}, want: map[Release][]string{anyRelease: {`(?s)SyncAll;.*SyncAll;`}}},
	"bookmark": {play: func(q *probe) {
		q.report("bookmark", q.Bookmark("5"))
		q.report("update", q.Update(newThing("a", 6)))
		q.report("bookmark", q.Bookmark("7"))
		q.drain()
	}, want: map[Release][]string{anyRelease: {`single Bookmark at 5`, `single Bookmark at 7`}}},
	"batches": {play: func(q *probe) {
		var objs []any
		for i := range 1500 {
			objs = append(objs, newThing(fmt.Sprint("o", i), 1))
		}
		q.report("replace", q.Replace(objs, "5"))
		for i := range 2600 {
			_ = q.Update(newThing(fmt.Sprint("o", i), 2))
		}
		for _, n := range []string{"a", "b", "a", "c", "c"} { // a repeated key ends a batch
			_ = q.Update(newThing(n, 3))
		}
		q.report("resync", q.Resync())
		q.report("bookmark", q.Bookmark("9"))
		_ = q.Update(newThing("mute", 4)) // the transform removes its metadata: a key error
		_ = q.Update(newThing("d", 5))
		_ = q.Update(newThing("e", 5))
		q.drain()
	}, want: map[Release][]string{anyRelease: {`batch Updated o0@2;`, `batch Updated o1000@2;`}}},
	"single": {play: func(q *probe) {
		q.report("update", q.Update(newThing("a", 1)))
		q.take(1)
		q.report("update", q.Update(newThing("a", 2)))
		q.report("update", q.Update(newThing("b", 2)))
		q.take(1)
		q.drain()
	}, want: map[Release][]string{E135: {`popped batch Updated a@1`, `popped batch Updated a@2; Updated b@2;`},
		anyRelease: {`popped single Updated a@1`, `popped batch Updated a@2; Updated b@2;`}}},
	"closed": {play: func(q *probe) {
		q.report("update", q.Update(newThing("a", 1)))
		q.report("update", q.Update(newThing("b", 2)))
		q.Close()
		line(&q.b, "closed=%v", q.IsClosed())
		q.take(10)
	}, want: map[Release][]string{anyRelease: {`(?s)closed=true.*Updated a@1;.*Updated b@2;.*closed and empty`}}},
	"add before replace": {play: func(q *probe) {
		line(&q.b, "synced=%v", q.HasSynced())
		q.report("update", q.Update(newThing("a", 1)))
		q.take(1)
		q.report("replace", q.Replace([]any{newThing("a", 2)}, "2"))
		q.drain()
	}, want: map[Release][]string{anyRelease: {`^synced=false`, `update: failed=false synced=true done=true`, `initial=false`}}},
	"population": {behind: []string{"gone"}, play: func(q *probe) {
		q.report("replace", q.Replace([]any{newThing("a", 1), newThing("b", 2)}, "2"))
		q.report("update", q.Update(newThing("c", 3)))
		q.drain()
	}, want: map[Release][]string{anyRelease: {`replace: failed=false synced=false`, `initial=true`, `Updated c@3; initial=false`}}},
	"empty replace": {play: func(q *probe) {
		q.report("replace", q.Replace([]any{}, "2"))
		q.drain()
		line(&q.b, "synced=%v", q.HasSynced())
	}, want: map[Release][]string{
		E131: {`replace: failed=false synced=true`}, E133: {`replace: failed=false synced=true`}, E135: {`replace: failed=false synced=true`},
		anyRelease: {`replace: failed=false synced=false`, `ReplacedAll at 2 ; initial=true`, `^synced=true`}}},
}

// muteTransform is a transform that removes the metadata, and so the key, from objects named "mute", and fails for those named "bad".
func muteTransform(o any) (any, error) {
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

// queueRow is a row that plays a queueScript to a release's queue.
func queueRow(item int, name string, releases []Release, script string) Row {
	s, ok := queueScripts[script]
	if !ok {
		panic("no queue script " + script)
	}
	r := Row{Item: item, Name: name, Releases: releases, wantIn: map[Release][]string{}, run: func(lib *Library) string {
		behind := store{}
		for _, k := range s.behind {
			behind["ns/"+k] = newThing(k, 1)
		}
		var transform TransformFunc
		if script == "batches" {
			transform = muteTransform
		}
		p := &probe{Queue: lib.Queue(QueueOptions{Behind: behind, Transform: transform})}
		s.play(p)
		return p.b.String()
	}}
	for _, release := range releases {
		if w, ok := s.want[release]; ok {
			r.wantIn[release] = w
		} else {
			r.wantIn[release] = s.want[anyRelease]
		}
	}
	return r
}

// RandomQueue performs the random operations of a seed on a release's queue. It returns what it observed, and how many items it popped before it closed
// the queue.
//
// A DeltaFIFO takes the order of the keys that a list lacks, and of the known keys, from its store, which is sorted here. But client-go walks the map
// of queued items in random order. So a list lacks at most one queued key.
func RandomQueue(seed uint64, lib *Library) (lines []string, pops int) {
	release := lib.Release
	d := dice{rand.New(rand.NewPCG(seed, release.number()))}
	names := []string{"a", "b", "c", "d", "bad", "mute"}
	behind := store{}
	for _, k := range names[:4] {
		if d.chance(3) {
			behind["ns/"+k] = newThing(k, 1)
		}
	}
	var transform TransformFunc
	if release != E131 {
		transform = muteTransform
	}
	p := &probe{Queue: lib.Queue(QueueOptions{Behind: behind, Transform: transform})}
	rv := 10
	for range 10 + d.IntN(60) {
		rv++
		o := newThing(names[d.IntN(len(names))], rv)
		if o.Name == "mute" && release < E137 {
			o.Name = "a" // in a queue that needs keys, a delta without one makes the queue useless
		}
		switch d.IntN(9) {
		case 0, 1:
			p.report("add", p.Add(o))
		case 2, 3:
			p.report("update", p.Update(o))
		case 4:
			p.report("delete", p.Delete(o))
		case 5:
			var objs []any
			missing := d.IntN(8)
			for i, k := range names[:4] {
				if i != missing {
					objs = append(objs, newThing(k, rv))
				}
			}
			if d.chance(4) {
				objs = append(objs, newThing("a", rv))
			}
			if d.chance(8) {
				objs = append(objs, newThing("bad", rv))
			}
			p.report("replace", p.Replace(slices.Clone(objs), fmt.Sprint(rv)))
		case 6:
			p.report("resync", p.Resync())
		case 7:
			p.report("bookmark", p.Bookmark(fmt.Sprint(rv)))
		case 8:
			p.report("add a thing without metadata", p.Add(7))
		}
		if d.chance(3) {
			// This is an item to pop.
			_ = p.Update(newThing("filler", rv))
			p.take(1)
			pops++
		}
	}
	p.drain()
	return strings.Split(p.b.String(), "\n"), pops
}
