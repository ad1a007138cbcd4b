package connlimit

import (
	"net"
	"testing"
	"time"
)

// TestLittleIsKeptUnsent: of an unread answer the system buffers little.
func TestLittleIsKeptUnsent(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	limited := New(ln, Options{Places: 4, Stall: 500 * time.Millisecond})
	defer func() { _ = limited.Close() }()
	client, err := net.Dial("tcp", ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = client.Close() }()
	if err := client.(*net.TCPConn).SetReadBuffer(64 << 10); err != nil {
		t.Fatal(err)
	}
	server, err := limited.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = server.Close() }()
	taken, err := server.Write(make([]byte, 64<<20))
	if err == nil || taken > 1<<20 {
		t.Errorf("of an answer that is not read the system took %d bytes, %v", taken, err)
	}
	t.Logf("%d bytes", taken)
}
