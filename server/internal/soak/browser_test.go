package soak

import (
	"context"
	"errors"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"informerscope/core/wire/socket"
	"informerscope/server/internal/guard"
)

const (
	relayHost = "relay.test:8080"
	// closeWait is how long a browser waits for the other side's close frame.
	closeWait = 5 * time.Second
)

// browser does what a browser does with a page's WebSockets.
type browser struct {
	network *network

	mu       sync.Mutex
	stallEnd chan struct{} // not nil while the page takes no messages; closed when it takes them again
}

// stall makes the page's worker stop taking messages.
func (b *browser) stall() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.stallEnd == nil {
		b.stallEnd = make(chan struct{})
	}
}

func (b *browser) resume() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.stallEnd != nil {
		close(b.stallEnd)
		b.stallEnd = nil
	}
}

// wait returns when the page takes messages, or the WebSocket is given up.
func (b *browser) wait(gone <-chan struct{}) {
	for {
		b.mu.Lock()
		stopped := b.stallEnd
		b.mu.Unlock()
		if stopped == nil {
			return
		}
		select {
		case <-stopped:
		case <-gone:
			return
		}
	}
}

// open opens a WebSocket with a token, as the page's worker does.
func (b *browser) open(ctx context.Context, token string) (net.Conn, error) {
	w := &webSocket{browser: b, closedByPage: make(chan struct{}), more: make(chan struct{}, 1)}
	conn := socket.New(w)
	go w.run(token, conn)
	if err := conn.WaitOpen(ctx); err != nil {
		return nil, err
	}
	return conn, nil
}

// webSocket is a WebSocket of a browser.
type webSocket struct {
	browser      *browser
	once         sync.Once
	closedByPage chan struct{} // closed when the page has closed it
	more         chan struct{}

	mu    sync.Mutex
	queue [][]byte // what the browser buffers because the network has not taken it
}

// run opens the WebSocket and passes on what arrives, until it is closed.
func (w *webSocket) run(token string, conn *socket.Conn) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	dialer := websocket.Dialer{
		Subprotocols: []string{guard.Protocol, "token." + token},
		NetDialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			wire, err := w.browser.network.dial(ctx)
			if err == nil { // a page may give up before the WebSocket is open
				context.AfterFunc(ctx, func() { _ = wire.Close() })
			}
			return wire, err
		},
	}
	opening := make(chan struct{})
	go func() {
		select {
		case <-w.closedByPage:
			cancel()
		case <-opening:
		}
	}()
	ws, _, err := dialer.DialContext(ctx, "ws://"+relayHost+"/relay", http.Header{"Origin": {"http://" + relayHost}})
	close(opening)
	if err != nil {
		conn.OnClose(websocket.CloseAbnormalClosure, "")
		return
	}
	conn.OnOpen()
	var sending sync.WaitGroup
	ended := make(chan struct{})
	sending.Go(func() { w.send(ws, ended) })
	code, reason := w.receive(ws, conn)
	close(ended)
	_ = ws.Close()
	sending.Wait()
	conn.OnClose(code, reason)
}

// receive passes messages to the page until the WebSocket ends, and returns its close code and reason.
func (w *webSocket) receive(ws *websocket.Conn, conn *socket.Conn) (code int, reason string) {
	for {
		w.browser.wait(w.closedByPage)
		kind, message, err := ws.ReadMessage()
		if err != nil {
			var closed *websocket.CloseError
			if errors.As(err, &closed) {
				return closed.Code, closed.Text
			}
			return websocket.CloseAbnormalClosure, ""
		}
		if kind != websocket.BinaryMessage {
			conn.OnMessage(nil, errors.New("the relay sent a text message, and only binary ones are allowed"))
			continue
		}
		conn.OnMessage(message, nil)
	}
}

// send sends what the page writes, and the page's close.
func (w *webSocket) send(ws *websocket.Conn, ended <-chan struct{}) {
	for {
		w.mu.Lock()
		var message []byte
		if len(w.queue) > 0 {
			message, w.queue = w.queue[0], w.queue[1:]
		}
		w.mu.Unlock()
		if message != nil {
			if ws.WriteMessage(websocket.BinaryMessage, message) != nil {
				_ = ws.NetConn().Close()
				return
			}
			continue
		}
		select {
		case <-w.more:
			continue
		default:
		}
		select {
		case <-w.more:
		case <-ended:
			return
		case <-w.closedByPage:
			_ = ws.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(websocket.CloseNormalClosure, ""), time.Now().Add(closeWait))
			select {
			case <-ended:
			case <-time.After(closeWait):
				_ = ws.NetConn().Close()
			}
			return
		}
	}
}

// Send implements socket.Socket.
func (w *webSocket) Send(message []byte) error {
	w.mu.Lock()
	w.queue = append(w.queue, append([]byte(nil), message...))
	w.mu.Unlock()
	select {
	case w.more <- struct{}{}:
	default:
	}
	return nil
}

// Close implements socket.Socket.
func (w *webSocket) Close() error {
	w.once.Do(func() { close(w.closedByPage) })
	return nil
}
