package clusters

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"informerscope/core/words/cause"
)

// Place describes the connection to an API server, for messages. Any field may be empty.
type Place struct {
	Cluster, User string
	Host          string // of the API server, with its port
	Scheme        string // of the API server's URL
	Proxy         string // host and port of the proxy on the way
	ProxyFrom     string // the source of Proxy: "the kubeconfig" or "the environment (HTTPS_PROXY)"
	// Certificate is the client certificate that the kubeconfig holds, nil for none.
	Certificate *x509.Certificate
	// InCluster is true if a pod's service account takes the place of a kubeconfig.
	InCluster bool
}

// ProxyError is the answer of a proxy that refused a connection.
type ProxyError struct {
	Code   int
	Status string // as "407 Proxy Authentication Required"
}

// Error implements error.
func (e *ProxyError) Error() string { return "the proxy answered " + e.Status }

// gettingCredentials begins the errors of running a credential plugin. client-go has no type for them. Mirrors
// plugin/pkg/client/auth/exec.(*roundTripper).RoundTrip (v0.37.2).
const gettingCredentials = "getting credentials: "

// retryNote ends the message of an error that may go away without the user.
const retryNote = " The page retries by itself."

// Explain returns the cause of an error of Upstream or of its RoundTrip, as the table of package cause has it. It explains to people what is wrong and what
// to do, in the table's own words where the error has no more to say. The explanation may contain credentials if err does; see package scrub.
func Explain(err error, place Place) (id, words string) {
	var (
		config    *ConfigError
		unknown   *UnknownContextError
		notServed *NotServedError
		plugin    *PluginError
		waiting   *PluginWaiting
	)
	text := err.Error()
	switch {
	case errors.As(err, &unknown), errors.As(err, &notServed):
		return cause.NoContext, text
	case errors.As(err, &config):
		if config.Credentials {
			return cause.Credentials, "The credentials cannot be used: " + text
		}
		return cause.Kubeconfig, text
	case errors.As(err, &waiting):
		return cause.ExecWaiting, waiting.words()
	case errors.As(err, &plugin):
		return cause.ExecPlugin, plugin.words()
	case place.Proxy != "" && isProxyError(err):
		return cause.Proxy, proxyWords(err, place)
	}
	id = causeOf(err, place)
	words, isComplete := detail(id, err, place)
	if words == "" {
		what, remedy := cause.Find(id).Say(cause.Args{Where: place.Host})
		words, isComplete = fmt.Sprintf("%s %s (%s)", what.EN, remedy.EN, root(err)), true
	}
	if cause.Find(id).Retries && isComplete {
		words += retryNote
	}
	return id, words
}

// causeOf returns the cause of an error on the way to the API server. A client certificate is at hand, so that its date comes before the error of a connection:
// the alert of TLS 1.3 that names it may come after the connection broke.
func causeOf(err error, place Place) string {
	var record tls.RecordHeaderError
	id := cmp.Or(cause.Of(err), cause.Reset)
	switch now := time.Now(); {
	case errors.As(err, &record) && string(record.RecordHeader[:]) == "HTTP/":
		return cause.PlainHTTP
	case id == cause.Reset && place.Certificate != nil && (now.After(place.Certificate.NotAfter) || now.Before(place.Certificate.NotBefore)):
		return cause.ClientCertificate
	}
	return id
}

