// Package wsconn makes a WebSocket into a net.Conn: a stream of bytes in binary messages whose borders mean nothing. So plain net/http can
// be served over a browser's only socket, and a broken network is a broken net.Conn.
package wsconn
