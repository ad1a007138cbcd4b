package relay

import (
	"net/http"
	"time"

	"github.com/gorilla/websocket"

	"informerscope/server/internal/guard"
)

const (
	// CloseToken is the close code for a wrong token, of the range that RFC 6455 leaves to applications.
	CloseToken = 4401
	// maxStrangers is how many connections at one time are told so. Those beyond it get a status, which a browser hides from its page.
	maxStrangers = 8
	// strangerPatience is how long such a connection may take to hear it.
	strangerPatience = 2 * time.Second
)

// stranger makes WebSockets that carry nothing but a close frame.
var stranger = websocket.Upgrader{
	HandshakeTimeout: strangerPatience,
	ReadBufferSize:   256,
	WriteBufferSize:  256,
	Subprotocols:     []string{guard.Protocol},
	CheckOrigin:      func(*http.Request) bool { return true }, // it was checked before
	Error:            func(http.ResponseWriter, *http.Request, int, error) {},
}

// turnAway tells a page that its token is another launch's. A browser keeps the status of a refused upgrade from the page, so that a page
// could not tell this from a server that is gone: the WebSocket is opened, closed at once with a code and a reason, and nothing is read from
// it but the page's own close. It says whether the request was answered.
func (r *Relay) turnAway(w http.ResponseWriter, req *http.Request, reason string) bool {
	if !websocket.IsWebSocketUpgrade(req) {
		return false
	}
	select {
	case r.strangers <- struct{}{}:
	default:
		return false
	}
	defer func() { <-r.strangers }()
	r.mu.Lock()
	closed := r.closed
	r.mu.Unlock()
	if closed {
		return false
	}
	ws, err := stranger.Upgrade(w, req, nil)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest) // nothing happens if the connection is no longer the server's
		return true
	}
	defer func() { _ = ws.Close() }()
	deadline := time.Now().Add(strangerPatience)
	ws.SetReadLimit(128)
	_ = ws.SetReadDeadline(deadline)
	if ws.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(CloseToken, reason), deadline) != nil {
		return true
	}
	// The page's close frame, or whatever it sends before it has read ours, a few messages at most.
	for range 4 {
		if _, _, err := ws.ReadMessage(); err != nil {
			return true
		}
	}
	return true
}
