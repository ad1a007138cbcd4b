package clusters

import (
	"context"
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
)

// Cause is why an API server gave no answer, as one word for programs.
type Cause string

// The causes.
const (
	Refused                  Cause = "refused"                    // nothing listens on the port
	DNS                      Cause = "dns"                        // the name has no address
	Proxy                    Cause = "proxy"                      // the proxy fails, or refuses the connection
	TLS                      Cause = "tls"                        // the handshake fails, or the certificate is for other names
	PlainHTTP                Cause = "plain-http"                 // the kubeconfig says https, the server speaks plain HTTP
	HTTPSWanted              Cause = "https-wanted"               // the kubeconfig says http, the server speaks HTTPS
	ServerCertificateExpired Cause = "server-certificate-expired" // or is not valid yet
	ServerCertificateUnknown Cause = "server-certificate-unknown" // of an authority that is not trusted
	ClientCertificate        Cause = "client-certificate"         // the API server rejects it
	Timeout                  Cause = "timeout"                    // no answer in time, or no route
	Frozen                   Cause = "frozen"                     // the API server accepts connections and does not answer
	Reset                    Cause = "reset"                      // the connection broke
	Credentials              Cause = "credentials"                // the user's entry in the kubeconfig does not work
	ExecPlugin               Cause = "exec-plugin"                // the program that should supply credentials failed
	ExecWaiting              Cause = "exec-waiting"               // the program is still running
	Kubeconfig               Cause = "kubeconfig"                 // the kubeconfig is wrong
	NoContext                Cause = "context"                    // the kubeconfig has no such context
	Unauthorized             Cause = "unauthorized"               // the cluster rejects the user's credentials
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

// Explain classifies an error of Upstream or of its RoundTrip, and explains to people what is wrong and what to do. The explanation may contain
// credentials if err does; see package scrub.
func Explain(err error, place Place) (Cause, string) {
	var (
		config       *ConfigError
		unknown      *UnknownContextError
		notServed    *NotServedError
		plugin       *PluginError
		waiting      *PluginWaiting
		dns          *net.DNSError
		authority    x509.UnknownAuthorityError
		hostname     x509.HostnameError
		invalid      x509.CertificateInvalidError
		verification *tls.CertificateVerificationError
		record       tls.RecordHeaderError
		alert        tls.AlertError
		network      net.Error
	)
	text := err.Error()
	switch {
	case errors.As(err, &unknown), errors.As(err, &notServed):
		return NoContext, text
	case errors.As(err, &config):
		if config.Credentials {
			return Credentials, "The credentials cannot be used: " + text
		}
		return Kubeconfig, text
	case errors.As(err, &waiting):
		return ExecWaiting, waiting.words()
	case errors.As(err, &plugin):
		return ExecPlugin, plugin.words()
	case strings.Contains(text, gettingCredentials):
		return ExecPlugin, "The credential plugin that the kubeconfig names failed (its output is in the server's log): " + text
	case place.Proxy != "" && isProxyError(err):
		return Proxy, proxyWords(err, place)
	case isRefused(err):
		return Refused, fmt.Sprintf("The API server %s refuses the connection: nothing listens there. Is the cluster running?%s", place.Host, retryNote)
	case errors.As(err, &dns):
		if dns.IsTimeout {
			return DNS, fmt.Sprintf("Looking up the name %s timed out. Are network, VPN and DNS up?%s", dns.Name, retryNote)
		}
		return DNS, fmt.Sprintf("The name %s of the API server has no address. Are VPN and DNS up, and is the server's URL in the kubeconfig right?%s", dns.Name,
			retryNote)
	case errors.As(err, &authority) && place.InCluster:
		return ServerCertificateUnknown, fmt.Sprintf("The certificate of the API server %s is signed by an authority that the pod's service "+
			"account does not name (%v). "+
			"If the cluster has a new authority, delete the pod: a new one gets the new ca.crt. Otherwise a proxy may intercept the "+
			"connection.", place.Host, authority)
	case errors.As(err, &authority):
		return ServerCertificateUnknown, fmt.Sprintf("The certificate of the API server %s is signed by an authority that the kubeconfig does not trust (%v). "+
			"If the cluster was created again, fetch its new kubeconfig; otherwise a proxy may intercept the connection.", place.Host, authority)
	case errors.As(err, &hostname):
		return TLS, fmt.Sprintf("The certificate of the API server %s is for other names: %v. Use one of those in the kubeconfig's server, or set tls-server-name.",
			place.Host, hostname)
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return ServerCertificateExpired, validity(place.Host, invalid.Cert)
	case errors.As(err, &invalid), errors.As(err, &verification):
		return TLS, fmt.Sprintf("The certificate of the API server %s is not valid: %v", place.Host, err)
	case errors.As(err, &record) && string(record.RecordHeader[:]) == "HTTP/", strings.Contains(text, "server gave HTTP response to HTTPS client"):
		return PlainHTTP, fmt.Sprintf("%s answers in plain HTTP where the kubeconfig says https. Is the port right? If it is, write http:// in the kubeconfig's "+
			"server.", place.Host)
	case errors.As(err, &record):
		return TLS, fmt.Sprintf("%s does not answer in TLS (%v). Is the server's URL in the kubeconfig right?", place.Host, record)
	case errors.As(err, &alert), strings.Contains(text, "remote error: tls: "):
		if strings.Contains(text, "certificate") || strings.Contains(text, "unknown CA") {
			return ClientCertificate, clientCertificate(place, text)
		}
		return TLS, fmt.Sprintf("The API server %s aborts the TLS handshake: %v", place.Host, err)
	case isLost(err):
		return Frozen, fmt.Sprintf("The API server %s has stopped answering: no sign of life for %d s. Its process may be stopped or overloaded, its machine "+
			"asleep, or the network down.%s",
			place.Host, int(lostAfter().Seconds()), retryNote)
	case strings.Contains(text, "TLS handshake timeout"):
		return Frozen, fmt.Sprintf("The API server %s has stopped answering: it accepts connections, but no sign of life came for 10 s. Its process may be "+
			"stopped or overloaded.%s", place.Host, retryNote)
	case strings.Contains(text, "timeout awaiting response headers"):
		return Timeout, fmt.Sprintf("The API server %s accepted the request and began no answer within %d s. It may be overloaded, or asked for "+
			"more than it can collect.%s",
			place.Host, int(HeaderPatience.Seconds()), retryNote)
	case strings.Contains(text, "response headers exceeded"), strings.Contains(text, "response header list larger than"):
		return Reset, fmt.Sprintf("The API server %s answers with headers of more than %d KiB, which is too much. A proxy in front of it "+
			"may add them.", place.Host, maxResponseHeaders>>10)
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &network) && network.Timeout():
		return Timeout, fmt.Sprintf("The API server %s does not answer in time. Is the network to it (a VPN, a firewall) up?%s", place.Host, retryNote)
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return Timeout, fmt.Sprintf("There is no route to the API server %s (%v). Is the network to it up?%s", place.Host, root(err), retryNote)
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return Reset, fmt.Sprintf("The connection to the API server %s broke (%v).%s", place.Host, root(err), retryNote)
	case strings.Contains(text, "tls: "), strings.Contains(text, "x509: "):
		return TLS, fmt.Sprintf("No secure connection to the API server %s: %s", place.Host, text)
	}
	return Reset, fmt.Sprintf("The API server %s gave no answer: %v.%s", place.Host, err, retryNote)
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
func Hint(code int, body []byte, place Place) (Cause, string) {
	const wanted = "Client sent an HTTP request to an HTTPS server."
	switch {
	case code == 400 && place.Scheme == "http" && strings.Contains(string(body), wanted):
		return HTTPSWanted, fmt.Sprintf("The API server %s answers: %q Write https://%s in the kubeconfig's cluster %q.",
			place.Host, wanted, place.Host, place.Cluster)
	case code == 407 && place.Proxy != "":
		return Proxy, proxyWords(&ProxyError{Code: code, Status: "407 Proxy Authentication Required"}, place)
	case code == 401 && place.Certificate != nil:
		return ClientCertificate, clientCertificate(place, ": 401 Unauthorized")
	case code == 401 && place.InCluster:
		return Unauthorized, fmt.Sprintf("The API server %s does not accept the token of the pod's service account (401 Unauthorized). The "+
			"account may have been deleted, "+
			"or the token may be of another cluster: delete the pod, and a new one gets a new token.%s", place.Host, retryNote)
	case code == 401:
		owner := ""
		if place.User != "" {
			owner = fmt.Sprintf(" of the kubeconfig's user %q", place.User)
		}
		return Unauthorized, fmt.Sprintf(
			"The API server %s does not accept the credentials%s (401 Unauthorized). They may have expired, or belong to another cluster: log in again in the "+
				"way that the kubeconfig needs.%s", place.Host, owner, retryNote)
	}
	return "", ""
}
