package web

import (
	"bytes"
	"compress/gzip"
	"io"
	"io/fs"
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
	page := Served(fstest.MapFS{packedProgram: {Data: packed.Bytes()}, Program: {Data: []byte("of an older build")}})
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
	if text, err := io.ReadAll(file.(interface{ Packed() *io.SectionReader }).Packed()); err != nil || !bytes.Equal(text, packed.Bytes()) {
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
		if _, err := fs.ReadFile(Served(fstest.MapFS{packedProgram: {Data: []byte(broken)}}), Program); err == nil {
			t.Errorf("%q is read", broken)
		}
	}
}
