package cause_test

import (
	"errors"
	"flag"
	"fmt"
	"net"
	"net/url"
	"os"
	"strings"
	"syscall"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"informerscope/core/words/cause"
	"informerscope/tools/doctables"
)

//go:generate go test -run ^TestTheDocumentHasTheCauses$ -write-causes

var writeCauses = flag.Bool("write-causes", false, "write the table of docs/troubleshooting.md")

// TestTheDocumentHasTheCauses compares the table in docs/troubleshooting.md with the causes; go generate ./core/words/cause writes it.
func TestTheDocumentHasTheCauses(t *testing.T) {
	var b strings.Builder
	b.WriteString("| in short | what happened | who failed, or answered | what to do | may trying again help | word in logs |\n|-|-|-|-|-|-|\n")
	named := cause.Args{Context: "kind-kind", User: "jane", Verb: "list", Resource: "widgets.example.com", Namespace: "team-a"}
	for _, c := range cause.All() {
		what, remedy := c.Say(named)
		retries := "no"
		if c.Retries {
			retries = "yes"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | `%s` |\n", c.Name.EN, doctables.Cell(what.EN), c.Giver.EN, doctables.Cell(remedy.EN), retries, c.ID)
	}
	doctables.Hold(t, "../../../docs/troubleshooting.md", "go generate ./core/words/cause", *writeCauses, map[string]string{"causes": b.String()})
}

func answer(code int, reason metav1.StatusReason, message string) error {
	return &apierrors.StatusError{ErrStatus: metav1.Status{Status: metav1.StatusFailure, Code: int32(code), Reason: reason, Message: message}}
}

const hookRefused = `conversion webhook for example.com/v1, Kind=Widget failed: Post "https://hook.team.svc:443/convert?timeout=30s": dial tcp 10.96.0.7:443: ` +
	`connect: connection refused`

// TestOf: the cause is read from an answer's own words. The texts are those of client-go, of kube-apiserver and of Go.
func TestOf(t *testing.T) {
	dial := func(url_ string, errno syscall.Errno) error {
		return &url.Error{Op: "Get", URL: url_, Err: &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", errno)}}
	}
	for _, x := range []struct {
		err  error
		want string
	}{
		{nil, ""},
		{errors.New(`Get "https://h:6443/api/v1/pods": No valid id-token, and cannot refresh without refresh-token`), cause.OIDCToken},
		{fmt.Errorf("failed to refresh token: %w", dial("https://issuer.example/token", syscall.ECONNREFUSED)), cause.OIDCIssuer},
		{errors.New(`Get "https://h:6443/api": oidc: failed to query metadata endpoint 503 Service Unavailable: "away"`), cause.OIDCIssuer},
		{errors.New(`getting credentials: exec: executable aws failed with exit code 255`), cause.ExecPlugin},
		{&url.Error{Op: "Get", URL: "https://h/", Err: &net.OpError{Op: "proxyconnect", Net: "tcp", Err: syscall.ECONNREFUSED}}, cause.Proxy},
		{dial("https://h:6443/api/v1/pods", syscall.ECONNREFUSED), cause.Refused},
		{errors.New("remote error: tls: expired certificate"), cause.ClientCertificate},
		{errors.New("tls: failed to verify certificate: x509: certificate has expired or is not yet valid: current time 2026-11-29T07:00:00Z is after " +
			"2026-11-28T07:00:00Z"), cause.CertificateDate},
		{errors.New("http: server gave HTTP response to HTTPS client"), cause.PlainHTTP},
		{errors.New("http2: client connection lost"), cause.Frozen},
		{answer(401, metav1.StatusReasonUnauthorized, "Unauthorized"), cause.Unauthorized},
		{answer(403, metav1.StatusReasonForbidden, `pods is forbidden: User "u" cannot list resource "pods" in API group "" at the cluster scope`), cause.Forbidden},
		{answer(405, metav1.StatusReasonMethodNotAllowed, "the server does not allow this method on the requested resource"), cause.NoWatch},
		{answer(404, metav1.StatusReasonNotFound, "the server could not find the requested resource"), cause.NotServed},
		{answer(410, metav1.StatusReasonExpired, "too old resource version: 5 (9)"), cause.Compacted},
		{answer(504, metav1.StatusReasonTimeout, "Too large resource version: 993, current: 728"), cause.Behind},
		{answer(500, "", hookRefused), cause.Webhook},
		{answer(504, metav1.StatusReasonTimeout, hookRefused), cause.Webhook},
		{answer(429, metav1.StatusReasonTooManyRequests, "storage is (re)initializing: unexpected error when listing: "+hookRefused), cause.Webhook},
		{answer(429, metav1.StatusReasonTooManyRequests, "storage is (re)initializing"), cause.Starting},
		{answer(429, metav1.StatusReasonTooManyRequests, "Too many requests, please try again later."), cause.Overloaded},
		{answer(500, "", "etcdserver: request timed out"), cause.Storage},
		{answer(500, "", "something of tomorrow"), cause.Other},
		{&apierrors.StatusError{ErrStatus: metav1.Status{Code: 502, Message: "It expired.", Details: &metav1.StatusDetails{
			Causes: []metav1.StatusCause{{Type: cause.ClientCertificate}}}}}, cause.ClientCertificate}, // from a relay
	} {
		if got := cause.Of(x.err); got != x.want {
			t.Errorf("%v: %q, want %q", x.err, got, x.want)
		}
	}
}

// TestSay: a sentence names what the answer names, and has no place that is left.
func TestSay(t *testing.T) {
	for _, c := range cause.All() {
		for _, a := range []cause.Args{{}, {Context: "kind", Where: "h:1", User: "u", Verb: "list", Resource: "pods", Namespace: "ns", Hook: "hook"}} {
			what, remedy := c.Say(a)
			for _, text := range []string{what.EN, what.ZH, remedy.EN, remedy.ZH, c.Name.EN, c.Name.ZH, c.Giver.EN, c.Giver.ZH} {
				if text == "" || strings.ContainsAny(text, "{}%") {
					t.Errorf("%s: %q", c.ID, text)
				}
			}
		}
		if cause.Find(c.ID) != c {
			t.Errorf("two causes are called %s", c.ID)
		}
	}
	a := cause.Args{Resource: "pods"}.Read(`deployments.apps is forbidden: User "system:serviceaccount:team:ctl" cannot watch resource "deployments" in API group ` +
		`"apps" in the namespace "team"`)
	what, remedy := cause.Find(cause.Forbidden).Say(a)
	if what.EN != "system:serviceaccount:team:ctl may not watch deployments.apps in the namespace team (403)." ||
		what.ZH != "system:serviceaccount:team:ctl无权 watch namespace “team” 的 deployments.apps（403）。" ||
		!strings.Contains(remedy.EN, "a Role in the namespace team with the verbs get, list and watch for deployments.apps") ||
		!strings.Contains(remedy.ZH, "namespace “team”里的 Role") {
		t.Errorf("%+v %+v", what, remedy)
	}
	if what, _ := cause.Find(cause.Webhook).Say(cause.Args{Resource: "widgets.example.com"}.Read(hookRefused)); what.EN !=
		"The API server cannot convert widgets.example.com: the conversion webhook at hook.team.svc:443 fails." {
		t.Errorf("%+v", what)
	}
}
