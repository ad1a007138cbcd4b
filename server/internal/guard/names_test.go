package guard

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestParsePublicURL(t *testing.T) {
	for raw, want := range map[string]string{
		"https://informerscope.example":       "https://informerscope.example",
		"https://Informerscope.Example/":      "https://informerscope.example",
		"https://informerscope.example:443":   "https://informerscope.example",
		"https://informerscope.example:8443/": "https://informerscope.example:8443",
		"http://[::1]:8080":                   "http://[::1]:8080",
		"http://[0:0:0:0:0:0:0:1]:80":         "http://[::1]",
		"http://192.0.2.1:9090":               "http://192.0.2.1:9090",
	} {
		if name, err := ParsePublicURL(raw); err != nil || name.String() != want {
			t.Errorf("%s: %v, %v", raw, name, err)
		}
	}
	for raw, says := range map[string]string{
		"":                                   "not a URL",
		"informerscope.example":              "not a URL",
		"informerscope.example:443":          "not a URL",
		"//informerscope.example":            "http://",
		"ftp://informerscope.example":        "http://",
		"https://":                           "not a URL",
		"https://:8443":                      "not a host",
		"https://a.example:":                 "not a host",
		"https://a.example:0":                "not a host",
		"https://a.example:08443":            "not a host",
		"https://a.example:70000":            "not a host",
		"https://jane:pw@a.example":          "password",
		"https://jane@a.example":             "password",
		"https://a.example/team":             "a host name of its own",
		"https://a.example//":                "a host name of its own",
		"https://a.example?x":                "query",
		"https://a.example?":                 "query",
		"https://a.example#token=x":          "fragment",
		"https://a.example#":                 "fragment",
		"https://*.example":                  "not a host",
		"https://a..example":                 "not a host",
		"https://-a.example":                 "not a host",
		"https://a.example.":                 "not a host",
		"https://a%2eexample":                "not a",
		"https://[fe80::1%25eth0]":           "not a host",
		"https://[::1":                       "not a URL",
		"https://a.example,b.example":        "not a host",
		"https://bücher.example":             "not a host",
		"https://" + strings.Repeat("a", 64): "not a host",
	} {
		if name, err := ParsePublicURL(raw); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, %v", raw, name, err)
		}
	}
}

func TestParseAllowedHosts(t *testing.T) {
	for list, want := range map[string]string{
		"localhost:9090":                        "http://localhost:9090",
		"LOCALHOST:9090, 127.0.0.1:9090":        "http://localhost:9090 http://127.0.0.1:9090",
		"[::1]:9090,app.localhost:80":           "http://[::1]:9090 http://app.localhost",
		"a.example,b.example:8443":              "https://a.example https://b.example:8443",
		"http://a.example,https://localhost:99": "http://a.example https://localhost:99",
	} {
		names, err := ParseAllowedHosts(list, "http", "https")
		var got []string
		for _, name := range names {
			got = append(got, name.String())
		}
		if err != nil || strings.Join(got, " ") != want {
			t.Errorf("%s: %v, %v", list, got, err)
		}
	}
	for _, list := range []string{"", ",", "a.example,", "*", "*.example", ".example", "a.example/x", "a.example:*", "::1", "[a.example]",
		"ftp://a.example", "a b.example", "https://"} {
		if names, err := ParseAllowedHosts(list, "http", "https"); err == nil {
			t.Errorf("%q: %v", list, names)
		}
	}
}

func TestLoopback(t *testing.T) {
	for host, want := range map[string]bool{
		"localhost": true, "localhost:9090": true, "LocalHost": true, "app.localhost": true, "127.0.0.1": true, "127.9.9.9:80": true,
		"[::1]": true, "[::1]:8080": true,
		"localhost.example": false, "notlocalhost": false, "192.0.2.1": false, "[2001:db8::1]:80": false, "127.0.0.1.example": false, "": false,
	} {
		if got := (Name{Host: host}).IsLoopback(); got != want {
			t.Errorf("%q: %t", host, got)
		}
	}
}

