//go:build !linux

package connlimit

import "net"

// keepLittleUnsent does nothing here: what the system keeps for a connection is what it always keeps.
func keepLittleUnsent(net.Conn) {}
