package simcluster

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestFailOver sends requests to a server whose cache is behind. It refuses a request for a newer version, a watch from a newer version is silent, and
// a request without a version is up to date. Once it has caught up, the silent watch continues without a gap.
func TestFailOver(t *testing.T) {
	bubble(t, Options{Objects: 25, BookmarkPeriod: time.Hour}, func(t *testing.T, c *Cluster, client *http.Client) {
		before := c.Stats().ResourceVersion
		old := watch(t, client, fmt.Sprintf("/api/v1/pods?watch=true&resourceVersion=%d", before))
		if err := c.Burst(10); err != nil {
			t.Fatal(err)
		}
		for range 10 {
			old.want("MODIFIED", "")
		}
		now := c.Stats().ResourceVersion
		c.FailOver(4)
		if _, ok := old.next(); ok || old.scan.Err() != nil {
			t.Errorf("a watch of the server that went away did not end cleanly: %v", old.scan.Err())
		}
		old.close()
		list := func(query string, status int) string {
			t.Helper()
			a := do(c, "GET", "/api/v1/pods"+query, "")
			if a.code != status {
				t.Fatalf("%s: %d %s", query, a.code, a.body)
			}
			return a.get("metadata.resourceVersion").String()
		}
		if got := list("?resourceVersion=0", 200); got != fmt.Sprint(now-4) {
			t.Errorf("from the cache: rv %s, want %d", got, now-4)
		}
		if got := list("", 200); got != fmt.Sprint(now) {
			t.Errorf("a consistent read: rv %s, want %d", got, now)
		}
		list(fmt.Sprintf("?resourceVersion=%d", now), 504)
		list(fmt.Sprintf("?resourceVersion=%d", now-4), 200)
		const initial = "/api/v1/pods?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&resourceVersion="
		f := watch(t, client, initial+fmt.Sprint(now))
		if e := f.want("ERROR", ""); e.Get("object.details.causes.0.reason").String() != "ResourceVersionTooLarge" {
			t.Errorf("a WatchList from a newer version: %s", e.Raw)
		}
		f.close()
		f = watch(t, client, initial)
		for range 25 {
			f.want("ADDED", "")
		}
		if e := f.want("BOOKMARK", ""); e.Get("object.metadata.resourceVersion").Uint() != now {
			t.Errorf("a WatchList without a version ends with %s", e.Raw)
		}
		f.close()

		ahead := watch(t, client, fmt.Sprintf("/api/v1/pods?watch=true&resourceVersion=%d", now))
		defer ahead.close()
		within := watch(t, client, fmt.Sprintf("/api/v1/pods?watch=true&resourceVersion=%d", now-6))
		defer within.close()
		for range 2 { // what the cache has, and no more
			within.want("MODIFIED", "")
		}
		if err := c.Burst(3); err != nil {
			t.Fatal(err)
		}
		came := make(chan time.Time, 2)
		for _, f := range []*frames{ahead, within} {
			go func() {
				f.want("MODIFIED", "")
				came <- time.Now()
			}()
		}
		time.Sleep(5 * time.Second) // the bubble's clock
		caughtUp := time.Now()
		c.FailOver(0)
		for range 2 {
			if at := <-came; at.Before(caughtUp) {
				t.Errorf("a watch sent an event %v before its server had it", caughtUp.Sub(at))
			}
		}
		for range 2 {
			ahead.want("MODIFIED", "")
		}
		for range 6 {
			within.want("MODIFIED", "")
		}
	})
}

