package audience

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"

	"informerscope/core/lab"
	"informerscope/core/lab/selection"
	"informerscope/core/log/fold"
	"informerscope/core/log/trace"
	"informerscope/core/wire/broadcast"
)

// Pace is how often what is new is cut, as the page does.
const Pace = 500 * time.Millisecond

// Speaker is a page that broadcasts: a Lab on a simulated cluster, its log, and a connection to the relay.
type Speaker struct {
	// Audience is the path of the audience's files, with its token: "/audience/TOKEN/".
	Audience string

	client *http.Client
	lab    *lab.Lab
	rec    *trace.Recorder
	cut    *broadcast.Cutter
	id     string
	sent   atomic.Int64
}

// Speak begins a talk through the server at address, the one that it printed, on a simulated cluster of so many pods with so
// many events a second.
func Speak(ctx context.Context, address string, objects int, rate float64) (*Speaker, error) {
	base, token, ok := strings.Cut(address, "/#token=")
	if !ok {
		return nil, fmt.Errorf("%q is no address of a server", address)
	}
	token, _, _ = strings.Cut(token, "&")
	protocols := new(http.Protocols)
	protocols.SetUnencryptedHTTP2(true)
	s := &Speaker{rec: trace.NewRecorder(trace.RecorderOptions{}), client: &http.Client{Transport: &http.Transport{
		Protocols: protocols,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			dialer := websocket.Dialer{Subprotocols: []string{"informerscope.v1", "token." + token}}
			ws, _, err := dialer.DialContext(ctx, "ws"+strings.TrimPrefix(base, "http")+"/relay", http.Header{"Origin": {base}})
			if err != nil {
				return nil, err
			}
			return NewSocket(ws), nil
		}}}}
	var status struct {
		On       bool
		Audience string
	}
	if err := s.ask(ctx, http.MethodGet, "/broadcast", nil, &status); err != nil {
		return nil, err
	}
	if !status.On {
		return nil, fmt.Errorf("the server was started without --broadcast")
	}
	s.Audience = "/audience/" + status.Audience + "/"
	s.lab = lab.New(lab.Options{Recorder: s.rec})
	source, resource := "sim", "pods"
	if _, err := s.lab.Select(ctx, selection.Change{Source: &source, Resource: &resource, Objects: &objects, Rate: &rate}); err != nil {
		s.lab.Close()
		return nil, err
	}
	var begun struct {
		ID    string
		First uint64
	}
	if err := s.ask(ctx, http.MethodPost, "/broadcast/begin", []byte(`{"header":{},"take":true}`), &begun); err != nil {
		s.lab.Close()
		return nil, err
	}
	s.id, s.cut = begun.ID, broadcast.NewCutter(s.rec, broadcast.CutterOptions{First: begun.First})
	return s, nil
}

// ask sends a request through the relay.
func (s *Speaker) ask(ctx context.Context, method, path string, body []byte, answer any) error {
	request, err := http.NewRequestWithContext(ctx, method, "http://relay"+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	response, err := s.client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, 1<<20))
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s %s: %s: %s", method, path, response.Status, text)
	}
	return json.Unmarshal(text, answer)
}

// Send cuts and posts what is new.
func (s *Speaker) Send(ctx context.Context) error {
	seq, _ := s.rec.Head()
	if err := s.cut.Position(fmt.Appendf(nil, `{"seq":%d,"mode":"live","speed":1}`, seq)); err != nil {
		return err
	}
	return s.post(ctx, s.cut.Cut)
}

func (s *Speaker) post(ctx context.Context, cut func() (broadcast.Segment, bool, error)) error {
	for {
		segment, ok, err := cut()
		if err != nil || !ok {
			return err
		}
		var answer struct{ N uint64 }
		path := fmt.Sprintf("/broadcast/segments?id=%s&n=%d", url.QueryEscape(s.id), segment.N)
		if err := s.ask(ctx, http.MethodPost, path, segment.Bytes, &answer); err != nil {
			return err
		}
		s.sent.Add(1)
		if !segment.More {
			return nil
		}
	}
}

// SegmentCount is how many segments were sent.
func (s *Speaker) SegmentCount() int { return int(s.sent.Load()) }

// Talk sends what is new at the page's pace until ctx ends.
func (s *Speaker) Talk(ctx context.Context) error {
	tick := time.NewTicker(Pace)
	defer tick.Stop()
	for {
		if err := s.Send(ctx); err != nil && ctx.Err() == nil {
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
	}
}

// End stops the experiment, sends the rest of it, and ends the talk. It returns how many segments there were, and what the
// speaker had at the end.
func (s *Speaker) End(ctx context.Context) (segments int, sum string, err error) {
	s.lab.Close()
	defer s.client.CloseIdleConnections()
	if err := s.post(ctx, s.cut.End); err != nil {
		return s.SegmentCount(), "", err
	}
	var nothing struct{}
	if err := s.ask(ctx, http.MethodPost, "/broadcast/end?id="+url.QueryEscape(s.id), nil, &nothing); err != nil {
		return s.SegmentCount(), "", err
	}
	return s.SegmentCount(), Sum(s.rec), nil
}

// Sum is what a log's end holds, as far as a checkpoint restores it, in one word: two logs with the same one have the same
// objects, versions, queues and counts.
func Sum(rec *trace.Recorder) string {
	head, _ := rec.Head()
	f := rec.FoldAt(head)
	hash := sha256.New()
	for i := range f.Lanes() {
		var cells []string
		f.Objects(i).Range(func(c *fold.Cell) bool {
			cells = append(cells, fmt.Sprint(c.Key, c.RV, c.Indexed))
			return true
		})
		slices.Sort(cells)
		for _, c := range cells {
			io.WriteString(hash, c)
		}
	}
	state := f.State()
	words, err := json.Marshal([]any{head, state.Indexer, state.Queue, state.Reflector, state.Workqueue})
	if err != nil {
		return err.Error()
	}
	hash.Write(words)
	return fmt.Sprintf("%d events, %d objects, %s", head, state.Indexer.Count, hex.EncodeToString(hash.Sum(nil)[:8]))
}
