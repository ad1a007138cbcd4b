package relay

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"informerscope/server/internal/redact"
)

// TestErrorsCarryNoManifests: on every path of an error its texts end where a manifest may begin. The fields that informers act on stay as the API
// server wrote them.
func TestErrorsCarryNoManifests(t *testing.T) {
	quote := func(text string) string { raw, _ := json.Marshal(text); return string(raw) }
	manifest := `{"metadata":{"annotations":{"` + redact.Key + `":"{\"kind\":\"Secret\",\"data\":{\"a\":\"` + canary + `\"}}"}}}`
	words := `x"y ` + manifest
	status := `{"kind":"Status","apiVersion":"v1","metadata":{"continue":"abc","resourceVersion":` + quote(words) + `},"status":"Failure","message":` +
		quote(words) + `,"reason":"Expired","details":{"name":` + quote(words) + `,"group":` + quote(words) + `,"kind":"pods","retryAfterSeconds":3,"uid":` +
		quote(words) + `,"causes":[{"reason":"ResourceVersionTooLarge","message":` + quote(words) + `,"field":"spec[` + canary + `]"},{"reason":` + quote(words) +
		`}]},"code":410}`
	added := `{"type":"ADDED","object":{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"a"}}}` + "\n"
	event := func(object string) string { return `{"type":"ERROR","object":` + object + `}` + "\n" }
	answers := map[string]struct {
		mediaType, body string
		code            int
	}{
		"text":     {"text/plain", words, 410},
		"status":   {"application/json", status, 410},
		"event":    {"application/json", event(status), 200},
		"later":    {"application/json", added + added + event(status) + event(quote(manifest)), 200},
		"unended":  {"application/json", added + strings.TrimSpace(event(status)), 200},
		"spaced":   {"application/json", added + " { \"type\" : \"ERROR\", \"object\" : " + status + "}\n", 200},
		"reversed": {"application/json", added + `{"object":` + status + `,"type":"ERROR"}` + "\n", 200},
		"escaped":  {"application/json", added + strings.Replace(event(status), "ERROR", `\u0045RROR`, 1), 200},
		"twice":    {"application/json", added + strings.Replace(event(status), `"type"`, `"type":"","type"`, 1), 200},
		"other":    {"application/json", added + event(manifest), 200},
		"no event": {"application/json", added + "log: " + manifest + "\n", 200},
		"unknown":  {"application/json", added + strings.Replace(event(status), "ERROR", "EXPIRED", 1), 200},
		"long":     {"application/json", added + event(strings.Replace(status, `"reason":"Expired"`, `"x":"`+strings.Repeat("x", maxError)+`"`, 1)), 200},
	}
	e := apiserver(t, func(w http.ResponseWriter, r *http.Request) {
		a := answers[r.URL.Query().Get("labelSelector")]
		w.Header().Set("Content-Type", a.mediaType)
		w.Header().Set("Warning", "299 - "+quote(words))
		w.Header().Set("Audit-Id", words)
		w.WriteHeader(a.code)
		_, _ = io.WriteString(w, a.body)
	})
	f := newFixture(t, kubeconfig(t, map[string]entry{"kind": e}), func(c *Config) { c.Rules.SecretsMetadata = true })
	for name, a := range answers {
		for _, resource := range []string{"pods", "secrets"} {
			for _, watch := range []string{"", "&watch=true"} {
				if watch == "" && a.code == http.StatusOK {
					continue
				}
				response := f.get("/clusters/kind/api/v1/" + resource + "?labelSelector=" + url.QueryEscape(name) + watch)
				raw, err := io.ReadAll(response.Body)
				for _, text := range []string{string(raw), response.Header.Get("Warning"), response.Header.Get("Audit-Id")} {
					if strings.Contains(text, canary) || strings.Contains(text, "annotations") {
						t.Errorf("%s of %s%s: passes %s", name, resource, watch, text)
					}
				}
				got := metav1.Status{}
				last := strings.TrimPrefix(string(raw), strings.TrimRight(added, "\n")) // metadata's reader writes its own line ends
				if i := strings.LastIndex(last, `{"type":"ERROR","object":`); i >= 0 {
					event := struct{ Object *metav1.Status }{&got}
					if jsonErr := json.Unmarshal([]byte(last[i:]), &event); jsonErr != nil {
						t.Errorf("%s of %s: %q: %v", name, resource, last[i:], jsonErr)
					}
				} else if a.code != http.StatusOK {
					_ = json.Unmarshal(raw, &got)
				}
				switch name {
				case "no event", "unknown", "long":
					if err == nil && response.StatusCode == http.StatusOK {
						t.Errorf("%s of %s ends well", name, resource)
					}
					continue
				case "other":
					if resource == "pods" && got.Code != http.StatusInternalServerError {
						t.Errorf("%s of %s: %s", name, resource, raw)
					}
					continue
				case "text":
					if got.Message != `x"y` || got.Code != 410 {
						t.Errorf("%s of %s: %s", name, resource, raw)
					}
					continue
				}
				if resource == "secrets" && (name == "reversed" || name == "escaped" || name == "twice") {
					continue // metadata refuses this one
				}
				failure := apierrors.FromObject(&got)
				seconds, delay := apierrors.SuggestsClientDelay(failure)
				if got.Message != `x"y` || !apierrors.IsResourceExpired(failure) || !apierrors.HasStatusCause(failure, metav1.CauseTypeResourceVersionTooLarge) ||
					!delay || seconds != 3 || got.Code != 410 || got.Continue != "abc" || got.Details.Causes[0].Field != "spec" || err != nil {
					t.Errorf("%s of %s%s: %v, %s", name, resource, watch, err, raw)
				}
			}
		}
	}
}

