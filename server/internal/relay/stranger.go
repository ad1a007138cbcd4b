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
	// maxStrangers is how many connections at a time are refused with a close frame. Others get a status, which a browser hides from its page.
	maxStrangers = 8
	// strangerPatience is how long the exchange of close frames may take.
	strangerPatience = 2 * time.Second
)

// closingUpgrader upgrades WebSockets that only carry a close frame.
var closingUpgrader = websocket.Upgrader{
	HandshakeTimeout: strangerPatience,
	ReadBufferSize:   256,
	WriteBufferSize:  256,
	Subprotocols:     []string{guard.Protocol},
	CheckOrigin:      func(*http.Request) bool { return true }, // ServeHTTP has checked it
	Error:            func(http.ResponseWriter, *http.Request, int, error) {},
}

// turnAway refuses a page whose token is wrong with a close frame, and reports whether it has answered. A browser hides the status of a refused
// upgrade from its page, which could then not distinguish it from a server that is gone. So turnAway accepts the WebSocket and closes it at once with
// a code and a reason. It reads only the page's own close frame.
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
	ws, err := closingUpgrader.Upgrade(w, req, nil)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest) // no effect if the connection is hijacked
		return true
	}
	defer func() { _ = ws.Close() }()
	deadline := time.Now().Add(strangerPatience)
	ws.SetReadLimit(128)
	_ = ws.SetReadDeadline(deadline)
	if ws.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(CloseToken, reason), deadline) != nil {
		return true
	}
	// Read the page's close frame, or the few messages that it sends before it reads ours.
	for range 4 {
		if _, _, err := ws.ReadMessage(); err != nil {
			return true
		}
	}
	return true
}
