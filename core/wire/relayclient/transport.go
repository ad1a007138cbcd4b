package relayclient

import (
	"context"
	"net"
	"net/http"

	"informerscope/core/wire/faults"
)

// NewHTTP2Transport speaks HTTP/2 with prior knowledge on the connections that dial returns. Setting DialContext also makes net/http use its own transport in a
// browser, where it would use fetch otherwise.
func NewHTTP2Transport(dial func(context.Context, string, string) (net.Conn, error)) *http.Transport {
	var protocols http.Protocols
	protocols.SetUnencryptedHTTP2(true)
	return &http.Transport{DialContext: dial, Protocols: &protocols, DisableCompression: true}
}

// NewTransport speaks to the relay, and notices when the relay stops responding. `disconnect` closes its connections, including those still being made:
// net/http keeps one whose request was cancelled meanwhile, and the relay would count one viewer too many.
func NewTransport(dial faults.DialFunc) (t *http.Transport, disconnect func()) {
	ctx, cancel := context.WithCancel(context.Background())
	t = NewHTTP2Transport(func(dialing context.Context, network, addr string) (net.Conn, error) {
		dialing, stop := context.WithCancel(dialing)
		defer stop()
		defer context.AfterFunc(ctx, stop)()
		conn, err := dial(dialing, network, addr)
		if err != nil {
			return nil, err
		}
		c := &ownedConn{Conn: conn}
		c.disown = context.AfterFunc(ctx, func() { _ = conn.Close() })
		return c, nil
	})
	t.HTTP2 = &http.HTTP2Config{SendPingTimeout: pingAfter, PingTimeout: pingPatience}
	return t, cancel
}

// ownedConn is a connection that its transport's `disconnect` closes.
type ownedConn struct {
	net.Conn
	disown func() bool
}

// Close implements net.Conn.
func (c *ownedConn) Close() error {
	c.disown()
	return c.Conn.Close()
}
