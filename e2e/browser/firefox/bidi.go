package firefox

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/gorilla/websocket"
)

// bidi is a connection that speaks WebDriver BiDi: commands with their answers, and events between them.
type bidi struct {
	ws    *websocket.Conn
	event func(method string, params json.RawMessage)
	// done closes when the connection has ended; err is then the reason.
	done chan struct{}
	err  error

	// writing is held during a write to ws.
	writing sync.Mutex

	mu      sync.Mutex
	last    int
	pending map[int]chan message
}

// message is an event, or the answer to a command.
type message struct {
	Type    string          `json:"type"` // "success", "error", "event"
	ID      int             `json:"id"`
	Result  json.RawMessage `json:"result"`
	Error   string          `json:"error"`
	Message string          `json:"message"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
}

// dial connects to url. It calls event with each event, one after the other; event must not wait for answers.
func dial(ctx context.Context, url string, event func(method string, params json.RawMessage)) (*bidi, error) {
	dialer := websocket.Dialer{HandshakeTimeout: 30 * time.Second}
	ws, resp, err := dialer.DialContext(ctx, url, http.Header{})
	if err != nil {
		if resp != nil {
			err = fmt.Errorf("%w (%s)", err, resp.Status)
		}
		return nil, fmt.Errorf("connecting to %s: %w", url, err)
	}
	b := &bidi{ws: ws, event: event, done: make(chan struct{}), pending: map[int]chan message{}}
	go b.read()
	return b, nil
}

// read dispatches messages until the connection ends.
func (b *bidi) read() {
	defer close(b.done)
	for {
		var m message
		if err := b.ws.ReadJSON(&m); err != nil {
			b.err = fmt.Errorf("the connection to the browser ended: %w", err)
			return
		}
		if m.Type == "event" {
			b.event(m.Method, m.Params)
			continue
		}
		b.mu.Lock()
		answer := b.pending[m.ID]
		delete(b.pending, m.ID)
		b.mu.Unlock()
		if answer != nil {
			answer <- m
		}
	}
}

// call sends a command and decodes its result into result unless that is nil.
func (b *bidi) call(ctx context.Context, method string, params, result any) error {
	answer := make(chan message, 1)
	b.mu.Lock()
	b.last++
	id := b.last
	b.pending[id] = answer
	b.mu.Unlock()
	defer func() {
		b.mu.Lock()
		delete(b.pending, id)
		b.mu.Unlock()
	}()
	b.writing.Lock()
	err := b.ws.WriteJSON(map[string]any{"id": id, "method": method, "params": params})
	b.writing.Unlock()
	if err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	select {
	case m := <-answer:
		if m.Type == "error" {
			return fmt.Errorf("%s: %s: %s", method, m.Error, m.Message)
		}
		if result == nil {
			return nil
		}
		return json.Unmarshal(m.Result, result)
	case <-b.done:
		return fmt.Errorf("%s: %w", method, b.err)
	case <-ctx.Done():
		return fmt.Errorf("%s: %w", method, context.Cause(ctx))
	}
}

// close ends the connection and returns once nothing more arrives.
func (b *bidi) close() {
	b.ws.Close()
	<-b.done
}
