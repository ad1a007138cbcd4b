package simcluster

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"informerscope/core/wire/pipe"

	"github.com/tidwall/gjson"
)

// bubble runs fn in a synctest bubble, with a running cluster and a client for it.
func bubble(t *testing.T, o Options, fn func(t *testing.T, c *Cluster, client *http.Client)) {
	synctest.Test(t, func(t *testing.T) {
		c := New(o)
		ctx, cancel := context.WithCancel(t.Context())
		ran := make(chan struct{})
		go func() { defer close(ran); c.Run(ctx) }()
		l := pipe.Listen()
		srv := &http.Server{Handler: c}
		served := make(chan struct{})
		go func() { defer close(served); _ = srv.Serve(l) }()
		tr := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) { return l.Dial(ctx) }}
		fn(t, c, &http.Client{Transport: tr})
		tr.CloseIdleConnections()
		_ = srv.Close()
		cancel()
		<-ran
		<-served
	})
}

type frames struct {
	t    *testing.T
	resp *http.Response
	scan *bufio.Scanner
}

func watch(t *testing.T, client *http.Client, url string) *frames {
	t.Helper()
	resp, err := client.Get("http://sim" + url)
	if err != nil {
		t.Fatal(err)
	}
	if resp.StatusCode != 200 {
		t.Fatalf("%s: %s", url, resp.Status)
	}
	s := bufio.NewScanner(resp.Body)
	s.Buffer(nil, 1<<20)
	return &frames{t, resp, s}
}

// next returns the next frame; false at the end of the stream.
func (f *frames) next() (gjson.Result, bool) {
	f.t.Helper()
	if !f.scan.Scan() {
		return gjson.Result{}, false
	}
	if !gjson.Valid(f.scan.Text()) {
		f.t.Fatalf("a frame is not JSON: %s", f.scan.Text())
	}
	return gjson.Parse(f.scan.Text()), true
}

func (f *frames) want(typ, name string) gjson.Result {
	f.t.Helper()
	e, ok := f.next()
	if !ok || e.Get("type").String() != typ || name != "" && e.Get("object.metadata.name").String() != name {
		f.t.Fatalf("want %s %s, got (%v) %.300s", typ, name, ok, e.Raw)
	}
	return e
}

func (f *frames) close() { _ = f.resp.Body.Close() }

func post(t *testing.T, c *Cluster, name, labels string) {
	t.Helper()
	if a := do(c, "POST", "/api/v1/namespaces/shop/configmaps", `{"metadata":{"name":"`+name+`","labels":{`+labels+`}}}`); a.code != 201 {
		t.Fatal(a.body)
	}
}

func TestWatchFromVersion(t *testing.T) {
	bubble(t, Options{Objects: 10}, func(t *testing.T, c *Cluster, client *http.Client) {
		rv := c.Stats().ResourceVersion
		post(t, c, "a", `"x":"1"`)
		f := watch(t, client, fmt.Sprintf("/api/v1/namespaces/shop/configmaps?watch=true&resourceVersion=%d", rv))
		defer f.close()
		f.want("ADDED", "a")
		const a = "/api/v1/namespaces/shop/configmaps/a"
		do(c, "PATCH", a, `{"data":{"k":"v"}}`, "Content-Type", mergePatch)
		e := f.want("MODIFIED", "a")
		last := e.Get("object.metadata.resourceVersion").Uint()
		do(c, "DELETE", a, "")
		e = f.want("DELETED", "a")
		if got := e.Get("object.metadata.resourceVersion").Uint(); got <= last || e.Get("object.data.k").String() != "v" ||
			e.Get("object.kind").String() != "ConfigMap" {
			t.Errorf("deletion: %s", e.Raw)
		}
		if n := c.Stats().Watches; n != 1 {
			t.Errorf("%d watches open", n)
		}
	})
}

func TestWatchSelector(t *testing.T) {
	bubble(t, Options{Objects: 10}, func(t *testing.T, c *Cluster, client *http.Client) {
		rv := c.Stats().ResourceVersion
		f := watch(t, client, fmt.Sprintf("/api/v1/configmaps?watch=true&labelSelector=x%%3D1&resourceVersion=%d", rv))
		defer f.close()
		patch := func(labels string) {
			do(c, "PATCH", "/api/v1/namespaces/shop/configmaps/a", `{"metadata":{"labels":{`+labels+`}}}`, "Content-Type", mergePatch)
		}
		post(t, c, "a", `"x":"2"`)
		patch(`"x":"1"`)
		f.want("ADDED", "a")
		patch(`"y":"1"`)
		f.want("MODIFIED", "a")
		patch(`"x":"3"`)
		e := f.want("DELETED", "a")
		if e.Get("object.metadata.labels.x").String() != "1" || e.Get("object.metadata.resourceVersion").Uint() != c.Stats().ResourceVersion {
			t.Errorf("leaving the selector: %s", e.Raw)
		}
	})
}

