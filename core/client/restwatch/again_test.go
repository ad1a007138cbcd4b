package restwatch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"
)

// attempts are how a server answers one attempt after another, each in a word. A status code may have the seconds of its Retry-After after a slash. "eof",
// "reset", "refused" and "timeout" are connections that fail. The last word is for all attempts that follow.
type attempts struct {
	words []string
	start time.Time
	came  []time.Duration // when each attempt came
}

type timeoutError struct{}

func (timeoutError) Error() string { return "it took too long" }
func (timeoutError) Timeout() bool { return true }

func (a *attempts) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := req.Context().Err(); err != nil {
		return nil, err // as http.Transport does
	}
	a.came = append(a.came, time.Since(a.start))
	code, after, hasAfter := strings.Cut(a.words[min(len(a.came), len(a.words))-1], "/")
	if err := map[string]error{"eof": io.EOF, "reset": syscall.ECONNRESET, "refused": syscall.ECONNREFUSED, "timeout": timeoutError{}}[code]; err != nil {
		return nil, err
	}
	resp := &http.Response{Header: http.Header{"Content-Type": {"application/json"}}, Request: req}
	fmt.Sscan(code, &resp.StatusCode)
	if hasAfter {
		resp.Header.Set("Retry-After", after)
	}
	text := `{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[]}`
	if resp.StatusCode != http.StatusOK {
		text = fmt.Sprintf(`{"kind":"Status","apiVersion":"v1","status":"Failure","message":"no","code":%d}`, resp.StatusCode)
	} else if req.URL.Query().Get("watch") == "true" {
		text = ""
	}
	resp.Body, resp.ContentLength = io.NopCloser(strings.NewReader(text)), int64(len(text))
	return resp, nil
}

// TestAttemptsAreThoseOfClientGo lets servers answer several attempts of a request, and compares when client-go sends them, and what its caller gets, with
// ours.
func TestAttemptsAreThoseOfClientGo(t *testing.T) {
	scheme := runtime.NewScheme()
	metav1.AddToGroupVersion(scheme, pods.GroupVersion())
	config := &rest.Config{Host: "http://cluster", QPS: -1, APIPath: "/api", ContentConfig: rest.ContentConfig{
		GroupVersion: new(pods.GroupVersion()), NegotiatedSerializer: serializer.NewCodecFactory(scheme).WithoutConversion()}}
	// What the caller gets. The words that say that its context is done are its rate limiter's, or net/http's.
	outcome := func(w watch.Interface, err error) string {
		switch {
		case errors.Is(err, context.DeadlineExceeded):
			return context.DeadlineExceeded.Error()
		case err != nil:
			return err.Error()
		case w == nil:
			return "a list"
		}
		return fmt.Sprint("a watch of ", len(collect(w)), " events")
	}
	for _, words := range []string{
		"200", "429/1 200", "429/7 429/3 200", "429/1", "429", "429/soon 200", "429/0 200", "429/-1 200", "503/2 200", "500 200", "504/1", "404/1 200",
		"eof 200", "eof", "reset reset 200", "reset refused", "refused 200", "timeout 200", "timeout", "eof 429/2 refused", "eof 503/1 503", "reset eof",
	} {
		for _, verb := range []string{"list", "watch", "cancelled"} {
			t.Run(verb+" "+words, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					ctx := t.Context()
					if verb == "cancelled" {
						var cancel context.CancelFunc
						ctx, cancel = context.WithTimeout(ctx, 1500*time.Millisecond)
						defer cancel()
					}
					script := strings.Fields(words)
					theirs := &attempts{words: script, start: time.Now()}
					client, err := rest.RESTClientForConfigAndClient(config, &http.Client{Transport: theirs})
					if err != nil {
						t.Fatal(err)
					}
					opts := metav1.ListOptions{Watch: verb == "watch"}
					req := client.Get().Resource("pods").VersionedParams(&opts, runtime.NewParameterCodec(scheme))
					var want string
					if verb == "watch" {
						want = outcome(req.Watch(ctx))
					} else {
						want = outcome(nil, req.Do(ctx).Error())
					}

					if verb == "cancelled" { // a deadline of its own
						var cancel context.CancelFunc
						ctx, cancel = context.WithTimeout(t.Context(), 1500*time.Millisecond)
						defer cancel()
					}
					ours := &attempts{words: script, start: time.Now()}
					var waited time.Duration
					c := &Client{HTTP: &http.Client{Transport: ours}, Base: mustURL(t, "http://cluster"), Clock: clock.RealClock{},
						Hooks: Hooks{Wait: func(_ uint64, d time.Duration, cause error) {
							if waited += d; cause == nil {
								t.Error("a wait has no cause")
							}
						}}}
					var got string
					if verb == "watch" {
						got = outcome(c.Watch(ctx, pods, "", metav1.ListOptions{}))
					} else {
						_, err := c.List(ctx, pods, "", metav1.ListOptions{})
						got = outcome(nil, err)
					}
					if got != want {
						t.Errorf("the caller gets\n%s, and of client-go\n%s", got, want)
					}
					if !slices.Equal(ours.came, theirs.came) {
						t.Errorf("attempts came at %v, and client-go's at %v", ours.came, theirs.came)
					}
					if last := ours.came[len(ours.came)-1]; verb != "cancelled" && max(0, waited) != last {
						t.Errorf("the hooks got waits of %v, and the last attempt came at %v", waited, last)
					}
				})
			})
		}
	}
}

// TestAWriteIsNotSentAgain: after a lost connection it may have been done.
func TestAWriteIsNotSentAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &attempts{words: []string{"reset", "200"}, start: time.Now()}
		c := &Client{HTTP: &http.Client{Transport: server}, Base: mustURL(t, "http://cluster"), Clock: clock.RealClock{}}
		if _, err := c.Patch(t.Context(), pods, "ns", "a", []byte("{}")); !errors.Is(err, syscall.ECONNRESET) || len(server.came) != 1 {
			t.Errorf("%d attempts, and %v", len(server.came), err)
		}
	})
}
