// Package wsconn makes a WebSocket into a net.Conn: a stream of bytes in binary messages whose boundaries mean nothing. So net/http can serve over
// the only socket that a browser has, and a broken network is a broken net.Conn.
package wsconn