func TestWatchInitialEvents(t *testing.T) {
	bubble(t, Options{Objects: 25, BookmarkPeriod: time.Hour}, func(t *testing.T, c *Cluster, client *http.Client) {
		f := watch(t, client, "/api/v1/pods?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&resourceVersion=")
		rev := c.Stats().ResourceVersion
		for range 25 {
			f.want("ADDED", "")
		}
		e := f.want("BOOKMARK", "")
		if e.Get(`object.metadata.annotations.k8s\.io/initial-events-end`).String() != "true" || e.Get("object.metadata.resourceVersion").Uint() != rev ||
			e.Get("object.kind").String() != "Pod" || e.Get("object.apiVersion").String() != "v1" {
			t.Errorf("the end of the initial events: %s", e.Raw)
		}
		f.close()
		for _, rv := range []string{"", "0"} {
			f = watch(t, client, "/api/v1/pods?watch=true&resourceVersion="+rv)
			for range 25 {
				f.want("ADDED", "")
			}
			if err := c.Burst(1); err != nil {
				t.Fatal(err)
			}
			f.want("MODIFIED", "")
			f.close()
		}
		f = watch(t, client, "/api/v1/pods?watch=true&sendInitialEvents=false&resourceVersionMatch=NotOlderThan&resourceVersion=0")
		if err := c.Burst(1); err != nil {
			t.Fatal(err)
		}
		f.want("MODIFIED", "")
		f.close()
		f = watch(t, client, "/api/v1/pods?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion=99999999")
		e = f.want("ERROR", "")
		if e.Get("object.code").Int() != 504 || e.Get("object.details.causes.0.reason").String() != "ResourceVersionTooLarge" {
			t.Errorf("a future version: %s", e.Raw)
		}
		f.close()
	})
}

func TestWatchBookmarksAndTimeout(t *testing.T) {
	bubble(t, Options{Objects: 5, BookmarkPeriod: 10 * time.Second}, func(t *testing.T, c *Cluster, client *http.Client) {
		rv := c.Stats().ResourceVersion
		start := time.Now()
		f := watch(t, client, fmt.Sprintf("/apis/apps/v1/deployments?watch=1&allowWatchBookmarks=true&timeoutSeconds=60&resourceVersion=%d", rv))
		defer f.close()
		n := 0
		var last uint64
		for {
			e, ok := f.next()
			if !ok {
				break
			}
			n++
			if e.Get("type").String() != "BOOKMARK" {
				t.Fatalf("got %s", e.Raw)
			}
			if at := e.Get("object.metadata.resourceVersion").Uint(); at < last || at < rv {
				t.Errorf("bookmark %d after %d", at, last)
			} else {
				last = at
			}
		}
		if err := f.scan.Err(); err != nil {
			t.Errorf("the watch did not end cleanly: %v", err)
		}
		if d := time.Since(start); d < 60*time.Second || d > 61*time.Second {
			t.Errorf("it ended after %v", d)
		}
		if n < 4 || n > 7 {
			t.Errorf("%d bookmarks in a minute", n)
		}
		// Heartbeats of other resources advance the bookmarks.
		if last <= rv {
			t.Errorf("bookmarks stayed at %d", last)
		}
	})
}

func TestWatchExpired(t *testing.T) {
	bubble(t, Options{Objects: 5}, func(t *testing.T, c *Cluster, client *http.Client) {
		rv := c.Stats().ResourceVersion
		open := watch(t, client, fmt.Sprintf("/api/v1/pods?watch=1&resourceVersion=%d", rv))
		defer open.close()
		if err := c.Burst(3); err != nil {
			t.Fatal(err)
		}
		c.Compact()
		now := c.Stats().ResourceVersion
		f := watch(t, client, fmt.Sprintf("/api/v1/pods?watch=1&resourceVersion=%d", rv))
		e := f.want("ERROR", "")
		want := fmt.Sprintf("too old resource version: %d (%d)", rv, now)
		if e.Get("object.code").Int() != 410 || e.Get("object.reason").String() != "Expired" || e.Get("object.message").String() != want {
			t.Errorf("got %s, want %s", e.Raw, want)
		}
		if _, ok := f.next(); ok {
			t.Error("the stream continued after its error")
		}
		f.close()
		// A watch that was open continues.
		if err := c.Burst(1); err != nil {
			t.Fatal(err)
		}
		for range 4 {
			open.want("MODIFIED", "")
		}
		f = watch(t, client, fmt.Sprintf("/api/v1/pods?watch=1&resourceVersion=%d", now))
		f.want("MODIFIED", "")
		f.close()
	})
}