// TestAWatchIsCutAnywhere: the body may be split anywhere. Everything but an ERROR event passes unchanged, and no event waits for later bytes.
func TestAWatchIsCutAnywhere(t *testing.T) {
	pass := func(code int, _ []byte) metav1.Status { return ownStatus(code, "") }
	written, err := json.Marshal(pass(http.StatusInternalServerError, nil))
	if err != nil {
		t.Fatal(err)
	}
	begin := `{"type":"ADDED","object":{"a":"{\"type\":\"ERROR\"}"}}` + "\n\n" + `{"type":"BOOKMARK", "object":{}}` + "\r\n" + `{"type":"DELETED","object":{}}`
	for text, want := range map[string]string{
		begin:        begin,
		begin + "\n": begin + "\n",
		begin + "\n{\"type\":\"ERROR\",\"object\":{}}\n{\"type\":\"ADDED\",\"object\":{}}\n": begin + "\n{\"type\":\"ERROR\",\"object\":" + string(written) + "}\n",
	} {
		for cut := range len(text) + 1 {
			body := &watchBody{ReadCloser: io.NopCloser(io.MultiReader(strings.NewReader(text[:cut]), strings.NewReader(text[cut:]))), passStatus: pass}
			if got, err := io.ReadAll(body); strings.ReplaceAll(string(got), "\n\n", "\n") != strings.ReplaceAll(want, "\n\n", "\n") || err != nil {
				t.Fatalf("cut at %d: %q, %v", cut, got, err)
			}
		}
		one := &watchBody{ReadCloser: io.NopCloser(iotest.OneByteReader(strings.NewReader(text))), passStatus: pass}
		if got, err := io.ReadAll(one); strings.ReplaceAll(string(got), "\n\n", "\n") != strings.ReplaceAll(want, "\n\n", "\n") || err != nil {
			t.Errorf("byte by byte: %q, %v", got, err)
		}
	}
	r, w := io.Pipe()
	defer func() { _ = r.Close() }()
	body, chunk := &watchBody{ReadCloser: r, passStatus: pass}, make([]byte, 100)
	for _, part := range []string{`{"type":"A`, `DDED","obj`, "ect\":{}}\n{\"type\":\"ADDED\""} {
		go func() { _, _ = io.WriteString(w, part) }()
		if n, err := body.Read(chunk); string(chunk[:n]) != part || err != nil {
			t.Fatalf("%q, %v", chunk[:n], err)
		}
	}
	gone := errors.New("gone")
	for text, want := range map[string]error{`{"type":"ER`: io.ErrUnexpectedEOF, `{"ty`: io.ErrUnexpectedEOF, "{}\n": errNoEvent, "x\n": errNoEvent, "": nil} {
		for _, end := range []error{io.EOF, gone} {
			if end == gone && want != errNoEvent {
				want = gone
			}
			got, err := io.ReadAll(&watchBody{ReadCloser: io.NopCloser(io.MultiReader(strings.NewReader(text), iotest.ErrReader(end))), passStatus: pass})
			if !errors.Is(err, want) || len(got) > 0 {
				t.Errorf("%q and %v: %q, %v", text, end, got, err)
			}
		}
	}
}

