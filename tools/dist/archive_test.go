package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"testing"
	"time"
)

// entry is what an archive says of a file.
type entry struct {
	mode fs.FileMode
	time time.Time
	data string
}

// unpack reads an archive of either kind, and refuses what could put a file elsewhere or name somebody.
func unpack(t *testing.T, packed []byte) (names []string, entries map[string]entry) {
	t.Helper()
	entries = map[string]entry{}
	add := func(name string, e entry) {
		if _, twice := entries[name]; twice || !fs.ValidPath(name) {
			t.Errorf("the entry %q", name)
		}
		names, entries[name] = append(names, name), e
	}
	if bytes.HasPrefix(packed, []byte("PK")) {
		r, err := zip.NewReader(bytes.NewReader(packed), int64(len(packed)))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range r.File {
			part, err := f.Open()
			if err != nil {
				t.Fatal(err)
			}
			data, err := io.ReadAll(part)
			if err != nil {
				t.Fatal(err)
			}
			name := f.Name
			if f.Mode().IsDir() {
				name = name[:len(name)-1]
			}
			add(name, entry{f.Mode(), f.Modified.UTC(), string(data)})
		}
		return names, entries
	}
	unpacked, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	if !unpacked.ModTime.IsZero() || unpacked.Name != "" {
		t.Errorf("gzip says %q, %v", unpacked.Name, unpacked.ModTime)
	}
	r := tar.NewReader(unpacked)
	for {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return names, entries
		}
		if err != nil {
			t.Fatal(err)
		}
		if h.Uid != 0 || h.Gid != 0 || h.Uname != "" || h.Gname != "" || h.Typeflag != tar.TypeReg && h.Typeflag != tar.TypeDir {
			t.Errorf("%s: %+v", h.Name, h)
		}
		data, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		name := h.Name
		if h.Typeflag == tar.TypeDir {
			name = name[:len(name)-1]
		}
		add(name, entry{h.FileInfo().Mode(), h.ModTime.UTC(), string(data)})
	}
}

func TestArchives(t *testing.T) {
	when := time.Date(2026, 11, 22, 13, 44, 6, 0, time.UTC)
	files := []file{{"base/LICENSE", []byte("licence"), false}, {"base/empty", nil, false}, {"base/program", bytes.Repeat([]byte("x"), 1<<20), true}}
	for name, write := range map[string]func(io.Writer, time.Time, []file) error{"tar.gz": writeTarGz, "zip": writeZip} {
		t.Run(name, func(t *testing.T) {
			var first, second, later bytes.Buffer
			for out, at := range map[*bytes.Buffer]time.Time{&first: when, &second: when.In(time.FixedZone("elsewhere", 5*3600)), &later: when.Add(time.Hour)} {
				if err := write(out, at, files); err != nil {
					t.Fatal(err)
				}
			}
			if !bytes.Equal(first.Bytes(), second.Bytes()) {
				t.Error("two runs, in two time zones, give two archives")
			}
			if bytes.Equal(first.Bytes(), later.Bytes()) {
				t.Error("the time that was given is not in it")
			}
			names, entries := unpack(t, first.Bytes())
			for i, want := range []string{"base", "base/LICENSE", "base/empty", "base/program"} {
				if i >= len(names) || names[i] != want {
					t.Fatalf("it holds %q", names)
				}
				if e := entries[want]; !e.time.Equal(when) {
					t.Errorf("%s is of %v, want %v", want, e.time, when)
				}
			}
			if e := entries["base"]; e.mode != fs.ModeDir|0o755 {
				t.Errorf("the directory: %v", e.mode)
			}
			for _, f := range files {
				if e := entries[f.name]; e.data != string(f.data) || e.mode != f.mode() {
					t.Errorf("%s: %v, %d bytes", f.name, e.mode, len(e.data))
				}
			}
		})
	}
}
