package relay_test

import (
	"net"
	"os"
	"syscall"
	"testing"
)

// reservePort binds a port of the loopback interface without listening on it. Connections are refused, and no other program can take the port, until
// listen is called.
func reservePort(t *testing.T) (address string, listen func() (net.Listener, error)) {
	t.Helper()
	// As package net does, so that no process that starts meanwhile inherits the socket.
	syscall.ForkLock.RLock()
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	if err == nil {
		syscall.CloseOnExec(fd)
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		t.Fatal(os.NewSyscallError("socket", err))
	}
	socket := os.NewFile(uintptr(fd), "a reserved port")
	t.Cleanup(func() { socket.Close() })
	if err := syscall.Bind(fd, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		t.Fatal(os.NewSyscallError("bind", err))
	}
	bound, err := syscall.Getsockname(fd)
	if err != nil {
		t.Fatal(os.NewSyscallError("getsockname", err))
	}
	a := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: bound.(*syscall.SockaddrInet4).Port}
	return a.String(), func() (net.Listener, error) {
		if err := syscall.Listen(fd, syscall.SOMAXCONN); err != nil {
			return nil, os.NewSyscallError("listen", err)
		}
		return net.FileListener(socket) // a copy of its own
	}
}

// TestReservedPort checks what the tests of an absent cluster rely on.
func TestReservedPort(t *testing.T) {
	t.Parallel()
	address, listen := reservePort(t)
	if c, err := net.Dial("tcp", address); err == nil {
		c.Close()
		t.Error("a port without a listener accepted a connection")
	}
	if taken, err := net.Listen("tcp", address); err == nil {
		taken.Close()
		t.Error("a reserved port was taken")
	}
	ln, err := listen()
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	if ln.Addr().String() != address {
		t.Errorf("it listens on %s, not on %s", ln.Addr(), address)
	}
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	c.Close()
}
