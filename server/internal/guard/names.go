package guard

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
)

// Name is one name by which browsers reach the server: a scheme and a host, as in the Origin header of its page.
type Name struct {
	Scheme string // "http" or "https", as the browser sees it
	Host   string // in lower case, with a port if it is not the scheme's default; an IPv6 address in brackets
}

// String returns the name as a URL without a path.
func (n Name) String() string { return n.Scheme + "://" + n.Host }

// IsLoopback reports whether the name means the browser's own machine.
func (n Name) IsLoopback() bool {
	host := strings.ToLower(n.Host)
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.Trim(host, "[]")
	if address, err := netip.ParseAddr(host); err == nil {
		return address.IsLoopback()
	}
	return host == "localhost" || strings.HasSuffix(host, ".localhost")
}

// ParsePublicURL parses the URL under which a proxy in front of the server, such as an ingress, publishes it.
func ParsePublicURL(raw string) (Name, error) {
	const example = "write for example https://informerscope.example"
	u, err := url.Parse(raw)
	switch {
	case err != nil || u.Opaque != "" || u.Host == "":
		return Name{}, errors.New("that is not a URL; " + example)
	case u.Scheme != "http" && u.Scheme != "https":
		return Name{}, errors.New("the URL begins with neither http:// nor https://; " + example)
	case u.User != nil:
		return Name{}, errors.New("the URL has a user name or password, which browsers do not send; " + example)
	case u.Path != "" && u.Path != "/":
		return Name{}, fmt.Errorf("the page must be at the root of a host, not under %.80q; give it a host name of its own: %s", u.Path, example)
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "" || strings.HasSuffix(raw, "#"):
		return Name{}, errors.New("the URL has a query or a fragment; " + example)
	}
	return newName(u.Scheme, u.Host)
}

// ParseAllowedHosts parses a list of hosts separated by commas, each "name" or "name:port". A prefix http:// or https:// gives the scheme. Otherwise
// a loopback name has the scheme own, because a port-forward leads to the server itself, and other names have the scheme elsewhere.
func ParseAllowedHosts(list, own, elsewhere string) ([]Name, error) {
	var out []Name
	for entry := range strings.SplitSeq(list, ",") {
		entry = strings.TrimSpace(entry)
		if entry == "" {
			return nil, errors.New("a host in the list is empty; write for example localhost:9090,informerscope.example")
		}
		scheme, host, given := strings.Cut(entry, "://")
		switch {
		case !given:
			scheme, host = elsewhere, entry
			if (Name{Host: entry}).IsLoopback() {
				scheme = own
			}
		case scheme != "http" && scheme != "https":
			return nil, fmt.Errorf("%.80q begins with neither http:// nor https://", entry)
		}
		name, err := newName(scheme, host)
		if err != nil {
			return nil, err
		}
		out = append(out, name)
	}
	return out, nil
}

// newName parses a literal host. It refuses what is ambiguous: wildcards, escapes, an empty port.
func newName(scheme, host string) (Name, error) {
	host = strings.ToLower(host)
	wrong := fmt.Errorf("%.80q is not a host; write a name or an address, with :port if it is not the scheme's default, and an IPv6 address in brackets: "+
		"localhost:9090, informerscope.example, [::1]:8080", host)
	name, port := host, ""
	if strings.HasPrefix(host, "[") || strings.Contains(host, ":") {
		if strings.HasPrefix(host, "[") && strings.HasSuffix(host, "]") {
			name = host[1 : len(host)-1]
		} else {
			var err error
			if name, port, err = net.SplitHostPort(host); err != nil {
				return Name{}, wrong
			}
			if number, err := strconv.ParseUint(port, 10, 16); err != nil || number == 0 || strconv.FormatUint(number, 10) != port {
				return Name{}, wrong
			}
		}
	}
	if strings.Contains(name, ":") {
		address, err := netip.ParseAddr(name)
		if err != nil || address.Zone() != "" || !strings.HasPrefix(host, "[") {
			return Name{}, wrong
		}
		name = "[" + address.String() + "]" // in the form in which browsers write it
	} else if strings.HasPrefix(host, "[") || !isHostName(name) {
		return Name{}, wrong
	}
	if port != "" && port != defaultPorts[scheme] {
		name += ":" + port
	}
	return Name{Scheme: scheme, Host: name}, nil
}

// isHostName reports whether s consists of labels as DNS has them; an IPv4 address does too.
func isHostName(s string) bool {
	if s == "" || len(s) > 253 {
		return false
	}
	for label := range strings.SplitSeq(s, ".") {
		if label == "" || len(label) > 63 || label[0] == '-' || label[len(label)-1] == '-' {
			return false
		}
		for _, c := range []byte(label) {
			if !('a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '-' || c == '_') {
				return false
			}
		}
	}
	return true
}

// defaultPorts are the ports that browsers omit.
var defaultPorts = map[string]string{"http": "80", "https": "443"}
