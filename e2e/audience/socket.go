package audience

import (
	"io"
	"net"

	"github.com/gorilla/websocket"
)

// Socket is the page's end of a WebSocket as a stream of bytes. Deadlines are those of the connection below.
type Socket struct {
	net.Conn
	ws      *websocket.Conn
	message io.Reader
}

// NewSocket makes a stream of ws, which it owns.
func NewSocket(ws *websocket.Conn) *Socket { return &Socket{Conn: ws.NetConn(), ws: ws} }

// Read implements net.Conn.
func (s *Socket) Read(p []byte) (int, error) {
	for {
		if s.message == nil {
			_, message, err := s.ws.NextReader()
			if err != nil {
				return 0, err
			}
			s.message = message
		}
		n, err := s.message.Read(p)
		if err == io.EOF {
			s.message, err = nil, nil
		}
		if n > 0 || err != nil {
			return n, err
		}
	}
}

// Write implements net.Conn.
func (s *Socket) Write(p []byte) (int, error) {
	if err := s.ws.WriteMessage(websocket.BinaryMessage, p); err != nil {
		return 0, err
	}
	return len(p), nil
}
