package audience

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"time"

	"informerscope/core/log/trace"
	"informerscope/core/wire/broadcast"
	"informerscope/core/words/object"
)

// Crowd follows a talk.
type Crowd struct {
	// URL is that of the audience's files, with the token and a slash at the end.
	URL string
	// Followers is how many there are. All of them compare what they get with what the others got. Whole of them keep a
	// log of their own too, as a page does: the first ones from the broadcast's beginning, the others from the newest
	// checkpoint.
	Followers, Whole int

	mu     sync.Mutex
	sums   map[uint64][sha256.Size]byte
	heads  map[uint64]broadcast.Head
	delays []time.Duration
	bytes  int64
	asked  int64
	again  int64
	ends   map[string]int
	joined int
	ready  chan struct{}
}

// Outcome is what a Crowd saw.
type Outcome struct {
	// Bytes of segments and Requests, of all followers together.
	Bytes, Requests int64
	// Again is how many requests had to be repeated since the crowd began, because a connection failed.
	Again int64
	// Delays are the times from the cut of a segment to a follower's having it whole, sorted; of those that it waited for.
	Delays []time.Duration
	// Sums are the sums that those with logs of their own had at the end (see Sum), each with how many had it.
	Sums map[string]int
}

// NewCrowd is a Crowd that has not begun.
func NewCrowd(url string, followers, whole int) *Crowd {
	return &Crowd{URL: url, Followers: followers, Whole: whole, sums: map[uint64][sha256.Size]byte{}, heads: map[uint64]broadcast.Head{},
		ends: map[string]int{}, ready: make(chan struct{})}
}

// Ready is closed when every follower has caught up and waits for what is next.
func (c *Crowd) Ready() <-chan struct{} { return c.ready }

// Count starts to count again: what came before was joining.
func (c *Crowd) Count() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.bytes, c.asked, c.delays = 0, 0, nil
}

// Outcome is what was counted so far.
func (c *Crowd) Outcome() Outcome {
	c.mu.Lock()
	defer c.mu.Unlock()
	delays := slices.Clone(c.delays)
	slices.Sort(delays)
	return Outcome{Bytes: c.bytes, Requests: c.asked, Again: c.again, Delays: delays}
}

// Follow returns when every follower has seen the end of the talk, or with the first error.
func (c *Crowd) Follow(ctx context.Context) (Outcome, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	transport := &http.Transport{MaxIdleConns: c.Followers, MaxIdleConnsPerHost: c.Followers, DisableCompression: true}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport}
	var all sync.WaitGroup
	for i := range c.Followers {
		all.Go(func() {
			if err := c.follow(ctx, client, i); err != nil {
				cancel(fmt.Errorf("follower %d: %w", i, err))
			}
		})
	}
	all.Wait()
	outcome := c.Outcome()
	outcome.Sums = c.ends
	return outcome, context.Cause(ctx)
}

// follow is a follower's life.
func (c *Crowd) follow(ctx context.Context, client *http.Client, i int) error {
	var newest struct{ First, Segments, Checkpoint uint64 }
	status, body, err := c.get(ctx, client, "head")
	if err != nil {
		return err
	}
	if status != http.StatusOK || json.Unmarshal(body, &newest) != nil {
		return fmt.Errorf("head: %d: %s", status, body)
	}
	next := max(newest.Checkpoint, 1)
	var follower *broadcast.Follower
	var rec *trace.Recorder
	if i < c.Whole {
		if i%2 == 0 {
			next = max(newest.First, 1)
		}
		rec = trace.NewRecorder(trace.RecorderOptions{})
		follower = broadcast.NewFollower(rec, func(raw []byte) (any, error) { return object.Parse(raw) })
	}
	caughtUp := false
	for {
		if !caughtUp && next > newest.Segments {
			caughtUp = true
			c.mu.Lock()
			if c.joined++; c.joined == c.Followers {
				close(c.ready)
			}
			c.mu.Unlock()
		}
		status, body, err := c.get(ctx, client, fmt.Sprintf("segments/%d", next))
		switch {
		case err != nil:
			return err
		case status == http.StatusNoContent, status == http.StatusServiceUnavailable:
			// As the page does: not all at the same time.
			timer := time.NewTimer(time.Second + rand.N(time.Second))
			select {
			case <-timer.C:
				continue
			case <-ctx.Done():
				timer.Stop()
				return ctx.Err()
			}
		case status != http.StatusOK:
			return fmt.Errorf("segment %d: %d: %s", next, status, body)
		}
		head, err := c.compare(next, body, caughtUp)
		if err != nil {
			return err
		}
		if follower != nil {
			if _, err := follower.Apply(body); err != nil {
				return err
			}
		}
		if head.End {
			break
		}
		next++
	}
	if follower != nil {
		sum := Sum(rec)
		c.mu.Lock()
		c.ends[sum]++
		c.mu.Unlock()
	}
	return nil
}

func (c *Crowd) get(ctx context.Context, client *http.Client, path string) (int, []byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, c.URL+path, nil)
	if err != nil {
		return 0, nil, err
	}
	response, err := client.Do(request)
	for err != nil && ctx.Err() == nil {
		// As the page does: a server that has too much to do, or is away, is asked again.
		c.mu.Lock()
		c.again++
		c.mu.Unlock()
		timer := time.NewTimer(100*time.Millisecond + rand.N(time.Second))
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
		}
		response, err = client.Do(request)
	}
	if err != nil {
		return 0, nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, broadcast.MaxPacked))
	if response.StatusCode == http.StatusOK && path != "head" {
		c.mu.Lock()
		c.bytes += int64(len(body))
		c.mu.Unlock()
	}
	c.mu.Lock()
	c.asked++
	c.mu.Unlock()
	return response.StatusCode, body, err
}

// compare notes a segment that a follower got, and fails if another one got other bytes.
func (c *Crowd) compare(n uint64, body []byte, waited bool) (broadcast.Head, error) {
	now := time.Now()
	sum := sha256.Sum256(body)
	c.mu.Lock()
	defer c.mu.Unlock()
	known, ok := c.sums[n]
	if !ok {
		head, err := broadcast.ReadHead(body)
		if err != nil {
			return head, err
		}
		c.sums[n], c.heads[n] = sum, head
		known = sum
	}
	head := c.heads[n]
	if known != sum {
		return head, fmt.Errorf("segment %d differs from follower to follower", n)
	}
	if head.N != n {
		return head, fmt.Errorf("segment %d says that it is number %d", n, head.N)
	}
	if waited {
		c.delays = append(c.delays, now.Sub(time.UnixMilli(head.At)))
	}
	return head, nil
}
