package connlimit

import (
	"net"
	"syscall"
)

const (
	// unsent is how many bytes the system keeps of an answer that the other side has no room for. Without a limit it is some megabytes for
	// each connection, which no process shows as its memory and a pod's limit counts all the same.
	unsent = 128 << 10
	// tcpNotSentLowat is TCP_NOTSENT_LOWAT of linux/tcp.h, which package syscall does not name.
	tcpNotSentLowat = 25
)

// keepLittleUnsent limits what the system keeps for a connection. It does not slow one down whose other side reads. What cannot be limited, as
// in an old kernel, stays as it is.
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
		_ = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, tcpNotSentLowat, unsent)
	})
}
