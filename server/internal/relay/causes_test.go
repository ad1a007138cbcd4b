package relay

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/yaml"
)

// authority signs certificates for a test.
type authority struct {
	t    *testing.T
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	pem  []byte
}

func newAuthority(t *testing.T, name string) *authority {
	t.Helper()
	a := &authority{t: t}
	cert, key := a.sign(&x509.Certificate{Subject: pkix.Name{CommonName: name}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour)})
	a.pem = cert
	block, _ := pem.Decode(cert)
	a.cert, _ = x509.ParseCertificate(block.Bytes)
	keyBlock, _ := pem.Decode(key)
	parsed, err := x509.ParsePKCS8PrivateKey(keyBlock.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	a.key = parsed.(*ecdsa.PrivateKey)
	return a
}

// sign makes a certificate and its key, in PEM.
func (a *authority) sign(template *x509.Certificate) (cert, key []byte) {
	a.t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		a.t.Fatal(err)
	}
	template.SerialNumber = big.NewInt(time.Now().UnixNano())
	parent, signer := a.cert, a.key
	if parent == nil {
		parent, signer = template, private
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &private.PublicKey, signer)
	if err != nil {
		a.t.Fatal(err)
	}
	raw, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		a.t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: raw})
}

func (a *authority) leaf(name string, from, to time.Time) (cert, key []byte) {
	return a.sign(&x509.Certificate{Subject: pkix.Name{CommonName: name}, NotBefore: from, NotAfter: to, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}})
}

// newTLSServer is an API server with its own certificate that requires a client certificate if clients is set. Without one it answers 401, as a real API
// server does for an unknown certificate.
func newTLSServer(t *testing.T, ca *authority, from, to time.Time, clients *authority) entry {
	t.Helper()
	cert, key := ca.leaf("apiserver", from, to)
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = io.WriteString(w, `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"Unauthorized","reason":"Unauthorized","code":401}`)
	}))
	server.TLS = &tls.Config{Certificates: []tls.Certificate{pair}, ClientAuth: tls.RequestClientCert}
	if clients != nil {
		pool := x509.NewCertPool()
		pool.AddCert(clients.cert)
		server.TLS.ClientAuth, server.TLS.ClientCAs = tls.RequireAndVerifyClientCert, pool
	}
	server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	server.StartTLS()
	t.Cleanup(server.Close)
	return entry{server: server.URL, ca: ca.pem}
}

func TestCertificatesAndProtocols(t *testing.T) {
	ca, foreign := newAuthority(t, "cluster-ca"), newAuthority(t, "another-cluster-ca")
	now := time.Now()
	hour := time.Hour
	with := func(e entry, a *authority, from, to time.Time) entry {
		cert, key := a.leaf("jane", from, to)
		e.user = map[string]any{"client-certificate-data": cert, "client-key-data": key}
		return e
	}
	asks, demands := newTLSServer(t, ca, now.Add(-hour), now.Add(hour), nil), newTLSServer(t, ca, now.Add(-hour), now.Add(hour), ca)
	cleartext := asks
	cleartext.server, cleartext.ca = strings.Replace(asks.server, "https:", "http:", 1), nil
	f := newFixture(t, kubeconfig(t, map[string]entry{
		"server-expired":  newTLSServer(t, ca, now.Add(-2*hour), now.Add(-hour), nil),
		"server-early":    newTLSServer(t, ca, now.Add(hour), now.Add(2*hour), nil),
		"client-expired":  with(asks, ca, now.Add(-2*hour), now.Add(-hour)),
		"client-foreign":  with(asks, foreign, now.Add(-hour), now.Add(hour)),
		"demands-expired": with(demands, ca, now.Add(-2*hour), now.Add(-hour)),
		"demands-foreign": with(demands, foreign, now.Add(-hour), now.Add(hour)),
		"demands-any":     {server: demands.server, ca: ca.pem, user: map[string]any{"token": upstream}},
		"token-expired":   asks,
		"cleartext":       cleartext,
	}), nil)
	for _, test := range []struct {
		context, cause string
		own            bool // the answer is the relay's own
		says           []string
	}{
		{"server-expired", "server-certificate-expired", true, []string{"expired on", "clock"}},
		{"server-early", "server-certificate-expired", true, []string{"valid from", "clock"}},
		{"client-expired", "client-certificate", false, []string{`user "client-expired"`, "expired on", "Fetch the kubeconfig again"}},
		{"client-foreign", "client-certificate", false, []string{"another-cluster-ca", "not accepted"}},
		{"demands-expired", "client-certificate", true, []string{"expired on"}},
		{"demands-foreign", "client-certificate", true, []string{"another-cluster-ca"}},
		{"demands-any", "client-certificate", true, []string{"requires a client certificate"}},
		{"token-expired", "unauthorized", false, []string{"log in again", "401"}},
		{"cleartext", "https-wanted", false, []string{"Client sent an HTTP request to an HTTPS server.", "Write https://", `cluster "cleartext"`}},
	} {
		t.Run(test.context, func(t *testing.T) {
			f.t = t
			response, body := f.body("/clusters/" + test.context + "/api/v1/pods")
			cause, words := response.Header.Get(HintHeader), ""
			if test.own {
				cause = response.Header.Get(CauseHeader)
				var status struct{ Message string }
				if err := json.Unmarshal([]byte(body), &status); err != nil {
					t.Fatal(err)
				}
				words = status.Message
			} else {
				var err error
				if words, err = url.PathUnescape(response.Header.Get(WordsHeader)); err != nil {
					t.Fatal(err)
				}
			}
			if cause != test.cause {
				t.Errorf("cause %q, status %d: %s %s", cause, response.StatusCode, words, body)
			}
			for _, says := range test.says {
				if !strings.Contains(words, says) {
					t.Errorf("%q does not say %q", words, says)
				}
			}
		})
	}
}

