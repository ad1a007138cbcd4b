package ownwrites

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sort"
	"time"
)

const (
	// MaxLag is the longest lag of a watch event.
	MaxLag = 2 * time.Second

	parentCount = 4
	childCount  = 3
	// changeCount is how often the user changes each parent after its creation. The last change scales it down by one child.
	changeCount = 4

	meanBetweenParents = 600 * time.Millisecond
	shortestBetween    = 80 * time.Millisecond
	longestBetween     = 900 * time.Millisecond
)

// Options of a Run.
type Options struct {
	// Seed decides when the user writes, and the names that the API servers generate.
	Seed uint64
	// Lag is how long a watch event is on its way, 0 to MaxLag.
	Lag time.Duration
	// Idle returns when nothing else in the program can run. In a bubble of testing/synctest that is synctest.Wait. Required.
	Idle func()
}

func (o Options) check() error {
	switch {
	case o.Lag < 0 || o.Lag > MaxLag:
		return fmt.Errorf("the lag is from 0 to %v, not %v", MaxLag, o.Lag)
	case o.Idle == nil:
		return errors.New("the laboratory runs on virtual time: it needs to know when nothing else can run, as in the page")
	}
	return nil
}

// Change is what a user does to a parent.
type Change string

const (
	// Create creates the parent.
	Create Change = "create"
	// Annotate changes an annotation, which gives the controller nothing to do.
	Annotate Change = "annotate"
	// Scale changes how many children the parent wants.
	Scale Change = "scale"
)

// Write is one write of the user.
type Write struct {
	// At is the time since the beginning, in whole milliseconds.
	At     time.Duration
	Parent string
	Change Change
	// Children is how many the parent wants from then on.
	Children int
}

// Load returns the writes of the user, in the order of their times. It depends only on the seed.
func Load(seed uint64) []Write {
	r := rand.New(rand.NewPCG(seed, 0x6c61626f7261746f))
	var all []Write
	for i := range parentCount {
		at := time.Duration(i)*meanBetweenParents + time.Duration(r.Int64N(int64(meanBetweenParents)))
		w := Write{Parent: fmt.Sprintf("web-%d", i+1), Change: Create, Children: childCount}
		for n := range changeCount + 1 {
			w.At = at.Truncate(time.Millisecond)
			all = append(all, w)
			at += shortestBetween + time.Duration(r.Int64N(int64(longestBetween-shortestBetween)))
			w.Change = Annotate
			if n == changeCount-1 {
				w.Change, w.Children = Scale, childCount-1
			}
		}
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].At < all[j].At })
	return all
}

// request returns the HTTP request of a write.
func (w Write) request() (method, path, contentType, body string) {
	const merge = "application/merge-patch+json"
	path = parentsPath + "/" + w.Parent
	switch w.Change {
	case Annotate:
		return http.MethodPatch, path, merge, fmt.Sprintf(`{"metadata":{"annotations":{"example.com/changed":"%d"}}}`, w.At.Milliseconds())
	case Scale:
		return http.MethodPatch, path, merge, fmt.Sprintf(`{"spec":{"replicas":%d}}`, w.Children)
	}
	return http.MethodPost, parentsPath, "application/json", fmt.Sprintf(`{"apiVersion":"apps/v1","kind":"ReplicaSet","metadata":{"name":%q},`+
		`"spec":{"replicas":%d,"selector":{"matchLabels":{"app":%q}},"template":{"metadata":{"labels":{"app":%q}},"spec":{"containers":[{"name":"web","image":"web:1.0.0"}]}}}}`,
		w.Parent, w.Children, w.Parent, w.Parent)
}
