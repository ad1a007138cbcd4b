package web

import (
	"bytes"
	"compress/gzip"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/fstest"
)

// The program lies packed, and opened by its name it is unpacked, for a file server too.
func TestTheProgramIsUnpacked(t *testing.T) {
	program := append([]byte("\x00asm"), bytes.Repeat([]byte{7}, 1000)...)
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err := w.Write(program); err != nil || w.Close() != nil {
		t.Fatal(err)
	}
	page := Modules(fstest.MapFS{Program + packedEnd: {Data: packed.Bytes()}, Program: {Data: []byte("of an older build")}})
	entries, err := fs.ReadDir(page, ".")
	if err != nil || len(entries) != 1 || entries[0].Name() != Program {
		t.Errorf("the page has %v, %v", entries, err)
	}
	if text, err := fs.ReadFile(page, Program); err != nil || !bytes.Equal(text, program) {
		t.Errorf("it reads as %.20q, %v", text, err)
	}
	file, err := page.Open(Program)
	if err != nil {
		t.Fatal(err)
	}
	if file.(*packedFile).Brotli() != nil {
		t.Error("it lies as brotli, which nobody put there")
	}
	if text, err := io.ReadAll(file.(*packedFile).Packed()); err != nil || !bytes.Equal(text, packed.Bytes()) {
		t.Errorf("packed it is %.20q, %v", text, err)
	}
	server := httptest.NewServer(http.FileServerFS(page))
	defer server.Close()
	answer, err := http.Get(server.URL + "/" + Program)
	if err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(answer.Body); err != nil || answer.StatusCode != http.StatusOK || !bytes.Equal(text, program) {
		t.Errorf("a file server answers %d, %.20q, %v", answer.StatusCode, text, err)
	}
	_ = answer.Body.Close()
	for _, broken := range []string{"", "no gzip at all"} {
		if _, err := fs.ReadFile(Modules(fstest.MapFS{Program + packedEnd: {Data: []byte(broken)}}), Program); err == nil {
			t.Errorf("%q is read", broken)
		}
	}
}

// A bundle lies in a folder of its own, each file packed, and beside the program.
func TestABundleIsThePage(t *testing.T) {
	zip := func(text string) *fstest.MapFile {
		var packed bytes.Buffer
		w := gzip.NewWriter(&packed)
		_, _ = w.Write([]byte(text)) // into memory
		_ = w.Close()
		return &fstest.MapFile{Data: packed.Bytes()}
	}
	dir := fstest.MapFS{
		"index.html": {Data: []byte("modules")}, "app.js": {Data: []byte("a module")}, "embed.go": {}, "informerscope.wasm.gz": zip("\x00asm"),
		"bundle/index.html.gz": zip("a bundle"), "bundle/index.html.br": {Data: []byte("brotli")}, "bundle/wire/app.js.gz": zip("all modules"),
	}
	for _, tc := range []struct {
		page fs.FS
		want map[string]string
	}{
		{Bundle(dir), map[string]string{"index.html": "a bundle", "wire/app.js": "all modules", Program: "\x00asm"}},
		{Modules(dir), map[string]string{"index.html": "modules", "app.js": "a module", Program: "\x00asm"}},
	} {
		got := map[string]string{}
		err := fs.WalkDir(tc.page, ".", func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			text, err := fs.ReadFile(tc.page, name)
			got[name] = string(text)
			if info, err := d.Info(); err != nil || info.Size() != int64(len(text)) || info.Name() != d.Name() {
				t.Errorf("%s has %d bytes, and its directory says %v, %v", name, len(text), info, err)
			}
			return err
		})
		if err != nil || !maps.Equal(got, tc.want) {
			t.Errorf("%v, want %v: %v", got, tc.want, err)
		}
	}
	file, err := Bundle(dir).Open("index.html")
	if err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(file.(*packedFile).Brotli()); err != nil || string(text) != "brotli" {
		t.Errorf("as brotli it is %q, %v", text, err)
	}
}