// proxyThat returns a proxy that answers every CONNECT with status; 200 opens a tunnel.
func proxyThat(t *testing.T, status string) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ln.Close() })
	go func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			go func() {
				defer func() { _ = conn.Close() }()
				request, err := http.ReadRequest(bufio.NewReader(conn))
				if err != nil {
					return
				}
				_, _ = fmt.Fprintf(conn, "HTTP/1.1 %s\r\nContent-Length: 0\r\n\r\n", status)
				if !strings.HasPrefix(status, "200") {
					return
				}
				target, err := net.Dial("tcp", request.Host)
				if err != nil {
					return
				}
				defer func() { _ = target.Close() }()
				go func() { _, _ = io.Copy(target, conn) }()
				_, _ = io.Copy(conn, target)
			}()
		}
	}()
	return ln.Addr().String()
}

// proxyKubeconfig is a kubeconfig in which each context goes through a proxy, to an API server that is well or to one that is gone.
func proxyKubeconfig(t *testing.T, server string, ca []byte, proxies map[string]string) string {
	t.Helper()
	type m = map[string]any
	var contexts, clusters []m
	for name, proxy := range proxies {
		c := m{"server": server, "proxy-url": proxy}
		if ca != nil {
			c["certificate-authority-data"] = ca
		}
		clusters = append(clusters, m{"name": name, "cluster": c})
		contexts = append(contexts, m{"name": name, "context": m{"cluster": name, "user": "u"}})
	}
	raw, err := yaml.Marshal(m{"apiVersion": "v1", "kind": "Config", "contexts": contexts, "clusters": clusters,
		"users": []m{{"name": "u", "user": m{"token": upstream}}}})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "config")
	if err := os.WriteFile(path, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestAProxyIsNotTheCluster(t *testing.T) {
	e := apiserver(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"kind":"PodList","items":[]}`)
	})
	dead := closedPort(t)
	f := newFixture(t, proxyKubeconfig(t, e.server, e.ca, map[string]string{
		"well": "http://" + proxyThat(t, "200 OK"), "dead": "http://user:canary-word@" + dead, "nowhere": "http://user:canary-word@proxy.invalid:3128",
		"login": "http://" + proxyThat(t, "407 Proxy Authentication Required"), "bad": "http://user:canary-word@" + proxyThat(t, "502 Bad Gateway"),
		"socks": "socks5://user:canary-word@" + dead, "scheme": "ftp://user:canary-word@" + dead,
	}), nil)
	if response, body := f.body("/clusters/well/api/v1/pods"); response.StatusCode != 200 {
		t.Errorf("through a proxy: %d %s", response.StatusCode, body)
	}
	for context, says := range map[string][]string{
		"dead":    {"The proxy " + dead + " that the kubeconfig names refuses the connection", "cluster itself has not been asked"},
		"nowhere": {"The proxy proxy.invalid:3128", "has no address"},
		"login":   {"asks for a login", "407"},
		"bad":     {"502 Bad Gateway", strings.TrimPrefix(e.server, "https://")},
		"socks":   {"The proxy " + dead + " that the kubeconfig names refuses the connection"},
	} {
		response, status := f.status("/clusters/" + context + "/api/v1/pods")
		if cause := response.Header.Get(CauseHeader); cause != "proxy" || response.StatusCode != 503 {
			t.Errorf("%s: cause %q, %d: %s", context, cause, response.StatusCode, status.Message)
		}
		for _, want := range says {
			if !strings.Contains(status.Message, want) {
				t.Errorf("%s: %q does not say %q", context, status.Message, want)
			}
		}
		if strings.Contains(status.Message, "canary") {
			t.Errorf("%s: a password is said: %s", context, status.Message)
		}
	}
	response, status := f.status("/clusters/scheme/api/v1/pods")
	if cause := response.Header.Get(CauseHeader); cause != "kubeconfig" || !strings.Contains(status.Message, "proxy-url") ||
		strings.Contains(status.Message, "canary") {
		t.Errorf("cause %q: %s", cause, status.Message)
	}
	// A working proxy is not blamed for a cluster that is down behind it.
	g := newFixture(t, proxyKubeconfig(t, "https://"+dead, nil, map[string]string{"down": "http://" + proxyThat(t, "503 Service Unavailable")}), nil)
	if _, status := g.status("/clusters/down/api/v1/pods"); !strings.Contains(status.Message, dead) ||
		!strings.Contains(status.Message, "The cluster may be down") {
		t.Errorf("%s", status.Message)
	}
}

// TestWhyAStreamBroke: /trouble reports what ended a watch, for contexts that exist. A viewer's own cancellation is not reported.
func TestWhyAStreamBroke(t *testing.T) {
	cut := make(chan struct{})
	e := apiserver(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = http.NewResponseController(w).Flush()
		select {
		case <-cut:
			panic(http.ErrAbortHandler)
		case <-r.Context().Done():
		}
	})
	f := newFixture(t, kubeconfig(t, map[string]entry{"a b/c": e}), nil)
	ask := func() (answer Trouble) {
		_, body := f.body("/trouble?context=a+b%2Fc")
		if err := json.Unmarshal([]byte(body), &answer); err != nil {
			t.Fatal(err)
		}
		return answer
	}
	if got := ask(); got.Last != nil || got.Cause != "" {
		t.Errorf("before anything happened: %+v", got)
	}
	left := f.get("/clusters/a%20b%2Fc/api/v1/pods?watch=true")
	_ = left.Body.Close() // the viewer ends this watch
	response := f.get("/clusters/a%20b%2Fc/api/v1/pods?watch=true")
	close(cut)
	if _, err := io.ReadAll(response.Body); err == nil {
		t.Error("the stream ends well")
	}
	got := ask()
	if got.Last == nil || got.Last.Cause != "reset" || got.Last.Words == "" || got.Last.Error == "" || got.Last.AgeMillis > patience.Milliseconds() {
		t.Errorf("%+v %+v", got, got.Last)
	}
	for _, path := range []string{"/trouble", "/trouble?context=a&context=b", "/trouble?x=1"} {
		if response, _ := f.status(path); response.StatusCode != 404 {
			t.Errorf("%s: %d", path, response.StatusCode)
		}
	}
	if _, body := f.body("/trouble?context=other"); body != "{}" {
		t.Errorf("of a context that there is not: %s", body)
	}
	if _, body := f.body("/rules"); !strings.Contains(body, `"all":true`) || !strings.Contains(body, `"secrets":false`) {
		t.Errorf("rules: %s", body)
	}
}

// The words that must never leave the server.
const canary = "c4nary-"

// TestNothingLeaks puts a canary into every field of a kubeconfig, and into what API servers and proxies answer. It searches everything that leaves
// for them: answers with their headers, the log, and the list of contexts.
func TestNothingLeaks(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make verify runs it")
	}
	for _, name := range []string{"HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY"} {
		t.Setenv(name, "")
	}
	echo := apiserver(t, func(w http.ResponseWriter, r *http.Request) {
		said := "no, not with " + r.Header.Get("Authorization") + ", nor by https://op:" + canary + "answer@elsewhere/"
		switch r.URL.Path {
		case "/api/v1/pods":
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusForbidden)
			_ = json.NewEncoder(w).Encode(map[string]any{"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": 403, "message": said})
		case "/api/v1/nodes":
			w.WriteHeader(http.StatusTooManyRequests)
			_, _ = io.WriteString(w, said)
		case "/api/v1/endpoints": // an ERROR event, and an object that has the token
			w.Header().Set("Content-Type", "application/json")
			token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
			_, _ = fmt.Fprintf(w, "{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",\"message\":%q}}\n{\"type\":\"ADDED\",\"object\":{\"data\":%q}}\n",
				"not with "+token, token)
		case "/api/v1/services":
			w.Header().Set("Location", "https://op:"+canary+"location@elsewhere/")
			w.Header().Set("Www-Authenticate", "Bearer "+canary+"header")
			w.WriteHeader(http.StatusFound)
		default:
			w.Header().Set("Content-Type", "text/html; x="+canary+"type")
			_, _ = io.WriteString(w, said)
		}
	})
	dir := t.TempDir()
	tokenFile := filepath.Join(dir, "token")
	if err := os.WriteFile(tokenFile, []byte(canary+"token-file-of-some-length\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	ca := newAuthority(t, "ca")
	_, key := ca.leaf("x", time.Now(), time.Now().Add(time.Hour))
	keyLines := strings.Split(string(key), "\n")
	type m = map[string]any
	dead := closedPort(t)
	clusters := map[string]m{
		"echo":      {"server": echo.server, "certificate-authority-data": echo.ca},
		"userinfo":  {"server": "https://op:" + canary + "server@" + dead},
		"damaged":   {"server": "https://op:" + canary + "ser%ver@" + dead},
		"proxy":     {"server": echo.server, "certificate-authority-data": echo.ca, "proxy-url": "http://op:" + canary + "proxy@" + dead},
		"ftp":       {"server": echo.server, "proxy-url": "ftp://op:" + canary + "pro/xy@" + dead},
		"noscheme":  {"server": echo.server, "proxy-url": "op:" + canary + "proxy@" + dead},
		"sni":       {"server": echo.server, "certificate-authority-data": echo.ca, "tls-server-name": "other.example"},
		"extension": {"server": "https://" + dead, "extensions": []m{{"name": "e", "extension": m{"secret": canary + "extension"}}}},
		"bad-ca":    {"server": echo.server, "certificate-authority-data": []byte(canary + "ca")},
		"ca-file":   {"server": echo.server, "certificate-authority": "/nonexistent/ca.pem"},
	}
	users := map[string]m{
		"token":    {"token": canary + "token-of-some-length"},
		"file":     {"tokenFile": tokenFile},
		"password": {"username": "op", "password": canary + "password-of-some-length"},
		"cert":     {"client-certificate-data": []byte(canary + "cert"), "client-key-data": []byte(canary + "key")},
		"key":      {"client-certificate-data": ca.pem, "client-key-data": key},
		"provider": {"auth-provider": m{"name": "gcp", "config": m{"access-token": canary + "provider"}}},
		"oidc": {"auth-provider": m{"name": "oidc", "config": m{"client-id": "x", "client-secret": canary + "oidc", "id-token": canary + "id.token.x",
			"idp-issuer-url": "https://" + dead, "refresh-token": canary + "refresh"}}},
		"exec": {"exec": m{"apiVersion": "client.authentication.k8s.io/v1", "command": "informerscope-no-such-plugin", "interactiveMode": "Never",
			"args": []string{"--client-secret", canary + "arg", "--token=" + canary + "arg2", canary + "argument-3"},
			"env":  []m{{"name": "PASSWORD", "value": canary + "env"}}, "installHint": "ask op"}},
		"junk": {"exec": m{"apiVersion": "client.authentication.k8s.io/v1", "command": "echo", "interactiveMode": "Never",
			"args": []string{`{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1beta1","status":{"token":"` + canary +
				`plugin-token-of-some-length"}}`}}},
		"helped": {"exec": m{"apiVersion": "client.authentication.k8s.io/v1", "command": "echo", "interactiveMode": "Never",
			"args": []string{`{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":{"token":"` + canary +
				`plugin-token-of-some-length"}}`}}},
	}
	var contextList, clusterList, userList []m
	for name, c := range clusters {
		clusterList = append(clusterList, m{"name": name, "cluster": c})
		for user := range users {
			contextList = append(contextList, m{"name": name + "." + user, "context": m{"cluster": name, "user": user}})
		}
	}
	for name, u := range users {
		userList = append(userList, m{"name": name, "user": u})
	}
	raw, err := yaml.Marshal(m{"apiVersion": "v1", "kind": "Config", "contexts": contextList, "clusters": clusterList, "users": userList})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "config")
	if err := os.WriteFile(path, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	f := newFixture(t, path, nil)
	leaks := func(what, text string) {
		t.Helper()
		if i := strings.Index(text, canary); i >= 0 {
			t.Errorf("%s: %s", what, text[max(0, i-120):min(len(text), i+80)])
		}
		for _, line := range keyLines {
			if len(line) > 30 && strings.Contains(text, line) && !strings.HasPrefix(line, "---") {
				t.Errorf("%s: the private key: %s", what, text)
			}
		}
	}
	answers := 0
	for _, c := range contextList {
		name := c["name"].(string)
		for _, resource := range []string{"pods", "nodes", "services", "configmaps", "endpoints"} {
			response, body := f.body("/clusters/" + url.PathEscape(name) + "/api/v1/" + resource)
			answers++
			leaks(name+" "+resource, body)
			for header, values := range response.Header {
				for _, value := range values {
					plain, _ := url.PathUnescape(value)
					leaks(name+" "+resource+" "+header, value+" "+plain)
				}
			}
		}
		_, body := f.body("/trouble?context=" + url.QueryEscape(name))
		leaks(name+" trouble", body)
	}
	_, body := f.body("/contexts")
	leaks("contexts", body)
	leaks("the log", f.log.String())
	if !strings.Contains(f.log.String(), "no answer from the API server") || answers != 500 {
		t.Errorf("too little was tried: %d answers", answers)
	}

	// A file that cannot be parsed at all, and one in which a field has the wrong type.
	for what, text := range map[string]string{
		"damaged": "users:\n- name: u\n  user: {token: " + canary + "damaged\n- [",
		"type":    "apiVersion: v1\nkind: Config\nusers:\n- name: u\n  user: {token: [" + canary + "type]}\n",
		"base64":  "apiVersion: v1\nkind: Config\nusers:\n- name: u\n  user: {client-key-data: \"" + canary + "%%\"}\n",
		"tab":     "users:\n\t- " + canary + "tab\n",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, time.Now(), time.Now().Add(time.Duration(len(what))*time.Minute)); err != nil {
			t.Fatal(err)
		}
		_, body := f.body("/contexts")
		leaks(what, body)
		_, body = f.body("/clusters/x/api")
		leaks(what, body)
	}
	leaks("the log", f.log.String())
}

// TestAnAPIServerThatIsFrozen accepts connections and answers nothing.
func TestAnAPIServerThatIsFrozen(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes the time that a TLS handshake is given")
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = ln.Close() }()
	f := newFixture(t, kubeconfig(t, map[string]entry{"frozen": {server: "https://" + ln.Addr().String()}}), nil)
	response, status := f.status("/clusters/frozen/api/v1/pods")
	if cause := response.Header.Get(CauseHeader); cause != "frozen" || !strings.Contains(status.Message, "has stopped answering") || response.StatusCode != 503 {
		t.Errorf("cause %q, %d: %s", cause, response.StatusCode, status.Message)
	}
}