// detail says what an error has beyond its cause; "" for nothing.
func detail(id string, err error, place Place) (words string, isComplete bool) {
	var (
		dns       *net.DNSError
		authority x509.UnknownAuthorityError
		hostname  x509.HostnameError
		invalid   x509.CertificateInvalidError
		record    tls.RecordHeaderError
		network   net.Error
	)
	host, text := place.Host, err.Error()
	switch id {
	case cause.ExecPlugin:
		return "The credential plugin that the kubeconfig names failed (its output is in the server's log): " + text, true
	case cause.OIDCToken, cause.OIDCIssuer:
		what, remedy := cause.Find(id).Say(cause.Args{})
		return fmt.Sprintf("%s %s Its client says: %s", what.EN, remedy.EN, root(err)), true
	case cause.Refused:
		return fmt.Sprintf("The API server %s refuses the connection: nothing listens there. Is the cluster running?", host), true
	case cause.DNS:
		name := host
		if errors.As(err, &dns) {
			name = dns.Name
			if dns.IsTimeout {
				return fmt.Sprintf("Looking up the name %s timed out. Are network, VPN and DNS up?", name), true
			}
		}
		return fmt.Sprintf("The name %s of the API server has no address. Are VPN and DNS up, and is the server's URL in the kubeconfig right?", name), true
	case cause.CertificateIssuer:
		_ = errors.As(err, &authority)
		if place.InCluster {
			return fmt.Sprintf("The certificate of the API server %s is signed by an authority that the pod's service account does not name (%v). If the cluster "+
				"has a new authority, delete the pod: a new one gets the new ca.crt. Otherwise a proxy may intercept the connection.", host, authority), true
		}
		return fmt.Sprintf("The certificate of the API server %s is signed by an authority that the kubeconfig does not trust (%v). If the cluster was created "+
			"again, fetch its new kubeconfig; otherwise a proxy may intercept the connection.", host, authority), true
	case cause.CertificateDate:
		_ = errors.As(err, &invalid)
		return validity(host, invalid.Cert), true
	case cause.PlainHTTP:
		return fmt.Sprintf("%s answers in plain HTTP where the kubeconfig says https. Is the port right? If it is, write http:// in the kubeconfig's server.",
			host), true
	case cause.ClientCertificate:
		return clientCertificate(place, text), true
	case cause.TLS:
		switch {
		case errors.As(err, &hostname):
			return fmt.Sprintf("The certificate of the API server %s is for other names: %v. Use one of those in the kubeconfig's server, or set "+
				"tls-server-name.", host, hostname), true
		case errors.As(err, &invalid):
			return fmt.Sprintf("The certificate of the API server %s is not valid: %v", host, err), true
		case errors.As(err, &record):
			return fmt.Sprintf("%s does not answer in TLS (%v). Is the server's URL in the kubeconfig right?", host, record), true
		}
		return fmt.Sprintf("No secure connection to the API server %s: %s", host, text), true
	case cause.Frozen:
		if !isLost(err) {
			return fmt.Sprintf("The API server %s has stopped answering: it accepts connections, but no sign of life came for 10 s. Its process may be "+
				"stopped or overloaded.", host), true
		}
		return fmt.Sprintf("The API server %s has stopped answering: no sign of life for %d s. Its process may be stopped or overloaded, its machine asleep, or "+
			"the network down.", host, int(lostAfter().Seconds())), true
	case cause.Timeout:
		if strings.Contains(text, "timeout awaiting response headers") {
			return fmt.Sprintf("The API server %s accepted the request and began no answer within %d s. It may be overloaded, or asked for more than it can "+
				"collect.", host, int(HeaderPatience.Seconds())), true
		}
		return fmt.Sprintf("The API server %s does not answer in time. Is the network to it (a VPN, a firewall) up?", host), true
	case cause.Unreachable:
		if errors.As(err, &network) && network.Timeout() {
			return fmt.Sprintf("The API server %s does not answer in time. Is the network to it (a VPN, a firewall) up?", host), true
		}
		return fmt.Sprintf("There is no route to the API server %s (%v). Is the network to it up?", host, root(err)), true
	case cause.Reset:
		switch {
		case strings.Contains(text, "response headers exceeded"), strings.Contains(text, "response header list larger than"):
			return fmt.Sprintf("The API server %s answers with headers of more than %d KiB, which is too much. A proxy in front of it may add them.", host,
				maxResponseHeaders>>10), false
		case cause.Of(err) == "" && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF):
			return fmt.Sprintf("The API server %s gave no answer: %v.", host, err), true
		}
		return fmt.Sprintf("The connection to the API server %s broke (%v).", host, root(err)), true
	}
	return "", false
}

// lostAfter is when client-go's transport gives up an HTTP/2 connection: after 30 s without a frame it sends a ping, and waits 15 s for the answer.
// Mirrors apimachinery util/net.readIdleTimeoutSeconds and pingTimeoutSeconds (v0.37.2), which the environment may set.
func lostAfter() time.Duration {
	seconds := func(name string, otherwise int) int {
		if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
			return n
		}
		return otherwise
	}
	return time.Duration(seconds("HTTP2_READ_IDLE_TIMEOUT_SECONDS", 30)+seconds("HTTP2_PING_TIMEOUT_SECONDS", 15)) * time.Second
}

// isLost reports whether a connection was given up because its pings were not answered. net/http does not export that error.
func isLost(err error) bool { return strings.Contains(err.Error(), "client connection lost") }

func isRefused(err error) bool {
	return errors.Is(err, syscall.ECONNREFUSED) || strings.Contains(err.Error(), "actively refused") // the latter is Windows'
}

// isProxyError reports whether the proxy failed, and not the server behind it.
func isProxyError(err error) bool {
	var answer *ProxyError
	if errors.As(err, &answer) {
		return true
	}
	for e := err; e != nil; e = errors.Unwrap(e) {
		if op, ok := e.(*net.OpError); ok && (op.Op == "proxyconnect" || strings.HasPrefix(op.Op, "socks")) {
			return true
		}
	}
	return false
}

