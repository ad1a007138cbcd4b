package lab

import (
	"context"
	"errors"
	"strings"
	"time"

	"informerscope/core/ask/doctor"
	"informerscope/core/client/restwatch"
)

// Comparison is what plain lists say of the informers' stores.
type Comparison struct {
	// AtMillis is when they were compared, on the log's clock.
	AtMillis float64          `json:"atMillis"`
	Opinions []doctor.Opinion `json:"opinions"`
	// Findings are those of the log, and what the lists add.
	Findings []doctor.Finding `json:"findings"`
}

const (
	// compareTimeout bounds all lists of a comparison.
	compareTimeout = 30 * time.Second
	// settling is how long a comparison waits after the lists: what a list has by then has come by the watch too, or is late.
	settling = time.Second
)

// Compare asks the cluster again: it lists the resource of each informer, and says where its store and the cluster part. Only a cluster behind the relay
// is asked. It lists no Secrets, and nothing for an informer whose store has more than `most` objects. ErrSuperseded says that another selection was made
// meanwhile.
func (l *Lab) Compare(ctx context.Context, most int) (*Comparison, error) {
	l.mu.Lock()
	src, exp := l.src, l.exp
	l.mu.Unlock()
	if src == nil || src.cluster != nil {
		return nil, errors.New("no cluster can be asked: only a page on a real cluster, or on the one of informerscope sim, can list it again")
	}
	x, err := doctor.Examine(l.rec, l.rec.Now(), l.o.Yield)
	if err != nil {
		return nil, err
	}
	requests := x.ListRequests()
	head, _ := l.rec.Head()
	f := l.rec.FoldAt(head)
	for i, request := range requests {
		if path, _, _ := strings.Cut(request, "?"); strings.HasSuffix(path, "/secrets") || f.Objects(i).Len() > most {
			requests[i] = ""
		}
	}
	lists := listAll(ctx, src.client(), requests)
	select {
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case <-src.clock.After(settling):
	}
	l.mu.Lock()
	isOld := l.exp != exp
	l.mu.Unlock()
	if isOld {
		return nil, ErrSuperseded
	}
	x.Compare(requests, lists)
	return &Comparison{AtMillis: float64(l.rec.Now()) / float64(time.Millisecond), Opinions: x.Opinions, Findings: x.Findings}, nil
}

// listAll sends each request once, and none for "". Informers of one request have one list.
func listAll(ctx context.Context, client *restwatch.Client, requests []string) []doctor.List {
	ctx, cancel := context.WithTimeout(ctx, compareTimeout)
	defer cancel()
	known := map[string]doctor.List{"": {}}
	lists := make([]doctor.List, len(requests))
	for i, request := range requests {
		answer, isKnown := known[request]
		if !isKnown {
			answer.RV, answer.Versions, answer.Err = client.ListVersions(ctx, request)
			known[request] = answer
		}
		lists[i] = answer
	}
	return lists
}