func TestSlowWatcherFallsOff(t *testing.T) {
	bubble(t, Options{Objects: 5, HistorySize: 300}, func(t *testing.T, c *Cluster, client *http.Client) {
		f := watch(t, client, fmt.Sprintf("/api/v1/pods?watch=1&resourceVersion=%d", c.Stats().ResourceVersion))
		defer f.close()
		// The pipe has no buffer: until the test reads, the watch blocks in its first write while events overwrite the ring.
		for range 20 {
			if err := c.Burst(100); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
		}
		n := 0
		var last uint64
		for {
			e, ok := f.next()
			if !ok {
				t.Fatalf("the stream ended without an error after %d events", n)
			}
			if e.Get("type").String() == "ERROR" {
				if e.Get("object.code").Int() != 410 {
					t.Errorf("got %s", e.Raw)
				}
				break
			}
			rv := e.Get("object.metadata.resourceVersion").Uint()
			if last != 0 && rv != last+1 {
				t.Fatalf("an event was skipped silently: %d after %d", rv, last)
			}
			last = rv
			n++
		}
		if n == 0 || n >= 2000 {
			t.Errorf("%d events before the error", n)
		}
	})
}

func TestDropAndRestart(t *testing.T) {
	bubble(t, Options{Objects: 5}, func(t *testing.T, c *Cluster, client *http.Client) {
		url := fmt.Sprintf("/api/v1/pods?watch=1&resourceVersion=%d", c.Stats().ResourceVersion)
		f := watch(t, client, url)
		c.DropConnections()
		if _, ok := f.next(); ok || f.scan.Err() != nil {
			t.Errorf("a dropped watch did not end cleanly: %v", f.scan.Err())
		}
		f.close()
		f = watch(t, client, url)
		c.Restart(3 * time.Second)
		if _, ok := f.next(); ok || f.scan.Err() == nil || !strings.Contains(f.scan.Err().Error(), "EOF") {
			t.Errorf("a watch that was broken off ended with %v", f.scan.Err())
		}
		f.close()
		if _, err := client.Get("http://sim/version"); err == nil || !c.Down() {
			t.Errorf("a cluster that is down answered (%v)", err)
		}
		time.Sleep(3 * time.Second) // the bubble's clock
		resp, err := client.Get("http://sim/version")
		if err != nil {
			t.Fatalf("after the restart: %v", err)
		}
		_ = resp.Body.Close()
		synctest.Wait()
		if n := c.Stats().Watches; n != 0 {
			t.Errorf("%d watches left", n)
		}
	})
}

func TestHistoryUndo(t *testing.T) {
	c, clk := newFake(Options{Objects: 60, Rate: 300, Seed: 9})
	type state struct {
		rev  uint64
		body string
	}
	var states []state
	for range 20 {
		states = append(states, state{c.Stats().ResourceVersion, do(c, "GET", "/api/v1/pods", "").body})
		play(c, clk, 200*time.Millisecond, 50*time.Millisecond)
	}
	for _, s := range states {
		a := do(c, "GET", fmt.Sprintf("/api/v1/pods?resourceVersionMatch=Exact&resourceVersion=%d", s.rev), "")
		if a.body != s.body {
			t.Fatalf("the state at %d differs from what it was", s.rev)
		}
	}
}

// TestAClientThatReadsNothing opens watches and reads none of them, while more is written than the history keeps: they end, and hold no more than that.
func TestAClientThatReadsNothing(t *testing.T) {
	bubble(t, Options{Objects: -1, Still: true, HistorySize: 64}, func(t *testing.T, c *Cluster, client *http.Client) {
		const maps = "/api/v1/namespaces/default/configmaps"
		for range 200 {
			resp, err := client.Get("http://x" + maps + "?watch=true")
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = resp.Body.Close() }()
		}
		if n := c.Stats().Watches; n != 200 {
			t.Fatalf("%d watches are open", n)
		}
		if a := do(c, "POST", maps, `{"metadata":{"name":"a"}}`); a.code != 201 {
			t.Fatal(a.body)
		}
		for i := range 500 {
			if i == 400 {
				synctest.Wait()
				time.Sleep(2 * maxWrite)
			}
			if a := do(c, "PATCH", maps+"/a", fmt.Sprintf(`{"data":{"a":"%d","b":%q}}`, i, strings.Repeat("b", 4096)), "Content-Type", mergePatch); a.code != 200 {
				t.Fatalf("%d %s", a.code, a.body)
			}
		}
		synctest.Wait()
		if n := c.Stats().Watches; n != 0 {
			t.Errorf("%d watches are open still", n)
		}
	})
}
