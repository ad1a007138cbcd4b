package lab

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"informerscope/core/cluster/simcluster"
	"informerscope/core/lab/labtest"
	"informerscope/core/lab/selection"
	"informerscope/core/log/fold"
)

// TestTheClusterIsListedAgain watches a cluster whose later lists come from somebody else: the same, an older copy of it, nothing at all.
func TestTheClusterIsListedAgain(t *testing.T) {
	cluster := simcluster.New(simcluster.Options{Seed: 7, Objects: 5, Still: true})
	var answer atomic.Pointer[http.HandlerFunc]
	var lists atomic.Int32
	l, rec := liveLab(t, func(w http.ResponseWriter, r *http.Request) {
		r.URL.Path = strings.TrimPrefix(r.URL.Path, "/clusters/other")
		if r.URL.Query().Get("limit") == "500" && r.URL.Query().Get("resourceVersion") == "" {
			lists.Add(1)
			(*answer.Load())(w, r)
			return
		}
		cluster.ServeHTTP(w, r)
	})
	if _, err := l.Compare(t.Context(), 5000); err == nil || !strings.Contains(err.Error(), "no cluster can be asked") {
		t.Errorf("without a cluster: %v", err)
	}
	if _, err := l.Select(t.Context(), selection.Change{Source: ptr("live"), Context: ptr("other")}); err != nil {
		t.Fatal(err)
	}
	labtest.WaitUntil(t, rec, "synced", func(s *fold.State) bool { return s.Synced })
	head, _ := rec.Head()
	n := rec.FoldAt(head).Objects(0).Len()
	for _, x := range []struct {
		name   string
		most   int
		answer http.HandlerFunc
		apart  int
		rules  string
		why    string
	}{
		{"the same", 5000, cluster.ServeHTTP, 0, "", ""},
		{"an older copy", 5000, func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, `{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"3"},"items":[
				{"metadata":{"name":"a","namespace":"default","resourceVersion":"2"}}]}`)
		}, n + 1, "store-apart", ""},
		{"refused", 5000, func(w http.ResponseWriter, _ *http.Request) {
			labtest.Status(w, http.StatusForbidden, "pods is forbidden")
		}, 0,
			"refused-list", "forbidden"},
		{"too many", n - 1, nil, 0, "", ""},
	} {
		t.Run(x.name, func(t *testing.T) {
			before := lists.Load()
			answer.Store(&x.answer)
			got, err := l.Compare(t.Context(), x.most)
			if err != nil || len(got.Opinions) != 1 {
				t.Fatalf("%+v, %v", got, err)
			}
			opinion, rules := got.Opinions[0], []string{}
			for _, f := range got.Findings {
				rules = append(rules, f.Rule)
			}
			if opinion.Apart != x.apart || opinion.Moving != 0 || strings.Join(rules, " ") != x.rules || !strings.Contains(opinion.Error, x.why) ||
				(x.why == "") != (opinion.Error == "") {
				t.Errorf("%+v with the findings %q, want %d apart with %q", opinion, rules, x.apart, x.rules)
			}
			if opinion.Request == "" != (x.answer == nil) || lists.Load()-before != map[bool]int32{true: 1}[x.answer != nil] {
				t.Errorf("it sent %d lists, %+v", lists.Load()-before, opinion)
			}
			if x.name == "the same" && (opinion.Objects != n || opinion.RV == "" || fmt.Sprint(opinion.IsSynced) != "true") {
				t.Errorf("%+v, want %d objects", opinion, n)
			}
		})
	}
}
