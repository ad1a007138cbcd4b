package main

import (
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// portsTried is how many ports above the default one are tried before the system is asked for any.
const portsTried = 20

// listen opens the address of the settings. A taken port is an error that says what to do, unless it is the default
// one, in whose place the next free one is taken.
func listen(s settings) (net.Listener, error) {
	host, port, err := net.SplitHostPort(s.listen)
	if err != nil {
		return nil, &usageError{fmt.Errorf("--listen: %q is not an address; write for example 127.0.0.1:8080, or [::1]:0 for any free port", s.listen)}
	}
	number, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return nil, &usageError{fmt.Errorf("--listen: %q is not a port number", port)}
	}
	ln, err := net.Listen("tcp", s.listen)
	if taken(err) && !s.listenExplicit {
		for next := number + 1; next <= number+portsTried && taken(err); next++ {
			ln, err = net.Listen("tcp", net.JoinHostPort(host, strconv.FormatUint(next, 10)))
		}
		if taken(err) {
			ln, err = net.Listen("tcp", net.JoinHostPort(host, "0"))
		}
	}
	switch {
	case taken(err):
		return nil, fmt.Errorf("--listen %s: another program has that port; choose another, or %s for any free one", s.listen, net.JoinHostPort(host, "0"))
	case errors.Is(err, os.ErrPermission):
		return nil, fmt.Errorf("--listen %s: not permitted; ports below 1024 are the administrator's, choose one above", s.listen)
	case err != nil:
		return nil, fmt.Errorf("--listen %s: %w", s.listen, err)
	}
	// The address as bound decides, not the name as given.
	if address := ln.Addr().(*net.TCPAddr); !address.IP.IsLoopback() && s.tlsCert == "" && !s.insecure {
		_ = ln.Close()
		return nil, &usageError{fmt.Errorf("--listen %s is reachable from other machines: give --tls-cert and --tls-key, or say --insecure if that is meant", s.listen)}
	}
	return ln, nil
}

// taken says whether listening failed because another program has the port. On Windows the system's number for it is not
// syscall.EADDRINUSE, but its words are known.
func taken(err error) bool {
	return errors.Is(err, syscall.EADDRINUSE) || err != nil && strings.Contains(err.Error(), "Only one usage of each socket address")
}

// names are the hosts under which the server may be addressed: the first is the one to open. With an unspecified address
// (0.0.0.0) these are also the addresses of this machine's interfaces and its name, as they are now.
func names(s settings, address *net.TCPAddr) []string {
	port := strconv.Itoa(address.Port)
	given, _, _ := net.SplitHostPort(s.listen)
	hosts := []string{"127.0.0.1", "localhost", "::1"}
	switch {
	case given == "" || address.IP.IsUnspecified():
		if interfaces, err := net.InterfaceAddrs(); err == nil {
			for _, a := range interfaces {
				if ip, ok := a.(*net.IPNet); ok && !ip.IP.IsLoopback() {
					hosts = append(hosts, ip.IP.String())
				}
			}
		}
		if name, err := os.Hostname(); err == nil {
			hosts = append(hosts, name)
		}
	default:
		hosts = append([]string{strings.TrimSpace(given), address.IP.String()}, hosts...)
	}
	var out []string
	seen := map[string]bool{}
	for _, host := range hosts {
		if name := net.JoinHostPort(host, port); !seen[name] {
			seen[name] = true
			out = append(out, name)
		}
	}
	return out
}
