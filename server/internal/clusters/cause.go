package clusters

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"syscall"
)

// Cause is why an API server gave no answer, in one word that a program can act on.
type Cause string

// The causes.
const (
	Refused     Cause = "refused"     // nothing listens there
	DNS         Cause = "dns"         // the name has no address
	TLS         Cause = "tls"         // the two sides do not trust, or understand, each other
	Timeout     Cause = "timeout"     // no answer in time, or no route
	Reset       Cause = "reset"       // the connection broke
	Credentials Cause = "credentials" // the user's entry in the kubeconfig does not work
	ExecPlugin  Cause = "exec-plugin" // the program that should supply credentials failed
	Kubeconfig  Cause = "kubeconfig"  // the kubeconfig is wrong
	NoContext   Cause = "context"     // the kubeconfig has no such context
)

// Explain sorts an error of Upstream or of a transport into a cause, with a sentence for people. host is the API
// server's, for the sentence; it may be empty.
func Explain(err error, host string) (Cause, string) {
	var (
		config       *ConfigError
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
	case errors.As(err, &config):
		if config.Credentials {
			return Credentials, "the credentials cannot be used: " + text
		}
		return Kubeconfig, text
	case strings.Contains(text, "getting credentials: "):
		// client-go offers no type for it. Mirrors plugin/pkg/client/auth/exec.(*roundTripper).RoundTrip (v0.37.2).
		return ExecPlugin, "the credential plugin that the kubeconfig names failed (its own words are on the server's standard error): " + text
	case errors.Is(err, syscall.ECONNREFUSED), strings.Contains(text, "actively refused"): // the latter is Windows'
		return Refused, fmt.Sprintf("the API server %s refuses the connection: nothing listens there; is the cluster running?", host)
	case errors.As(err, &dns):
		if dns.IsTimeout {
			return DNS, fmt.Sprintf("looking up %s timed out", dns.Name)
		}
		return DNS, fmt.Sprintf("the name %s of the API server has no address (are VPN and DNS up?)", dns.Name)
	case errors.As(err, &authority):
		return TLS, fmt.Sprintf("the certificate of %s is signed by an authority that the kubeconfig does not trust (%v); was the cluster made anew?", host, authority)
	case errors.As(err, &hostname):
		return TLS, fmt.Sprintf("the certificate of %s is for other names: %v", host, hostname)
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return TLS, fmt.Sprintf("the certificate of %s has expired, or the clock of this machine is wrong: %v", host, invalid)
	case errors.As(err, &invalid), errors.As(err, &verification):
		return TLS, fmt.Sprintf("the certificate of %s is not valid: %v", host, err)
	case errors.As(err, &record) && string(record.RecordHeader[:]) == "HTTP/":
		return TLS, fmt.Sprintf("%s answers in plain HTTP where the kubeconfig says https", host)
	case errors.As(err, &record):
		return TLS, fmt.Sprintf("%s does not answer in TLS (%v); is the server's URL right?", host, record)
	case strings.Contains(text, "server gave HTTP response to HTTPS client"):
		return TLS, fmt.Sprintf("%s answers in plain HTTP where the kubeconfig says https", host)
	case errors.As(err, &alert), strings.Contains(text, "remote error: tls: "):
		if strings.Contains(text, "certificate") || strings.Contains(text, "unknown CA") {
			return Credentials, fmt.Sprintf("%s does not accept the client certificate of the kubeconfig: %v", host, err)
		}
		return TLS, fmt.Sprintf("%s ends the TLS handshake: %v", host, err)
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &network) && network.Timeout():
		return Timeout, fmt.Sprintf("the API server %s does not answer in time", host)
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return Timeout, fmt.Sprintf("there is no route to the API server %s (%v)", host, err)
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return Reset, fmt.Sprintf("the connection to the API server %s broke: %v", host, err)
	case strings.Contains(text, "tls: "), strings.Contains(text, "x509: "):
		return TLS, text
	}
	return Reset, fmt.Sprintf("the API server %s gave no answer: %v", host, err)
}
