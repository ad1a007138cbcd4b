package main

import (
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// maxPorts is how many ports after the default one are tried before the system chooses one.
const maxPorts = 20

// network is what the server listens on.
type network struct {
	page   net.Listener
	probes net.Listener // of --metrics-listen; nil without
	tls    *tls.Config  // of page; nil for plain HTTP
}

// openNetwork opens the listeners of the settings. The caller closes them.
func openNetwork(s settings, log *slog.Logger) (n *network, err error) {
	n = new(network)
	if s.tlsCert != "" {
		certificate, err := tls.LoadX509KeyPair(s.tlsCert, s.tlsKey)
		if err != nil {
			return nil, fmt.Errorf("--tls-cert %s, --tls-key %s: %w", s.tlsCert, s.tlsKey, err)
		}
		n.tls = &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12}
	}
	if n.page, err = listen(s); err != nil {
		return nil, err
	}
	if s.metricsListen != "" {
		if n.probes, err = bind("--metrics-listen", s.metricsListen, false); err != nil {
			_ = n.page.Close()
			return nil, err
		}
		log.Info("metrics and health checks have a listener of their own", "address", n.probes.Addr().String())
	}
	if !n.address().IP.IsLoopback() {
		manner := "with TLS"
		if n.tls == nil {
			manner = "WITHOUT TLS (--insecure): anyone who can read the network can read the token and the objects"
		}
		log.Warn("listening on more than the loopback interface, "+manner, "address", n.address().String())
	}
	return n, nil
}

// address is the page's.
func (n *network) address() *net.TCPAddr { return n.page.Addr().(*net.TCPAddr) }

// scheme is that of the page's address.
func (n *network) scheme() string {
	if n.tls != nil {
		return "https"
	}
	return "http"
}

func (n *network) close() {
	_ = n.page.Close()
	if n.probes != nil {
		_ = n.probes.Close()
	}
}

// listen opens the address of --listen. An address that other machines can reach needs TLS or --insecure, and named contexts. A port in use is an
// error that suggests another, except for the default port: then the next free one is taken.
func listen(s settings) (net.Listener, error) {
	ln, err := bind("--listen", s.listen, !s.listenExplicit)
	if err != nil {
		return nil, err
	}
	// The bound address decides, not the name given.
	if ln.Addr().(*net.TCPAddr).IP.IsLoopback() {
		return ln, nil
	}
	switch {
	case s.tlsCert == "" && !s.insecure:
		err = fmt.Errorf("--listen %s is reachable from other machines: give --tls-cert and --tls-key, or --insecure to allow it without TLS", s.listen)
	case s.contexts == nil:
		err = fmt.Errorf("--listen %s is reachable from other machines: name the contexts that may be read there, with --context NAME or --contexts a,b "+
			"(--contexts= serves none, and the page its simulated cluster)", s.listen)
	default:
		return ln, nil
	}
	_ = ln.Close()
	return nil, &usageError{err}
}

// bind opens the address of the flag flagName. If its port is in use and another is true, it takes the next free one.
func bind(flagName, address string, another bool) (net.Listener, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, &usageError{fmt.Errorf("%s: %q is not an address; write for example 127.0.0.1:8080, or [::1]:0 for any free port", flagName, address)}
	}
	number, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return nil, &usageError{fmt.Errorf("%s: %q is not a port number", flagName, port)}
	}
	// Go listens on both protocols for 0.0.0.0; a user who gives it means IPv4.
	network := "tcp"
	if ip := net.ParseIP(host); ip != nil && ip.To4() != nil {
		network = "tcp4"
	}
	ln, err := net.Listen(network, address)
	if portInUse(err) && another {
		for next := number + 1; next <= number+maxPorts && portInUse(err); next++ {
			ln, err = net.Listen(network, net.JoinHostPort(host, strconv.FormatUint(next, 10)))
		}
		if portInUse(err) {
			ln, err = net.Listen(network, net.JoinHostPort(host, "0"))
		}
	}
	switch {
	case portInUse(err):
		return nil, fmt.Errorf("%s %s: another program has that port; choose another, or %s for any free one", flagName, address, net.JoinHostPort(host, "0"))
	case errors.Is(err, os.ErrPermission):
		return nil, fmt.Errorf("%s %s: not permitted; ports below 1024 are the administrator's, choose one above", flagName, address)
	case err != nil:
		return nil, fmt.Errorf("%s %s: %w", flagName, address, err)
	}
	return ln, nil
}

// portInUse reports whether listening failed because the port is in use. On Windows the system's error number is not syscall.EADDRINUSE, so the text is
// compared too.
func portInUse(err error) bool {
	return errors.Is(err, syscall.EADDRINUSE) || err != nil && strings.Contains(err.Error(), "Only one usage of each socket address")
}

// names returns the hosts under which browsers may reach the server. The first is the one to open on this machine; others are those that other
// machines can open. For an unspecified address (0.0.0.0, ::) they include the addresses of this machine's interfaces and its name, as of now.
func names(s settings, address *net.TCPAddr) (hosts, others []string) {
	port := strconv.Itoa(address.Port)
	given, _, _ := net.SplitHostPort(s.listen)
	add := func(list *[]string, host string) {
		if name := net.JoinHostPort(host, port); !slices.Contains(*list, name) {
			*list = append(*list, name)
		}
	}
	loopback := []string{"127.0.0.1", "localhost", "::1"}
	if given != "" && !address.IP.IsUnspecified() {
		for _, host := range append([]string{strings.TrimSpace(given), address.IP.String()}, loopback...) {
			add(&hosts, host)
		}
		return hosts, nil
	}
	for _, host := range loopback {
		add(&hosts, host)
	}
	v4, v6 := protocols(address)
	interfaces, err := net.InterfaceAddrs()
	if err != nil {
		interfaces = nil // the host name is still added
	}
	for _, a := range interfaces {
		network, ok := a.(*net.IPNet)
		if !ok || network.IP.IsLoopback() {
			continue
		}
		add(&hosts, network.IP.String())
		// A link-local address needs the name of the interface, which differs from machine to machine.
		if four := network.IP.To4() != nil; !network.IP.IsLinkLocalUnicast() && (four && v4 || !four && v6) {
			add(&others, network.IP.String())
		}
	}
	if name, err := os.Hostname(); err == nil {
		add(&hosts, name)
	}
	return hosts, others
}

// protocols reports which protocols an address is listened on with.
func protocols(address *net.TCPAddr) (v4, v6 bool) {
	if address.IP.To4() != nil {
		return true, false
	}
	if !address.IP.IsUnspecified() {
		return false, true
	}
	// The same port of IPv4 is free if :: bound only IPv6.
	probe, err := net.Listen("tcp4", net.JoinHostPort("0.0.0.0", strconv.Itoa(address.Port)))
	if err == nil {
		_ = probe.Close()
		return false, true
	}
	return true, true
}

// protocolNames names those protocols, for people.
func protocolNames(address *net.TCPAddr) string {
	switch v4, v6 := protocols(address); {
	case v4 && v6:
		return "IPv4 and IPv6"
	case v6:
		return "IPv6"
	}
	return "IPv4"
}