func proxyWords(err error, place Place) string {
	proxy := fmt.Sprintf("The proxy %s that %s names", place.Proxy, place.ProxyFrom)
	var (
		answer  *ProxyError
		dns     *net.DNSError
		network net.Error
	)
	switch {
	case errors.As(err, &answer) && answer.Code == 407:
		return fmt.Sprintf("%s asks for a login (%s). Give one in the proxy's URL, or leave the proxy out; the cluster itself has not been asked.", proxy,
			answer.Status)
	case errors.As(err, &answer):
		return fmt.Sprintf("%s does not connect to the API server %s (it answers %s). The cluster may be down, or the proxy may not be allowed to reach it.%s", proxy,
			place.Host, answer.Status, retryNote)
	case errors.As(err, &dns):
		return fmt.Sprintf("%s cannot be found: the name %s has no address. The cluster itself has not been asked.", proxy, dns.Name)
	case isRefused(err):
		return fmt.Sprintf("%s refuses the connection: nothing listens there. Start it, or correct the proxy's address; the cluster itself has not been asked.%s",
			proxy, retryNote)
	case errors.As(err, &network) && network.Timeout():
		return fmt.Sprintf("%s does not answer in time. The cluster itself has not been asked.%s", proxy, retryNote)
	}
	return fmt.Sprintf("%s fails (%v). The cluster itself has not been asked.%s", proxy, root(err), retryNote)
}

// validity explains what is wrong with the dates of an API server's certificate.
func validity(host string, cert *x509.Certificate) string {
	if cert == nil {
		return fmt.Sprintf("The certificate of the API server %s has expired, or the clock of this machine is wrong. Renew it on the control plane.", host)
	}
	if now := time.Now(); now.Before(cert.NotBefore) {
		return fmt.Sprintf("The certificate of the API server %s is valid from %s only, and this machine's clock says %s. Is the clock right?",
			host, day(cert.NotBefore), day(now))
	}
	return fmt.Sprintf("The certificate of the API server %s expired on %s. Renew it on the control plane (kubeadm: kubeadm certs renew), or correct this "+
		"machine's clock, which says %s.",
		host, day(cert.NotAfter), day(time.Now()))
}

// clientCertificate explains why the kubeconfig's own certificate is rejected. said is the server's error.
func clientCertificate(place Place, said string) string {
	said = said[strings.LastIndex(said, ": ")+1:]
	certificate := "The client certificate"
	if place.User != "" {
		certificate += fmt.Sprintf(" of the user %q", place.User)
	}
	const fetch = " Fetch the kubeconfig again (kubeadm: kubeadm certs renew admin.conf; kind: kind export kubeconfig)."
	switch cert, now := place.Certificate, time.Now(); {
	case cert != nil && now.After(cert.NotAfter):
		return fmt.Sprintf("%s expired on %s, so the API server %s does not accept it.%s", certificate, day(cert.NotAfter), place.Host, fetch)
	case cert != nil && now.Before(cert.NotBefore):
		return fmt.Sprintf("%s is valid from %s only, and this machine's clock says %s. Is the clock right?", certificate, day(cert.NotBefore), day(now))
	case cert != nil:
		return fmt.Sprintf("%s is not accepted by the API server %s (%s). It was issued by %q, perhaps the authority of another cluster, or of this one before "+
			"it was created again.%s",
			certificate, place.Host, strings.TrimSpace(said), cert.Issuer.String(), fetch)
	case strings.Contains(said, "required"):
		return fmt.Sprintf("The API server %s requires a client certificate, and the kubeconfig's user %q has none.%s", place.Host, place.User, fetch)
	}
	return fmt.Sprintf("%s is not accepted by the API server %s (%s).%s", certificate, place.Host, strings.TrimSpace(said), fetch)
}

func day(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 MST") }

// root is the innermost error, which is the system's.
func root(err error) error {
	for {
		next := errors.Unwrap(err)
		if next == nil {
			return err
		}
		err = next
	}
}

// Hint explains an error that the cluster itself answered, beyond the answer's message. It is sent beside the answer, which stays as it is. The cause
// is "" if there is nothing to add.
func Hint(code int, body []byte, place Place) (id, words string) {
	const wanted = "Client sent an HTTP request to an HTTPS server."
	switch {
	case code == 400 && place.Scheme == "http" && strings.Contains(string(body), wanted):
		return cause.HTTPSWanted, fmt.Sprintf("The API server %s answers: %q Write https://%s in the kubeconfig's cluster %q.",
			place.Host, wanted, place.Host, place.Cluster)
	case code == 407 && place.Proxy != "":
		return cause.Proxy, proxyWords(&ProxyError{Code: code, Status: "407 Proxy Authentication Required"}, place)
	case code == 401 && place.Certificate != nil:
		return cause.ClientCertificate, clientCertificate(place, ": 401 Unauthorized")
	case code == 401 && place.InCluster:
		return cause.Unauthorized, fmt.Sprintf("The API server %s does not accept the token of the pod's service account (401 Unauthorized). The "+
			"account may have been deleted, "+
			"or the token may be of another cluster: delete the pod, and a new one gets a new token.%s", place.Host, retryNote)
	case code == 401:
		owner := ""
		if place.User != "" {
			owner = fmt.Sprintf(" of the kubeconfig's user %q", place.User)
		}
		return cause.Unauthorized, fmt.Sprintf(
			"The API server %s does not accept the credentials%s (401 Unauthorized). They may have expired, or belong to another cluster: log in again in the "+
				"way that the kubeconfig needs.%s", place.Host, owner, retryNote)
	}
	return "", ""
}