// TestFinalizers deletes a pod that has a finalizer. Its replica set replaces it at once; it outlives its grace period, and is deleted without another
// version when the finalizer goes.
func TestFinalizers(t *testing.T) {
	bubble(t, Options{Objects: 1, BookmarkPeriod: time.Hour}, func(t *testing.T, c *Cluster, client *http.Client) {
		must := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		f := watch(t, client, fmt.Sprintf("/api/v1/pods?watch=true&resourceVersion=%d", c.Stats().ResourceVersion))
		defer f.close()
		if err := c.AddFinalizers(2); err == nil {
			t.Error("of one pod two have a finalizer")
		}
		must(c.AddFinalizers(1))
		if got := f.want("MODIFIED", "").Get("object.metadata.finalizers").Raw; got != `["`+Finalizer+`"]` {
			t.Errorf("finalizers %s", got)
		}
		if err := c.AddFinalizers(1); err == nil {
			t.Error("a pod has the finalizer twice")
		}
		namespace, name, err := c.DeleteRandomPod()
		must(err)
		if e := f.want("MODIFIED", name); !e.Get("object.metadata.deletionTimestamp").Exists() {
			t.Errorf("the deletion begins with %s", e.Raw)
		}
		f.want("ADDED", "")
		<-time.After(time.Hour) // of the bubble’s clock
		if a := do(c, "GET", "/api/v1/namespaces/"+namespace+"/pods/"+name, ""); a.code != 200 || a.get("metadata.deletionGracePeriodSeconds").Int() != 0 {
			t.Errorf("after an hour: %d %s", a.code, a.body)
		}
		before := c.Stats().ResourceVersion
		must(c.RemoveFinalizers())
		if a := do(c, "GET", "/api/v1/namespaces/"+namespace+"/pods/"+name, ""); a.code != 404 {
			t.Errorf("without a finalizer: %d %s", a.code, a.body)
		}
		after := watch(t, client, fmt.Sprintf("/api/v1/pods?watch=true&resourceVersion=%d", before))
		defer after.close()
		after.want("DELETED", name)
	})
}

// TestLabelPod takes the label of a pod off and puts it on again. A watch with a selector sees the pod deleted and added; the pod itself stays.
func TestLabelPod(t *testing.T) {
	bubble(t, Options{Objects: 1, BookmarkPeriod: time.Hour}, func(t *testing.T, c *Cluster, client *http.Client) {
		pods := func() (uids []string) {
			for _, o := range do(c, "GET", "/api/v1/pods", "").get("items").Array() {
				uids = append(uids, o.Get("metadata.uid").String())
			}
			return uids
		}
		before := pods()
		selected := watch(t, client, fmt.Sprintf("/api/v1/pods?watch=true&labelSelector=tier%%3Dbackend&resourceVersion=%d", c.Stats().ResourceVersion))
		defer selected.close()
		all := watch(t, client, fmt.Sprintf("/api/v1/pods?watch=true&resourceVersion=%d", c.Stats().ResourceVersion))
		defer all.close()
		key, err := c.LabelPod("", "tier-")
		if err != nil {
			t.Fatal(err)
		}
		gone, changed := selected.want("DELETED", ""), all.want("MODIFIED", "")
		if tier := gone.Get("object.metadata.labels.tier").String(); tier != "backend" || changed.Get("object.metadata.labels.tier").Exists() {
			t.Errorf("DELETED has tier=%s, MODIFIED %s", tier, changed.Get("object.metadata.labels").Raw)
		}
		if a, b := gone.Get("object.metadata.resourceVersion").String(), changed.Get("object.metadata.resourceVersion").String(); a != b {
			t.Errorf("DELETED has version %s, MODIFIED %s", a, b)
		}
		if gone.Get("object.metadata.deletionTimestamp").Exists() {
			t.Error("it has a deletionTimestamp")
		}
		if _, err := c.LabelPod(key, "tier=backend"); err != nil {
			t.Fatal(err)
		}
		selected.want("ADDED", "")
		all.want("MODIFIED", "")
		<-time.After(time.Minute) // of the bubble’s clock
		if after := pods(); !slices.Equal(before, after) {
			t.Errorf("the pods were %v and are %v", before, after)
		}
		for label, want := range map[string]string{
			"tier=backend": "no running pod is changed by the label tier=backend", "other-": "no running pod is changed by the label other-",
			"tier": `"tier" sets no label and removes none: write tier=backend or tier-`, "a b=c": `"a b=c" is no label: `,
		} {
			if _, err := c.LabelPod("", label); err == nil || !strings.HasPrefix(err.Error(), want) {
				t.Errorf("%s: %v", label, err)
			}
		}
	})
}
