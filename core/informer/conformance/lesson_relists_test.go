package conformance

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"syscall"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"

	"informerscope/core/informer/conformance/play"
)

// proxied is a small cluster behind a proxy, which answers the next WATCH with an error.
type proxied struct {
	*small
	answer error
}

func (c *proxied) Watch(o metav1.ListOptions) (watch.Interface, error) {
	if err := c.answer; err != nil {
		c.answer = nil
		return nil, err
	}
	return c.small.Watch(o)
}

// last returns the newest stream.
func (c *proxied) last() *watch.RaceFreeFakeWatcher { return c.streams[len(c.streams)-1] }

// testRelists ends watches, and answers the next WATCH with errors. A clean end, a refused connection and a 429 cost no LIST, all else costs one.
func testRelists(t *testing.T) {
	runBoth(t, `
at first: 1 LISTs
a clean end: 0 LISTs more
connection refused: 0 LISTs more
429: 0 LISTs more
an ERROR event 429: 0 LISTs more
an ERROR event 500: 1 LISTs more
an ERROR event 410: 1 LISTs more
500: 1 LISTs more
502: 1 LISTs more
403: 1 LISTs more
504: 1 LISTs more
a watch of less than a second, without an event: 1 LISTs more`, func(t *testing.T, mine bool, say func(string, ...any)) {
		c := &proxied{small: newSmall("a")}
		lib := theirs()
		if mine {
			lib = ours(play.E137)
		}
		run(t, lib.Shared(play.Options{Source: c}))
		sleepAndSettle(time.Minute)
		say("at first: %d LISTs", c.listCount())
		// tell waits long enough for every backoff to begin at 800 ms again.
		tell := func(what string, cause func()) {
			before := c.listCount()
			cause()
			sleepAndSettle(5 * time.Minute)
			say("%s: %d LISTs more", what, c.listCount()-before)
		}
		open := func(what string, err error) {
			tell(what, func() {
				c.answer = err
				c.last().Stop()
			})
		}
		event := func(err *apierrors.StatusError) {
			status := err.Status()
			tell(fmt.Sprintf("an ERROR event %d", status.Code), func() { c.last().Error(&status) })
		}
		pods := schema.GroupResource{Resource: "pods"}
		answer := func(code int) error {
			return apierrors.NewGenericServerResponse(code, "get", pods, "", "a proxy", 0, true)
		}
		tell("a clean end", func() { c.last().Stop() })
		open("connection refused", &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)})
		open("429", answer(http.StatusTooManyRequests))
		event(apierrors.NewTooManyRequests("busy", 1))
		event(apierrors.NewInternalError(errors.New("a proxy")))
		event(apierrors.NewResourceExpired("too old resource version"))
		for _, code := range []int{http.StatusInternalServerError, http.StatusBadGateway, http.StatusForbidden, http.StatusGatewayTimeout} {
			open(fmt.Sprint(code), answer(code))
		}
		tell("a watch of less than a second, without an event", func() {
			c.last().Stop()
			sleepAndSettle(time.Millisecond)
			c.last().Stop()
		})
	})
}