// TestNamesOfPublishedServers checks which names are admitted by a server that listens on the loopback interface. A proxy publishes it as
// https://viewer.example, and a port-forward as localhost:9090.
func TestNamesOfPublishedServers(t *testing.T) {
	others, err := ParseAllowedHosts("localhost:9090,second.example", "http", "https")
	if err != nil {
		t.Fatal(err)
	}
	public, err := ParsePublicURL("https://viewer.example")
	if err != nil {
		t.Fatal(err)
	}
	door := NewDoor([]string{"127.0.0.1:8080", "localhost:8080", "[::1]:8080"}, "http", token, append([]Name{public}, others...)...)
	for _, test := range []struct{ host, origin, rule string }{
		{"viewer.example", "https://viewer.example", ""},
		{"viewer.example:443", "https://viewer.example", ""},
		{"Viewer.Example", "https://Viewer.Example", ""},
		{"second.example", "https://second.example", ""},
		{"localhost:9090", "http://localhost:9090", ""},
		{"127.0.0.1:8080", "http://127.0.0.1:8080", ""},
		// A proxy that sends its own name instead of the browser's.
		{"127.0.0.1:8080", "https://viewer.example", ""},
		{"viewer.example", "", "origin"},
		{"viewer.example", "null", "origin"},
		{"viewer.example", "http://viewer.example", "origin"},
		{"viewer.example", "https://viewer.example:8443", "origin"},
		{"viewer.example", "https://viewer.example/", "origin"},
		{"viewer.example", "https://viewer.example.evil.example", "origin"},
		{"viewer.example", "https://evil.example", "origin"},
		{"viewer.example", "https://evil.example/https://viewer.example", "origin"},
		{"viewer.example", "https://evilviewer.example", "origin"},
		{"viewer.example", "https://a.viewer.example", "origin"},
		{"viewer.example", "https://viewer.example@evil.example", "origin"},
		{"viewer.example", "https://jane@viewer.example", "origin"},
		{"viewer.example", "https://viewer.example.", "origin"},
		{"viewer.example", "https://viewer.example https://evil.example", "origin"},
		{"viewer.example", "https://localhost:9090", "origin"},
		{"viewer.example", "http://second.example", "origin"},
		{"viewer.example", "wss://viewer.example", "origin"},
		{"viewer.example:8080", "https://viewer.example", "host"},
		{"viewer.example:8443", "https://viewer.example:8443", "host"},
		{"viewer.example.", "https://viewer.example.", "host"},
		{"a.viewer.example", "https://a.viewer.example", "host"},
		{"viewer.example.evil.example", "https://viewer.example.evil.example", "host"},
		{"evil.example", "https://evil.example", "host"},
		{"evil.example", "https://viewer.example", "host"},
		{"viewer.example, evil.example", "https://viewer.example", "host"},
		{"viewer.example evil.example", "https://viewer.example", "host"},
		{"viewer.example@evil.example", "https://viewer.example", "host"},
		{"localhost", "http://localhost", "host"},
		{"localhost:9091", "http://localhost:9091", "host"},
		{"127.0.0.1:9090", "http://127.0.0.1:9090", "host"},
		{"", "https://viewer.example", "host"},
	} {
		r := httptest.NewRequest(http.MethodGet, "/relay", nil)
		r.Host = test.host
		if test.origin != "" {
			r.Header.Set("Origin", test.origin)
		}
		// What a request claims about proxies does not count.
		for _, name := range []string{"X-Forwarded-Host", "X-Original-Host", "X-Host"} {
			r.Header.Set(name, "viewer.example")
		}
		r.Header.Set("Forwarded", "host=viewer.example;proto=https")
		r.Header.Set("X-Forwarded-Proto", "https")
		refusal := door.Host(r)
		if refusal == nil {
			refusal = door.Origin(r)
		}
		if got := rule(refusal); got != test.rule {
			t.Errorf("Host %q, Origin %q: rule %q, want %q", test.host, test.origin, got, test.rule)
		}
		if refusal != nil && !strings.Contains(refusal.Message, "https://viewer.example") {
			t.Errorf("the refusal does not say where to open it: %s", refusal.Message)
		}
	}
}
