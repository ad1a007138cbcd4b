package simcluster

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
)

// TestACrowdComesBackByAndBy ends the watches of a crowd together. Its clients list within one wait, are refused if there is no free seat, and come back
// by and by. A request from outside is counted and refused like theirs. The same seed makes the same storm.
func TestACrowdComesBackByAndBy(t *testing.T) {
	var first []string
	for range 2 {
		var storm []string
		bubble(t, Options{Seed: 3, Objects: 5, BookmarkPeriod: time.Hour}, func(t *testing.T, c *Cluster, client *http.Client) {
			const path = "/api/v1/pods"
			if a := do(c, "GET", path, ""); a.code != http.StatusOK || c.Stats().Crowd != (CrowdStats{}) {
				t.Fatalf("without a crowd: %d, %+v", a.code, c.Stats().Crowd)
			}
			c.Crowd(400)
			if s := c.Stats().Crowd; s != (CrowdStats{Clients: 400, Watching: 400, Seats: crowdSeats, Unjittered: UnjitteredStats{Watching: 400}}) {
				t.Fatalf("%+v", s)
			}
			w := watch(t, client, fmt.Sprintf("%s?watch=true&resourceVersion=%d", path, c.Stats().ResourceVersion))
			defer w.close()
			nodes := watch(t, client, "/api/v1/nodes?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan")
			defer nodes.close()
			if s := c.Stats().Crowd; s.Requests != 0 {
				t.Errorf("a watch, or a list of nodes, is counted: %+v", s)
			}
			c.Expire()
			if e := w.want("ERROR", ""); e.Get("object.code").Int() != http.StatusGone || e.Get("object.reason").String() != "Expired" {
				t.Errorf("the watch of pods ends with %s", e.Raw)
			}
			time.Sleep(790 * time.Millisecond)
			if s := c.Stats().Crowd; s.Requests != 0 || s.Watching != 0 {
				t.Errorf("before the first wait is over: %+v", s)
			}
			time.Sleep(410 * time.Millisecond)
			if s := c.Stats().Crowd; s.Requests < 150 || s.Requests > 250 || s.Refused == 0 || s.Busy == 0 || s.Busy > s.Seats {
				t.Errorf("in the middle of the first wave: %+v", s)
			}
			for _, query := range []string{"", "?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan"} {
				// Seats become free and are occupied again: wait for a moment when all are busy.
				before, a := c.Stats().Crowd, call{}
				for range 100 {
					if before = c.Stats().Crowd; before.Busy == before.Seats {
						a = do(c, "GET", path+query, "")
						break
					}
					time.Sleep(time.Millisecond)
				}
				if a.code != http.StatusTooManyRequests || a.header.Get("Retry-After") != "1" || a.get("details.retryAfterSeconds").Int() != 1 {
					t.Errorf("%s with every seat taken: %d, %v, %s", query, a.code, a.header, a.body)
				}
				if s := c.Stats().Crowd; s.Requests != before.Requests+1 || s.Refused != before.Refused+1 {
					t.Errorf("the request is not counted: %+v, then %+v", before, s)
				}
			}
			for range 80 {
				s := c.Stats().Crowd
				if s.Watching+s.Waiting+s.Listing+s.Retrying != s.Clients || s.Listing > s.Busy {
					t.Errorf("a client is in no state or in two: %+v", s)
				}
				storm = append(storm, fmt.Sprint(s))
				time.Sleep(time.Second)
			}
			time.Sleep(2 * time.Minute)
			s := c.Stats().Crowd
			if s.Watching != 400 || s.Busy != 0 || s.Requests != s.Refused+400 {
				t.Errorf("in the end: %+v", s)
			}
			if a := do(c, "GET", path, ""); a.code != http.StatusOK {
				t.Errorf("with seats free: %d", a.code)
			}
			if s := c.Stats().Crowd; s.Busy != 1 {
				t.Errorf("a list does not take a seat: %+v", s)
			}
			c.Crowd(0)
			time.Sleep(time.Second)
			if s := c.Stats().Crowd; s != (CrowdStats{}) {
				t.Errorf("after the crowd has left: %+v", s)
			}
		})
		if first == nil {
			first = storm
		} else if fmt.Sprint(first) != fmt.Sprint(storm) {
			t.Errorf("another storm:\n%v\n%v", first, storm)
		}
	}
}

// TestACrowdWithoutJitterStaysTogether: the same crowd with waits that are not random asks in single moments. These are the end
// of a Reflector's wait, ten seconds after it, and the end of its next wait. Each brings back as many as there are seats. Its load has no effect on the crowd.
func TestACrowdWithoutJitterStaysTogether(t *testing.T) {
	bubble(t, Options{Seed: 3, Objects: 5, BookmarkPeriod: time.Hour}, func(t *testing.T, c *Cluster, _ *http.Client) {
		const n = 130
		c.Crowd(n)
		c.Expire()
		left, requests := n, 0
		for _, wait := range slices.Concat([]time.Duration{800}, slices.Repeat([]time.Duration{1000}, 10), []time.Duration{1600, 1000}) {
			<-time.After(wait*time.Millisecond - time.Millisecond)
			if s := c.Stats().Crowd.Unjittered; s != (UnjitteredStats{Watching: n - left, Requests: uint64(requests)}) {
				t.Errorf("before the wait of %v ms ends: %+v", int(wait), s)
			}
			<-time.After(time.Millisecond)
			synctest.Wait()
			requests, left = requests+left, left-crowdSeats
			if s := c.Stats().Crowd.Unjittered; s.Requests != uint64(requests) {
				t.Errorf("after a wait of %v ms: %+v, want %d requests", int(wait), s, requests)
			}
		}
		<-time.After(time.Second)
		if s := c.Stats().Crowd; s.Unjittered.Watching != n || s.Watching != n || s.Requests == s.Unjittered.Requests {
			t.Errorf("in the end: %+v", s)
		}
		c.Expire()
		c.Crowd(2)
		<-time.After(time.Minute)
		if s := c.Stats().Crowd; s != (CrowdStats{Clients: 2, Watching: 2, Seats: crowdSeats, Unjittered: UnjitteredStats{Watching: 2}}) {
			t.Errorf("others in their place do what the earlier ones began: %+v", s)
		}
	})
}

// direct answers requests without a connection, so that only the client's waits take time.
type direct struct {
	c     *Cluster
	asked int
}

func (d *direct) RoundTrip(r *http.Request) (*http.Response, error) {
	d.asked++
	w := httptest.NewRecorder()
	d.c.ServeHTTP(w, r)
	resp := w.Result()
	resp.Request = r
	return resp, nil
}

// TestClientGoAsksTenTimesMoreBeforeItSays429 checks that client-go's REST client obeys Retry-After itself: it retries ten times, a second apart,
// before its caller gets the 429.
func TestClientGoAsksTenTimesMoreBeforeItSays429(t *testing.T) {
	bubble(t, Options{Objects: 5}, func(t *testing.T, c *Cluster, _ *http.Client) {
		c.Crowd(1)
		c.mu.Lock()
		c.crowd.busySeats = crowdSeats // lists that never end
		c.mu.Unlock()
		d := &direct{c: c}
		client, err := dynamic.NewForConfig(&rest.Config{Host: "http://sim", Transport: d, QPS: -1})
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		_, err = client.Resource(podGVR).List(context.Background(), metav1.ListOptions{})
		if !apierrors.IsTooManyRequests(err) || d.asked != 11 || time.Since(began).Round(time.Second) != 10*time.Second {
			t.Errorf("%d requests in %v: %v", d.asked, time.Since(began), err)
		}
	})
}
