package informer

import (
	"go/parser"
	"go/token"
	"os"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	clocktesting "k8s.io/utils/clock/testing"

	"informerscope/core/words/releases"
)

// TestInjectedClock checks that an informer with its own clock waits by that clock.
func TestInjectedClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := clocktesting.NewFakeClock(time.Now())
		srv := newServer([]reply{{err: errForbidden()}, {list: list("5", obj("a", "1"))}}, nil)
		r := start(t, srv, SharedIndexInformerOptions{Release: releases.V133, Clock: c, ResyncPeriod: time.Minute})
		time.Sleep(time.Hour)
		if n := len(srv.requests()); n != 1 {
			t.Errorf("%d requests before the clock moved", n)
		}
		c.Step(2 * time.Second)
		synctest.Wait()
		equal(t, "calls", r.calls.lines(), []string{"add a@1 true"})
		c.Step(time.Minute)
		synctest.Wait()
		equal(t, "calls after the resync period", r.calls.lines(), []string{"add a@1 true", "resync a@1"})
		r.stop()
	})
}

// TestImports checks that the package imports only apimachinery, k8s.io/utils, klog and the events that it reports.
func TestImports(t *testing.T) {
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), ".go") || strings.HasSuffix(f.Name(), "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), f.Name(), nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range parsed.Imports {
			path, _ := strconv.Unquote(spec.Path.Value)
			first, _, _ := strings.Cut(path, "/")
			standard := !strings.Contains(first, ".")
			standard = standard && !strings.HasPrefix(path, "informerscope/")
			allowed := strings.HasPrefix(path, "k8s.io/apimachinery/") || strings.HasPrefix(path, "k8s.io/utils/") || path == "k8s.io/klog/v2" ||
				path == "informerscope/core/words/event" || path == "informerscope/core/words/releases"
			if !standard && !allowed {
				t.Errorf("%s imports %s", f.Name(), path)
			}
		}
	}
}
