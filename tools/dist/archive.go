package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"io"
	"io/fs"
	"path"
	"time"
)

// file is one file of an archive.
type file struct {
	name       string // with slashes; all files of an archive have the same directory
	data       []byte
	executable bool
}

func (f file) mode() fs.FileMode {
	if f.executable {
		return 0o755
	}
	return 0o644
}

// writeTarGz writes files in the order given, in one directory that comes first. Times are t, and it has no owner's name.
func writeTarGz(w io.Writer, t time.Time, files []file) error {
	packed, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	out := tar.NewWriter(packed)
	header := &tar.Header{Typeflag: tar.TypeDir, Name: path.Dir(files[0].name) + "/", Mode: 0o755, ModTime: t, Format: tar.FormatUSTAR}
	if err := out.WriteHeader(header); err != nil {
		return err
	}
	for _, f := range files {
		header := &tar.Header{Typeflag: tar.TypeReg, Name: f.name, Mode: int64(f.mode()), Size: int64(len(f.data)), ModTime: t, Format: tar.FormatUSTAR}
		if err := out.WriteHeader(header); err != nil {
			return err
		}
		if _, err := out.Write(f.data); err != nil {
			return err
		}
	}
	if err := out.Close(); err != nil {
		return err
	}
	return packed.Close()
}

// writeZip is writeTarGz as a zip archive. The directory has an entry of its own: krew makes none by itself.
func writeZip(w io.Writer, t time.Time, files []file) error {
	t = t.UTC() // a zip archive has the local time too
	out := zip.NewWriter(w)
	header := &zip.FileHeader{Name: path.Dir(files[0].name) + "/", Modified: t}
	header.SetMode(fs.ModeDir | 0o755)
	if _, err := out.CreateHeader(header); err != nil {
		return err
	}
	for _, f := range files {
		header := &zip.FileHeader{Name: f.name, Modified: t, Method: zip.Deflate}
		header.SetMode(f.mode())
		part, err := out.CreateHeader(header)
		if err != nil {
			return err
		}
		if _, err := part.Write(f.data); err != nil {
			return err
		}
	}
	return out.Close()
}