// TestALineThatIsNoEventIsNotKept: a line of 64 MiB that is not an event costs less than 1 MiB of memory.
func TestALineThatIsNoEventIsNotKept(t *testing.T) {
	for _, begin := range []string{"", `{"type":"ERROR","object":"`} {
		source := io.MultiReader(strings.NewReader(begin), io.LimitReader(endless{}, 64<<20))
		chunk := make([]byte, 32<<10)
		body := &watchBody{ReadCloser: io.NopCloser(source)}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		var err error
		for err == nil {
			_, err = body.Read(chunk)
		}
		runtime.ReadMemStats(&after)
		if grown := after.TotalAlloc - before.TotalAlloc; err != errNoEvent || grown > 1<<20 {
			t.Errorf("%q: %v after %d KiB", begin, err, grown>>10)
		}
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

func BenchmarkWatchBody(b *testing.B) {
	line := `{"type":"MODIFIED","object":{"metadata":{"name":"` + strings.Repeat("x", 2000) + `"}}}` + "\n"
	text := strings.Repeat(line, 1000)
	chunk := make([]byte, 64<<10)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		body := &watchBody{ReadCloser: io.NopCloser(strings.NewReader(text))}
		for err := error(nil); err == nil; {
			_, err = body.Read(chunk)
		}
	}
}

// TestDamagedAnswersCarryNoManifests: the transport's errors quote invalid protocol text of an API server. Nothing of a manifest in it reaches an
// answer, /trouble, or the log. A proxy's error is cut in the same way.
func TestDamagedAnswersCarryNoManifests(t *testing.T) {
	manifest := `{"metadata":{"annotations":{"` + redact.Key + `":"` + canary + `"}}}`
	for name, answer := range map[string]string{
		"no status line": manifest + "\r\n\r\n",
		"status":         "HTTP/1.1 " + manifest + "\r\n\r\n",
		"header":         "HTTP/1.1 200 OK\r\nno header " + manifest + "\r\n\r\n",
		"length":         "HTTP/1.1 200 OK\r\nContent-Length: " + manifest + "\r\n\r\n",
		"coding":         "HTTP/1.1 200 OK\r\nTransfer-Encoding: " + manifest + "\r\n\r\n",
		"type":           "HTTP/1.1 200 OK\r\nContent-Type: " + manifest + "\r\nContent-Length: 0\r\n\r\n",
		"error's type":   "HTTP/1.1 500 x\r\nContent-Type: [\"" + canary + "\"]\r\nContent-Length: 0\r\n\r\n",
		"chunk":          "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n" + manifest + "\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			ln, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = ln.Close() }()
			go func() {
				for {
					conn, err := ln.Accept()
					if err != nil {
						return
					}
					_, _ = http.ReadRequest(bufio.NewReader(conn))
					_, _ = io.WriteString(conn, answer)
					_ = conn.Close()
				}
			}()
			f := newFixture(t, kubeconfig(t, map[string]entry{"kind": {server: "http://" + ln.Addr().String()}}), nil)
			response := f.get("/clusters/kind/api/v1/pods")
			raw, _ := io.ReadAll(response.Body)
			_, trouble := f.body("/trouble?context=kind")
			for where, text := range map[string]string{"the answer": string(raw), "its trouble": trouble, "the log": f.log.String()} {
				if strings.Contains(text, canary) {
					t.Errorf("%s has it: %s", where, text)
				}
			}
		})
	}
}
