//go:build !linux

package connlimit

import "net"

// keepLittleUnsent does nothing on this system.
func keepLittleUnsent(net.Conn) {}
