package life

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"

	"informerscope/core/cluster/simcluster"
)

const (
	// maxCrowd is the greatest number of other clients, and clientsPerConnection how many share one.
	maxCrowd             = 500
	clientsPerConnection = 100
	// A client waits as client-go's Reflector does: the first wait doubles up to the longest, and each is lengthened by a random part of itself.
	firstWait   = 800 * time.Millisecond
	longestWait = 30 * time.Second
)

// crowd is many other clients that list and watch the pods.
type crowd struct {
	clients                              int
	stop                                 context.CancelFunc
	running                              sync.WaitGroup
	watching, waiting, listing, retrying atomic.Int64
	requests, refused                    atomic.Uint64
}

// Crowd implements levers.Target: it replaces the other clients by n.
func (l *Life) Crowd(ctx context.Context, n int) error {
	if n > maxCrowd {
		return fmt.Errorf("a crowd of %d: at most %d clients watch at the same time", n, maxCrowd)
	}
	running, err := l.running()
	if err != nil {
		return err
	}
	if n > 0 {
		if err := l.admitCrowd(ctx); err != nil {
			return err
		}
	}
	running, stop := context.WithCancel(running)
	next := &crowd{clients: n, stop: stop}
	for i := 0; i < n; i += clientsPerConnection {
		config := rest.CopyConfig(l.config)
		config.UserAgent = crowdUser
		config.Impersonate = rest.ImpersonationConfig{UserName: crowdUser}
		config.WrapTransport = next.count
		// A dialer of its own makes a connection of its own: client-go shares connections between equal configurations.
		config.Dial = new(net.Dialer).DialContext
		client, err := metadata.NewForConfig(config)
		if err != nil {
			stop()
			return err
		}
		for range min(clientsPerConnection, n-i) {
			next.waiting.Add(1)
			next.running.Go(func() { next.watchPods(running, client) })
		}
	}
	l.mu.Lock()
	last := l.crowd
	if l.crowd = next; n == 0 {
		l.crowd = nil
	}
	l.mu.Unlock()
	if last != nil {
		last.stop()
		last.running.Wait()
	}
	if n == 0 {
		stop()
	}
	return nil
}

// crowdUser is whom the crowd's clients are: a user with no privilege in API priority and fairness.
const crowdUser = "informerscope-crowd"

// admitCrowd lets that user read.
func (l *Life) admitCrowd(ctx context.Context) error {
	_, err := l.client.RbacV1().ClusterRoleBindings().Create(ctx, &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: crowdUser},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "view"},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: crowdUser}},
	}, metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		return nil
	}
	return err
}

// watchPods lists and watches the pods until ctx ends, and lists again after each failure.
func (c *crowd) watchPods(ctx context.Context, client metadata.Interface) {
	state := &c.waiting // counts this client
	move := func(to *atomic.Int64) {
		state.Add(-1)
		state = to
		state.Add(1)
	}
	defer func() { state.Add(-1) }()
	pods, wait := client.Resource(podResource), firstWait
	for ctx.Err() == nil {
		move(&c.listing)
		list, err := pods.List(ctx, metav1.ListOptions{ResourceVersion: "0"})
		for err == nil {
			var w watch.Interface
			if w, err = pods.Watch(ctx, metav1.ListOptions{ResourceVersion: list.ResourceVersion, AllowWatchBookmarks: true}); err != nil {
				break
			}
			move(&c.watching)
			wait = firstWait
			version, expired := drain(w)
			move(&c.waiting)
			if expired {
				break
			}
			list.ResourceVersion = version(list.ResourceVersion)
			if !pause(ctx, wait) {
				return
			}
		}
		if err != nil {
			move(&c.retrying)
		}
		if !pause(ctx, wait) {
			return
		}
		wait = min(2*wait, longestWait)
	}
}

// drain reads a watch to its end. It returns what makes an older version the last one that came, and whether the watch ended with an error.
func drain(w watch.Interface) (version func(string) string, expired bool) {
	last := ""
	for e := range w.ResultChan() {
		if e.Type == watch.Error {
			expired = true
		} else if object, ok := e.Object.(metav1.Object); ok {
			last = object.GetResourceVersion()
		}
	}
	return func(before string) string {
		if last == "" {
			return before
		}
		return last
	}, expired
}

// pause waits, lengthened at random, and reports whether ctx goes on.
func pause(ctx context.Context, wait time.Duration) bool {
	timer := time.NewTimer(wait + time.Duration(rand.Int64N(int64(wait))))
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// count counts lists of pods, and those that were refused.
func (c *crowd) count(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(r *http.Request) (*http.Response, error) {
		if r.URL.Query().Get("watch") == "" {
			c.requests.Add(1)
		}
		answer, err := next.RoundTrip(r)
		if err == nil && answer.StatusCode == http.StatusTooManyRequests {
			c.refused.Add(1)
		}
		return answer, err
	})
}

type roundTripper func(*http.Request) (*http.Response, error)

func (rt roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return rt(r) }

// stats are the crowd's counts. There are no seats here: API priority and fairness decides.
func (c *crowd) stats() simcluster.CrowdStats {
	return simcluster.CrowdStats{Clients: c.clients, Watching: int(c.watching.Load()), Waiting: int(c.waiting.Load()), Listing: int(c.listing.Load()),
		Retrying: int(c.retrying.Load()), Requests: c.requests.Load(), Refused: c.refused.Load()}
}
