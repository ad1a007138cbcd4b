package web

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"io"
	"io/fs"
)

// Program is the page's program, by the name that a browser asks for. In the directory it lies as gzip, a fifth as large, under packedProgram.
const (
	Program       = "informerscope.wasm"
	packedProgram = Program + ".gz"
)

// programFile is the page's program. A reader that reads or seeks in it has it in memory, unpacked.
type programFile struct {
	fs.File // packed
	madeInfo
	packed   *io.SectionReader
	unpacked *bytes.Reader // nil until something is read
}

// openProgram opens the page's program. A file that is packed ends with its length before that, RFC 1952.
func openProgram(fsys fs.FS) (fs.File, error) {
	file, err := fsys.Open(packedProgram)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	raw, ok := file.(io.ReaderAt)
	if !ok {
		return nil, fmt.Errorf("%s: a %T has no ReadAt", packedProgram, file)
	}
	var length [4]byte
	if _, err := raw.ReadAt(length[:], info.Size()-int64(len(length))); err != nil {
		return nil, fmt.Errorf("%s: %w", packedProgram, err)
	}
	return &programFile{
		File: file, packed: io.NewSectionReader(raw, 0, info.Size()),
		madeInfo: madeInfo{Program, int64(binary.LittleEndian.Uint32(length[:]))},
	}, nil
}

// Packed is the program as gzip, which reads until the file is closed.
func (p *programFile) Packed() *io.SectionReader { return p.packed }

// unpack makes the program ready to be read.
func (p *programFile) unpack() error {
	if p.unpacked != nil {
		return nil
	}
	r, err := gzip.NewReader(p.packed)
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
func (p *programFile) Read(b []byte) (int, error) {
	if err := p.unpack(); err != nil {
		return 0, err
	}
	return p.unpacked.Read(b)
}

// Seek implements io.Seeker, as file servers ask for it.
func (p *programFile) Seek(offset int64, whence int) (int64, error) {
	if err := p.unpack(); err != nil {
		return 0, err
	}
	return p.unpacked.Seek(offset, whence)
}

// Stat implements fs.File.
func (p *programFile) Stat() (fs.FileInfo, error) { return p.madeInfo, nil }
