package site

import (
	"bytes"
	"compress/gzip"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"informerscope/web"
)

var page = fstest.MapFS{
	"index.html":    {Data: []byte("<!doctype html><title>x</title>")},
	"app.js":        {Data: bytes.Repeat([]byte("export const x = 1;\n"), 500)},
	"panels/q.js":   {Data: []byte("export {};")},
	"style.css":     {Data: []byte("body{}")},
	"icon.svg":      {Data: []byte("<svg/>")},
	"embed.go":      {Data: []byte("package web")},
	"notes.md":      {Data: []byte("notes")},
	"a/photo.png":   {Data: bytes.Repeat([]byte("p"), 5000)},
	"wasm_exec.js":  {Data: []byte("// go")},
	"other/app.tsx": {Data: []byte("no")},
}

var program = append([]byte("\x00asm"), bytes.Repeat([]byte{7}, 1<<16)...)

// builtFiles is a page in which the program lies as `make wasm` puts it there.
func builtFiles() fstest.MapFS {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, _ = w.Write(program)
	_ = w.Close()
	whole := fstest.MapFS{Wasm + ".gz": {Data: packed.Bytes()}, Wasm + ".br": {Data: []byte("the program as brotli")}}
	for name, file := range page {
		whole[name] = file
	}
	var small bytes.Buffer
	w = gzip.NewWriter(&small)
	_, _ = w.Write(page["app.js"].Data)
	_ = w.Close()
	whole["app.js.gz"] = &fstest.MapFile{Data: small.Bytes()}
	return whole
}

func get(t *testing.T, h http.Handler, path string, headers ...string) *http.Response {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	r.URL.Path = path
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	Secure(h).ServeHTTP(w, r)
	return w.Result()
}

