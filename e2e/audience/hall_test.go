package audience_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"informerscope/e2e/audience"
	"informerscope/e2e/harness"
)

// talkTo broadcasts to a crowd that follows at the URL that via makes of the audience's. It ends after every follower has waited and some more events
// were sent, and compares what they have at the end with the speaker's log.
func talkTo(t *testing.T, srv *harness.Server, followers, whole int, via func(string) string) (segments int, outcome audience.Outcome) {
	t.Helper()
	ctx := harness.Timeout(t, 3*time.Minute)
	speaker, err := audience.Speak(ctx, srv.URL, 60, 40)
	if err != nil {
		t.Fatal(err)
	}
	if err := speaker.Send(ctx); err != nil {
		t.Fatal(err)
	}
	base, _, _ := strings.Cut(srv.URL, "/#")
	crowd := audience.NewCrowd(via(base+speaker.Audience), followers, whole)
	talking, stop := context.WithCancel(ctx)
	spoken := make(chan error, 1)
	go func() { spoken <- speaker.Talk(talking) }()
	type result struct {
		outcome audience.Outcome
		err     error
	}
	followed := make(chan result, 1)
	go func() {
		outcome, err := crowd.Follow(ctx)
		followed <- result{outcome, err}
	}()
	select {
	case <-crowd.Ready():
	case r := <-followed:
		t.Fatalf("the crowd is gone: %v", r.err)
	}
	for before := speaker.SegmentCount(); speaker.SegmentCount() < before+6; {
		select {
		case err := <-spoken:
			t.Fatalf("the speaker is gone: %v", err)
		case r := <-followed:
			t.Fatalf("the crowd is gone: %v", r.err)
		case <-time.After(20 * time.Millisecond): // the speaker's own pace
		}
	}
	stop()
	if err := <-spoken; err != nil {
		t.Fatal(err)
	}
	segments, sum, err := speaker.End(ctx)
	if err != nil {
		t.Fatal(err)
	}
	r := <-followed
	if r.err != nil {
		t.Fatal(r.err)
	}
	if r.outcome.Sums[sum] != whole || len(r.outcome.Sums) != 1 {
		t.Errorf("the speaker had %q at the end, the followers %v", sum, r.outcome.Sums)
	}
	return segments, r.outcome
}

// TestHall: two hundred followers of one broadcast end with the same log, over real HTTP, some from its beginning and some from a checkpoint.
func TestHall(t *testing.T) {
	srv := harness.StartServer(t, "--listen", "127.0.0.1:0", "--broadcast")
	segments, outcome := talkTo(t, srv, 200, 10, func(url string) string { return url })
	t.Logf("%d segments, %d requests, %d bytes to 200 followers", segments, outcome.Requests, outcome.Bytes)
}
