package connlimit

import (
	"net"
	"syscall"
)

const (
	// maxUnsent is how many unsent bytes of an answer the system buffers. Without a limit it is some megabytes for each connection, which no process
	// shows as its memory and which a pod's limit still counts.
	maxUnsent = 128 << 10
	// tcpNotSentLowat is TCP_NOTSENT_LOWAT of linux/tcp.h, which package syscall does not name.
	tcpNotSentLowat = 25
)

// keepLittleUnsent limits what the system buffers for a connection. It does not slow a connection whose peer reads. Where the limit is not supported,
// as in an old kernel, it does nothing.
func keepLittleUnsent(c net.Conn) {
	socket, ok := c.(syscall.Conn)
	if !ok {
		return
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		return
	}
	_ = raw.Control(func(fd uintptr) {
		_ = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, tcpNotSentLowat, maxUnsent)
	})
}