func open(t *testing.T, fsys fstest.MapFS) *Site {
	t.Helper()
	s, err := New(web.Modules(fsys))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestFiles(t *testing.T) {
	s := open(t, builtFiles())
	if s.Missing() != "" {
		t.Errorf("Missing() = %q", s.Missing())
	}
	for path, contentType := range map[string]string{
		"/": "text/html; charset=utf-8", "/index.html": "text/html; charset=utf-8", "/app.js": "text/javascript; charset=utf-8",
		"/panels/q.js": "text/javascript; charset=utf-8",
		"/style.css":   "text/css; charset=utf-8", "/icon.svg": "image/svg+xml", "/a/photo.png": "image/png", "/informerscope.wasm": "application/wasm",
		"/embed.go": "", "/notes.md": "", "/other/app.tsx": "", "/panels": "", "/panels/": "", "/../app.js": "", "//app.js": "", "/panels/../app.js": "",
		"/APP.JS": "", "/app.js\x00": "",
	} {
		response := get(t, s, path)
		body, _ := io.ReadAll(response.Body)
		if contentType == "" {
			if response.StatusCode != 404 {
				t.Errorf("%q: %d", path, response.StatusCode)
			}
		} else if response.StatusCode != 200 || response.Header.Get("Content-Type") != contentType || len(body) == 0 {
			t.Errorf("%q: %d %q", path, response.StatusCode, response.Header.Get("Content-Type"))
		}
		for name, want := range securityHeaders {
			if response.Header.Get(name) != want {
				t.Errorf("%q (%d): %s = %q", path, response.StatusCode, name, response.Header.Get(name))
			}
		}
	}
	csp := securityHeaders["Content-Security-Policy"]
	for _, bad := range []string{"unsafe-inline", "'unsafe-eval'", "http:", "https:", "data:", "blob:", "*"} {
		// A still of the page is drawn from its SVG, which is a data: image.
		if strings.Contains(strings.Replace(csp, "img-src 'self' data:;", "", 1), bad) {
			t.Errorf("the CSP allows %s", bad)
		}
	}
}

func TestPackingAndTags(t *testing.T) {
	s := open(t, builtFiles())
	for _, test := range []struct{ path, accept, coding string }{
		{"/app.js", "gzip, deflate, br", "gzip"}, {"/app.js", "br, GZIP;q=0.5", "gzip"}, {"/app.js", "", ""}, {"/app.js", "br", ""}, {"/app.js", "gzip;q=0", ""},
		{"/app.js", "xgzip", ""}, {"/informerscope.wasm", "gzip", "gzip"}, {"/informerscope.wasm", "identity", ""}, {"/informerscope.wasm", "gzip;q=0", ""},
		{"/informerscope.wasm", "gzip, deflate, br, zstd", "br"}, {"/informerscope.wasm", "BR;q=0.1", "br"}, {"/informerscope.wasm", "gzip, br;q=0", "gzip"},
		{"/a/photo.png", "gzip", ""}, {"/style.css", "gzip", ""},
	} {
		response := get(t, s, test.path, "Accept-Encoding", test.accept)
		body, _ := io.ReadAll(response.Body)
		if coding := response.Header.Get("Content-Encoding"); coding != test.coding {
			t.Errorf("%s for %q: packed as %q, want %q", test.path, test.accept, coding, test.coding)
		}
		if response.Header.Get("Content-Length") != strconv.Itoa(len(body)) || !strings.Contains(response.Header.Get("Vary"), "Accept-Encoding") {
			t.Errorf("%s: headers %v for %d bytes", test.path, response.Header, len(body))
		}
		want, err := fs.ReadFile(web.Modules(builtFiles()), test.path[1:])
		if err != nil {
			t.Fatal(err)
		}
		sent := want
		switch lies := builtFiles(); test.coding {
		case "gzip":
			sent = lies[test.path[1:]+".gz"].Data
		case "br":
			sent = lies[test.path[1:]+".br"].Data
		}
		if !bytes.Equal(body, sent) || response.Header.Get(LengthHeader) != strconv.Itoa(len(want)) {
			t.Errorf("%s for %q: wrong content", test.path, test.accept)
		}
		tag := response.Header.Get("ETag")
		second := get(t, s, test.path, "Accept-Encoding", test.accept, "If-None-Match", `"x", W/`+tag)
		if body, _ := io.ReadAll(second.Body); second.StatusCode != 304 || len(body) != 0 || second.Header.Get("ETag") != tag {
			t.Errorf("%s: %d with its own tag", test.path, second.StatusCode)
		}
		if got := get(t, s, test.path, "If-None-Match", `"x"`); got.StatusCode != 200 {
			t.Errorf("%s: %d with another tag", test.path, got.StatusCode)
		}
	}
	tags := map[string]bool{}
	for _, accept := range []string{"", "gzip", "br"} {
		tags[get(t, s, "/"+Wasm, "Accept-Encoding", accept).Header.Get("ETag")] = true
	}
	if len(tags) != 3 {
		t.Errorf("two codings have one tag: %v", tags)
	}
}

func TestNotBuilt(t *testing.T) {
	s := open(t, page)
	if !strings.Contains(s.Missing(), "make wasm") {
		t.Errorf("Missing() = %q", s.Missing())
	}
	response := get(t, s, "/informerscope.wasm")
	if body, _ := io.ReadAll(response.Body); response.StatusCode != 404 || !strings.Contains(string(body), "make wasm") {
		t.Errorf("%d %s", response.StatusCode, body)
	}
	if s := open(t, fstest.MapFS{}); !strings.Contains(s.Missing(), "make wasm") || get(t, s, "/").StatusCode != 404 {
		t.Errorf("an empty page: %q", s.Missing())
	}
}

func TestMethods(t *testing.T) {
	for _, method := range []string{"POST", "PUT", "DELETE", "OPTIONS"} {
		w := httptest.NewRecorder()
		open(t, page).ServeHTTP(w, httptest.NewRequest(method, "/app.js", nil))
		if w.Code != 405 {
			t.Errorf("%s: %d", method, w.Code)
		}
	}
	for name, length := range map[string]int{"/app.js": 10000, "/" + Wasm: len(program)} {
		w := httptest.NewRecorder()
		open(t, builtFiles()).ServeHTTP(w, httptest.NewRequest(http.MethodHead, name, nil))
		if w.Code != 200 || w.Body.Len() != 0 || w.Header().Get("Content-Length") != strconv.Itoa(length) {
			t.Errorf("HEAD %s: %d, %d bytes, %v", name, w.Code, w.Body.Len(), w.Header())
		}
	}
}
