package guard

import (
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
)

// Protocol is the WebSocket sub-protocol of the relay.
const Protocol = "informerscope.v1"

// tokenPrefix marks the offered sub-protocol that carries the token: it is in the only header that a browser lets a page set.
const tokenPrefix = "token."

// MinTokenLength is the least number of characters in a token.
const MinTokenLength = 16

// CheckToken reports whether token can be used in a URL fragment and as a WebSocket sub-protocol without escapes.
func CheckToken(token string) error {
	if len(token) < MinTokenLength {
		// Not "the token is": after a flag's name and a colon that looks like a token's value, which the scrubber would remove.
		return fmt.Errorf("%d characters are too few for a token; give at least %d, or none for a random token", len(token), MinTokenLength)
	}
	for _, c := range []byte(token) {
		if !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("-._~", c) >= 0) {
			return fmt.Errorf("a token may consist of letters, digits and - . _ ~ only")
		}
	}
	return nil
}

// Door holds the literal lists that every connection is checked against. It is immutable and safe for concurrent use.
type Door struct {
	hosts   []string // allowed Host headers
	origins []string // allowed Origin headers
	address string   // the address in the messages of refusals
	token   [sha256.Size]byte
}

// NewDoor makes a door for requests whose Host header is one of hosts (each "name:port"; an IPv6 address in brackets), from pages of those hosts
// under scheme ("http" or "https"), with token. It also admits the names in also, each under its own scheme; refusals then name the first of these.
// If the port is the scheme's default, the host is accepted with and without it, because browsers omit it.
func NewDoor(hosts []string, scheme, token string, others ...Name) *Door {
	d := &Door{token: sha256.Sum256([]byte(token))}
	for _, name := range others {
		d.add(name)
	}
	for _, host := range hosts {
		d.add(Name{scheme, host})
	}
	return d
}

func (d *Door) add(name Name) {
	host, standard := strings.ToLower(name.Host), defaultPorts[name.Scheme]
	both := []string{host}
	if bare, ok := strings.CutSuffix(host, ":"+standard); ok && bare != "" {
		both = append(both, bare)
	} else if _, _, err := net.SplitHostPort(host); err != nil {
		both = append(both, host+":"+standard)
	}
	for _, host := range both {
		d.hosts = append(d.hosts, host)
		d.origins = append(d.origins, name.Scheme+"://"+host)
	}
	if d.address == "" {
		d.address = name.String()
	}
}

// Host refuses a request whose Host header is not one of the server's names. This defeats DNS rebinding: a foreign page whose domain resolves to
// 127.0.0.1 sends its own domain.
func (d *Door) Host(r *http.Request) *Refusal {
	if !slices.Contains(d.hosts, strings.ToLower(r.Host)) {
		return refuse("host", "the request's Host is not a name of this server; open it as "+d.address+"/, or start it with this name in --allowed-hosts")
	}
	return nil
}

// Origin refuses a WebSocket from any page but this server's own. Browsers always send Origin with a WebSocket, and no other client is supported, so
// a missing one is refused.
func (d *Door) Origin(r *http.Request) *Refusal {
	origins := r.Header.Values("Origin")
	if len(origins) == 1 && slices.Contains(d.origins, strings.ToLower(origins[0])) {
		return nil
	}
	return refuse("origin", "the relay accepts WebSockets only from its own page (Origin "+d.address+")")
}

// Token refuses a WebSocket that does not offer the relay's protocol together with the token of this launch. The comparison takes the same time
// wherever the first difference is, and whatever the length.
func (d *Door) Token(r *http.Request) *Refusal {
	var offered []string
	for _, header := range r.Header.Values("Sec-WebSocket-Protocol") {
		for protocol := range strings.SplitSeq(header, ",") {
			offered = append(offered, strings.TrimSpace(protocol))
		}
	}
	if !slices.Contains(offered, Protocol) {
		return refuse("protocol", "the relay speaks the WebSocket sub-protocol "+Protocol+", which was not offered")
	}
	tokens := 0
	given := ""
	for _, protocol := range offered {
		if token, ok := strings.CutPrefix(protocol, tokenPrefix); ok {
			tokens++
			given = token
		}
	}
	sum := sha256.Sum256([]byte(given))
	if equal := subtle.ConstantTimeCompare(sum[:], d.token[:]) == 1; tokens != 1 || !equal {
		return refuse("token", "missing or wrong token; open the address that the server printed when it started, each launch has its own")
	}
	return nil
}

// Bearer refuses a request without the token of this launch as `Authorization: Bearer`. It compares as Token does.
func (d *Door) Bearer(r *http.Request) *Refusal {
	given := r.Header.Values("Authorization")
	token := ""
	if len(given) == 1 {
		token, _ = strings.CutPrefix(given[0], "Bearer ")
	}
	sum := sha256.Sum256([]byte(token))
	if subtle.ConstantTimeCompare(sum[:], d.token[:]) != 1 {
		return refuse("token", "missing or wrong token; open the address that the server printed when it started, each launch has its own")
	}
	return nil
}
