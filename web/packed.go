package web

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"io"
	"io/fs"
	"path"
	"time"
)

// Program is the page's program, by the name that a browser asks for. In the directory it lies packed.
const Program = "informerscope.wasm"

// What stands behind the name of a file that lies packed: as gzip, and perhaps as brotli too.
const (
	packedEnd = ".gz"
	brotliEnd = ".br"
)

// packedFile is a file that lies packed. A reader that reads or seeks in it has it in memory, unpacked.
type packedFile struct {
	fs.File  // packed
	name     string
	size     int64 // unpacked
	packed   *io.SectionReader
	brotli   *io.SectionReader // nil for none
	unpacked *bytes.Reader     // nil until something is read
}

// openPacked opens a file that lies packed. Gzip ends with the length before that, RFC 1952.
func openPacked(fsys fs.FS, name string) (fs.File, error) {
	file, packed, err := openWhole(fsys, name+packedEnd)
	if err != nil {
		return nil, err
	}
	var length [4]byte
	if _, err := packed.ReadAt(length[:], packed.Size()-int64(len(length))); err != nil {
		return nil, fmt.Errorf("%s: %w", name+packedEnd, err)
	}
	p := &packedFile{File: file, name: path.Base(name), size: int64(binary.LittleEndian.Uint32(length[:])), packed: packed}
	if _, brotli, err := openWhole(fsys, name+brotliEnd); err == nil {
		p.brotli = brotli
	}
	return p, nil
}

func openWhole(fsys fs.FS, name string) (fs.File, *io.SectionReader, error) {
	file, err := fsys.Open(name)
	if err != nil {
		return nil, nil, err
	}
	info, err := file.Stat()
	if err != nil {
		return nil, nil, err
	}
	raw, ok := file.(io.ReaderAt)
	if !ok {
		return nil, nil, fmt.Errorf("%s: a %T has no ReadAt", name, file)
	}
	return file, io.NewSectionReader(raw, 0, info.Size()), nil
}

// Packed is the file as gzip, which reads until the file is closed.
func (p *packedFile) Packed() *io.SectionReader { return p.packed }

// Brotli is the file as brotli, nil if it does not lie so.
func (p *packedFile) Brotli() *io.SectionReader { return p.brotli }

// unpack makes the file ready to be read.
func (p *packedFile) unpack() error {
	if p.unpacked != nil {
		return nil
	}
	r, err := gzip.NewReader(io.NewSectionReader(p.packed, 0, p.packed.Size()))
	if err != nil {
		return err
	}
	text, err := io.ReadAll(r)
	if err == nil {
		p.unpacked = bytes.NewReader(text)
	}
	return err
}

// Read implements fs.File.
func (p *packedFile) Read(b []byte) (int, error) {
	if err := p.unpack(); err != nil {
		return 0, err
	}
	return p.unpacked.Read(b)
}

// Seek implements io.Seeker, as file servers ask for it.
func (p *packedFile) Seek(offset int64, whence int) (int64, error) {
	if err := p.unpack(); err != nil {
		return 0, err
	}
	return p.unpacked.Seek(offset, whence)
}

// Stat implements fs.File.
func (p *packedFile) Stat() (fs.FileInfo, error) { return packedInfo{p.name, p.size}, nil }

// packedEntry is such a file in a directory, of the name and size that it has when it is read.
type packedEntry struct {
	fs.DirEntry
	fsys fs.FS
	name string
}

// Name implements fs.DirEntry.
func (e packedEntry) Name() string { return path.Base(e.name) }

// Info implements fs.DirEntry.
func (e packedEntry) Info() (fs.FileInfo, error) { return fs.Stat(e.fsys, e.name) }

type packedInfo struct {
	name string
	size int64
}

func (i packedInfo) Name() string       { return i.name }
func (i packedInfo) Size() int64        { return i.size }
func (i packedInfo) Mode() fs.FileMode  { return 0o444 }
func (i packedInfo) ModTime() time.Time { return time.Time{} }
func (i packedInfo) IsDir() bool        { return false }
func (i packedInfo) Sys() any           { return nil }
