package main

import (
	"bytes"
	"compress/gzip"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
)

// lines is a page whose document has its styles and modules as web/index.html has them.
var lines = map[string]string{"index.html": `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<script type="module" src="boot.js" async fetchpriority="high"></script>
<link rel="stylesheet" href="style.css">
<link rel="stylesheet" href="more.css">
<link rel="modulepreload" href="app.js">
<script type="module" src="app.js"></script>
</head>
<body></body>
</html>
`}

// TestBundle: what lies as gzip and as brotli is the same, the document names each module once, and each script has its source map.
func TestBundle(t *testing.T) {
	web := site(t, lines)
	if err := os.MkdirAll(filepath.Join(web, "bundle"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(web, "bundle", "old.js.gz"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := writeBundle(web); err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	err := filepath.WalkDir(filepath.Join(web, "bundle"), func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		packed, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		var r io.Reader = brotli.NewReader(bytes.NewReader(packed))
		if filepath.Ext(path) == ".gz" {
			if r, err = gzip.NewReader(bytes.NewReader(packed)); err != nil {
				return err
			}
		}
		text, err := io.ReadAll(r)
		name, _ := filepath.Rel(filepath.Join(web, "bundle"), strings.TrimSuffix(path, filepath.Ext(path)))
		if other, ok := files[name]; ok && other != string(text) {
			t.Errorf("%s is %q as gzip and as brotli %q", name, text, other)
		}
		files[name] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	names := regexp.MustCompile(`-\w{8}\.`).ReplaceAllString(strings.Join(slices.Sorted(maps.Keys(files)), " "), "-H.")
	if names != "app.js app.js.map boot.js boot.js.map icon.svg index.html style.css wire/chunk-H.js wire/chunk-H.js.map worker.js" {
		t.Errorf("the bundle is %s", names)
	}
	for name, text := range files {
		if strings.HasSuffix(name, ".js") && name != "worker.js" && !strings.Contains(text, "sourceMappingURL="+filepath.Base(name)+".map") {
			t.Errorf("%s does not name its source map: %s", name, text)
		}
		if strings.HasSuffix(name, ".js") && strings.Count(files["index.html"], `"`+name+`"`) == 0 && name != "worker.js" {
			t.Errorf("index.html does not name %s", name)
		}
	}
	if css := files["style.css"]; !strings.Contains(css, "red") || !strings.Contains(css, "→") || strings.Count(files["index.html"], "stylesheet") != 1 {
		t.Errorf("the styles are %q of\n%s", css, files["index.html"])
	}
	if js := files["app.js"]; !strings.Contains(js, "hello") || strings.Contains(js, "begun") {
		t.Errorf("app.js is %q", js)
	}
	if worker := files["worker.js"]; strings.Index(worker, "class") < 0 || strings.Index(worker, "onmessage") < strings.Index(worker, "class") {
		t.Errorf("the worker is %q", worker)
	}

	if err := packProgram(web); err != nil {
		t.Fatal(err)
	}
	packed, err := os.ReadFile(filepath.Join(web, "informerscope.wasm.br"))
	if err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(brotli.NewReader(bytes.NewReader(packed))); err != nil || string(text) != program {
		t.Errorf("the program is %q, %v", text, err)
	}
	for name, replaced := range map[string]string{"index.html": "<!doctype html>", "app.js": "import './none.js';", "worker.js": "-"} {
		bad := maps.Clone(lines)
		bad[name] = replaced
		if err := writeBundle(site(t, bad)); err == nil {
			t.Errorf("a page with another %s is bundled", name)
		}
	}
}
