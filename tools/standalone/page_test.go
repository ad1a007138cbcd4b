package main

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

const program = "\x00asm\x01\x00\x00\x00 a program"

// pack is text as gzip.
func pack(text string) string {
	var packed strings.Builder
	w := gzip.NewWriter(&packed)
	_, _ = io.WriteString(w, text)
	_ = w.Close()
	return packed.String()
}

// site writes a small page, with some of its files replaced, and returns its directory. A file that is "-" is left out.
func site(t *testing.T, replaced map[string]string) string {
	t.Helper()
	files := map[string]string{
		"index.html": `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>x</title>
<link rel="icon" href="icon.svg"><link rel="stylesheet" href="style.css"><link rel="stylesheet" href="more.css">
<script type="module" src="boot.js" async></script>
<link rel="modulepreload" href="app.js"><script type="module" src="app.js"></script></head><body><main id="app"></main></body></html>`,
		"icon.svg":              `<svg xmlns="http://www.w3.org/2000/svg"/>`,
		"style.css":             "body { color: red; }\n",
		"more.css":              "main::before { content: '→'; }\n",
		"app.js":                "import './boot.js';\nimport { hello } from './panels/hello.js';\nglobalThis.said = hello('中');\n",
		"boot.js":               "globalThis.begun = 1;\n",
		"panels/hello.js":       "export const hello = (who) => `hello ${who}`;\n",
		"wasm_exec.js":          "globalThis.Go = class {};\n",
		"worker.js":             "if (!self.Go) self.importScripts('wasm_exec.js');\nself.onmessage = () => {};\n",
		"informerscope.wasm.gz": pack(program),
	}
	for name, text := range replaced {
		files[name] = text
	}
	dir := t.TempDir()
	for name, text := range files {
		if text == "-" {
			continue
		}
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestAssemble(t *testing.T) {
	out, err := assemble(site(t, nil))
	if err != nil {
		t.Fatal(err)
	}
	again, err := assemble(site(t, nil))
	if err != nil || !bytes.Equal(out, again) {
		t.Errorf("the same page gives two files: %v", err)
	}
	doc, err := html.Parse(bytes.NewReader(out))
	if err != nil {
		t.Fatal(err)
	}
	var policy string
	var inline []string
	carried := map[string]string{}
	for n := range doc.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		for _, name := range []string{"src", "href"} {
			if v := attribute(n, name); v != "" && !strings.HasPrefix(v, "data:") {
				t.Errorf("<%s %s=%q> is fetched", n.Data, name, v)
			}
		}
		text := ""
		if n.FirstChild != nil {
			text = n.FirstChild.Data
		}
		switch {
		case attribute(n, "http-equiv") == "Content-Security-Policy":
			policy = attribute(n, "content")
			if len(inline) > 0 {
				t.Error("the policy comes after what it is to govern")
			}
		case attribute(n, "id") == "carried-worker" || attribute(n, "id") == "carried-wasm":
			carried[attribute(n, "id")] = text
			if attribute(n, "id") == "carried-wasm" && attribute(n, "data-size") != "18" {
				t.Errorf("the program is said to be %s bytes, it is %d", attribute(n, "data-size"), len(program))
			}
		case n.DataAtom == atom.Script || n.DataAtom == atom.Style:
			inline = append(inline, text)
		}
	}
	if len(inline) != 3 {
		t.Fatalf("%d styles and scripts stand inline, want two and one: %q", len(inline), inline)
	}
	for _, text := range inline {
		if !strings.Contains(policy, hash(text)) {
			t.Errorf("the policy %q does not allow %q", policy, text)
		}
	}
	for _, bad := range []string{"unsafe-inline", "'unsafe-eval'", "http:", "https:", "*"} {
		if strings.Contains(policy, bad) {
			t.Errorf("the policy allows %s: %s", bad, policy)
		}
	}
	if !strings.HasPrefix(policy, "default-src 'none'") {
		t.Errorf("the policy is %q", policy)
	}
	if js := inline[2]; strings.Count(js, "begun") != 1 || !strings.Contains(js, "hello") || !strings.Contains(js, "中") || strings.Contains(js, "import") {
		t.Errorf("the module is %q", js)
	}
	worker := carried["carried-worker"]
	if at := strings.Index(worker, "class"); at < 0 || strings.Index(worker, "onmessage") < at {
		t.Errorf("the worker is %q, want wasm_exec.js in front of worker.js", worker)
	}
	packed, err := base64.StdEncoding.DecodeString(carried["carried-wasm"])
	if err != nil {
		t.Fatal(err)
	}
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(r); err != nil || string(got) != program {
		t.Errorf("the program is %q, %v", got, err)
	}
}

func TestAssembleRefuses(t *testing.T) {
	index := func(body string) map[string]string {
		return map[string]string{"index.html": `<!doctype html><html><head><meta charset="utf-8"><script type="module" src="app.js"></script></head><body>` + body +
			`</body></html>`}
	}
	for _, tt := range []struct {
		name     string
		replaced map[string]string
		want     string
	}{
		{"no page", map[string]string{"index.html": "-"}, "index.html"},
		{"no program", map[string]string{"informerscope.wasm.gz": "-"}, "make wasm"},
		{"no worker", map[string]string{"worker.js": "-"}, "worker.js"},
		{"no Go runtime", map[string]string{"wasm_exec.js": "-"}, "make wasm"},
		{"a program that is none", map[string]string{"informerscope.wasm.gz": pack("<html>404</html>")}, "no WebAssembly"},
		{"a program that is not packed", map[string]string{"informerscope.wasm.gz": program}, "gzip"},
		{"no scripts", map[string]string{"index.html": `<!doctype html><meta charset="utf-8">`}, "no script"},
		{"no charset", map[string]string{"index.html": `<!doctype html><script type="module" src="app.js"></script>`}, "charset"},
		{"an inline script", index(`<script>alert(1)</script>`), "cannot be carried"},
		{"a classic script", index(`<script src="app.js"></script>`), "cannot be carried"},
		{"an image", index(`<img src="a.png">`), "cannot be carried"},
		{"an inline style", index(`<p style="color:red">`), "cannot be carried"},
		{"an unknown link", index(`<link rel="manifest" href="m.json">`), "cannot be carried"},
		{"an icon that is no SVG", index(`<link rel="icon" href="icon.png">`), "icon.png"},
		{"a module that is not there", map[string]string{"panels/hello.js": "-"}, "hello.js"},
		{"a module with a fault", map[string]string{"panels/hello.js": "export const = 1;"}, "hello.js:1"},
		{"a style that is not there", map[string]string{"more.css": "-"}, "more.css"},
		{"a worker that ends its element", map[string]string{"worker.js": "/*! <!-- */ self.onmessage = 1;"}, "<!--"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			out, err := assemble(site(t, tt.replaced))
			if err == nil {
				t.Fatalf("it is made: %s", out)
			}
			if !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v; want it to speak of %q", err, tt.want)
			}
		})
	}
}
