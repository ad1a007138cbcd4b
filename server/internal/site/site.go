package site

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"path"
	"strconv"
	"strings"

	"informerscope/web"
)

// Wasm is the file that `make wasm` builds, with WasmExec from the Go toolchain beside it.
const (
	Wasm     = web.Program
	WasmExec = "wasm_exec.js"
)

// LengthHeader has a file's length before compression. A page that shows progress needs it: it counts uncompressed bytes, while Content-Length counts
// compressed ones.
const LengthHeader = "X-Informerscope-Length"

// contentTypes is also the list of served file types: sources, notes and tests beside the page are not served. The system's own table of types is not
// used, because it differs from machine to machine.
var contentTypes = map[string]string{
	".html":        "text/html; charset=utf-8",
	".css":         "text/css; charset=utf-8",
	".js":          "text/javascript; charset=utf-8",
	".mjs":         "text/javascript; charset=utf-8",
	".json":        "application/json",
	".jsonl":       "application/jsonl; charset=utf-8",
	".webmanifest": "application/manifest+json",
	".wasm":        "application/wasm",
	".svg":         "image/svg+xml",
	".png":         "image/png",
	".ico":         "image/x-icon",
	".woff2":       "font/woff2",
	".txt":         "text/plain; charset=utf-8",
	".gz":          "application/gzip",
}

// incompressible are the types that compression does not make smaller.
var incompressible = map[string]bool{".png": true, ".ico": true, ".woff2": true, ".gz": true}

// pieceSize is how many bytes of a file one write sends.
const pieceSize = 8 << 10

// minPacked is the size in bytes below which compression is not worthwhile.
const minPacked = 1 << 10

// securityHeaders are set on every answer of the server, errors included.
var securityHeaders = map[string]string{
	"Content-Security-Policy":      web.Policy + "; frame-ancestors 'none'",
	"X-Content-Type-Options":       "nosniff",
	"X-Frame-Options":              "DENY",
	"Referrer-Policy":              "no-referrer",
	"Cross-Origin-Opener-Policy":   "same-origin",
	"Cross-Origin-Resource-Policy": "same-origin",
	// With the opener policy this isolates the page, and an isolated page has a finer clock: handlers take microseconds.
	"Cross-Origin-Embedder-Policy": "require-corp",
	"Permissions-Policy": "accelerometer=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), magnetometer=(), microphone=(), midi=(), " +
		"payment=(), usb=()",
}

// Secure sets the security headers on all answers of next.
func Secure(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for name, value := range securityHeaders {
			w.Header().Set(name, value)
		}
		next.ServeHTTP(w, r)
	})
}

// file is one file, ready to be sent.
type file struct {
	contentType string
	raw         io.ReaderAt       // this program's own bytes for an embedded file, without a copy; nil for one that lies as gzip
	size        int64             // before compression, in bytes
	tag         string            // of the content
	gzip        *io.SectionReader // nil if compression does not help; read with ReadAt alone
}

// content reads the file from its beginning, as gzip or before compression. What lies as gzip is unpacked as it is read, with 40 KB of memory.
func (f *file) content(packed bool) (io.Reader, error) {
	switch {
	case packed:
		return io.NewSectionReader(f.gzip, 0, f.gzip.Size()), nil
	case f.raw != nil:
		return io.NewSectionReader(f.raw, 0, f.size), nil
	default:
		return gzip.NewReader(io.NewSectionReader(f.gzip, 0, f.gzip.Size()))
	}
}

// Site is an http.Handler for GET and HEAD of the page's files. Safe for concurrent use.
type Site struct{ files map[string]*file }

// New opens all files of the page and keeps them open, so each must have ReadAt, or Packed as the program of web.Files has it. The files of an embed.FS have
// ReadAt: they are served without a copy in memory. What gzip makes smaller is compressed here, once, but for what lies as gzip already.
func New(fsys fs.FS) (*Site, error) {
	s := &Site{files: map[string]*file{}}
	err := fs.WalkDir(fsys, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		contentType := contentTypes[path.Ext(name)]
		if contentType == "" {
			return nil
		}
		s.files[name], err = openFile(fsys, name, contentType)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("reading the page's files: %w", err)
	}
	return s, nil
}

// openFile opens a file of the page, compresses it and computes its tag.
func openFile(fsys fs.FS, name, contentType string) (*file, error) {
	opened, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	info, err := opened.Stat()
	if err != nil {
		return nil, err
	}
	f := &file{contentType: contentType, size: info.Size()}
	switch opened := opened.(type) {
	case interface{ Packed() *io.SectionReader }:
		f.gzip = opened.Packed()
		f.tag, err = computeTag(io.NewSectionReader(f.gzip, 0, f.gzip.Size()))
	case io.ReaderAt:
		f.raw = opened
		whole := io.NewSectionReader(f.raw, 0, f.size)
		if f.tag, err = computeTag(whole); err == nil && !incompressible[path.Ext(name)] && f.size >= minPacked {
			f.gzip, err = compress(whole)
		}
	default:
		err = fmt.Errorf("a %T has no ReadAt", opened)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return f, nil
}

// computeTag is the tag of what is read.
func computeTag(content io.Reader) (string, error) {
	sum := sha256.New()
	_, err := io.Copy(sum, content)
	return hex.EncodeToString(sum.Sum(nil)[:12]), err
}

// compress is a file as gzip, nil if that is not smaller.
func compress(whole *io.SectionReader) (*io.SectionReader, error) {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, err := whole.Seek(0, io.SeekStart)
	if err == nil {
		_, err = io.Copy(w, whole)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil || int64(packed.Len()) >= whole.Size() {
		return nil, err
	}
	return io.NewSectionReader(bytes.NewReader(packed.Bytes()), 0, int64(packed.Len())), nil
}

// Missing describes for people which parts of the page are missing; "" for none.
func (s *Site) Missing() string {
	switch {
	case s.files["index.html"] == nil:
		return "the page is not part of this build: web/index.html is missing"
	case s.files[Wasm] == nil || s.files[WasmExec] == nil:
		return "the WebAssembly part is not built: run `make wasm`, then start the server again"
	}
	return ""
}

// ServeHTTP implements http.Handler.
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "only GET and HEAD are served here", http.StatusMethodNotAllowed)
		return
	}
	name := strings.TrimPrefix(r.URL.Path, "/")
	if name == "" {
		name = "index.html"
	}
	f := s.files[name]
	if f == nil {
		message := "there is no such file"
		if name == "index.html" || name == Wasm || name == WasmExec {
			message = s.Missing()
		}
		w.Header().Set("Cache-Control", "no-store")
		http.Error(w, message, http.StatusNotFound)
		return
	}
	length, tag := f.size, `"`+f.tag+`"`
	header := w.Header()
	header.Set("Vary", "Accept-Encoding")
	packed := f.gzip != nil && acceptsGzip(r.Header.Values("Accept-Encoding"))
	if packed {
		length, tag = f.gzip.Size(), `"`+f.tag+`-gz"`
		header.Set("Content-Encoding", "gzip")
	}
	header.Set("Content-Type", f.contentType)
	header.Set("Cache-Control", "no-cache") // a browser may keep it, and asks each time: a new build is a new page
	header.Set("ETag", tag)
	header.Set(LengthHeader, strconv.FormatInt(f.size, 10))
	if matches(r.Header.Values("If-None-Match"), tag) {
		header.Del("Content-Encoding")
		w.WriteHeader(http.StatusNotModified)
		return
	}
	header.Set("Content-Length", strconv.FormatInt(length, 10))
	if r.Method != http.MethodGet {
		return
	}
	if body, err := f.content(packed); err == nil { // else the length tells the client that the body is missing
		send(w, body)
	}
}

// send writes a body in pieces of pieceSize. The server's own io.Copy would hold 32 KiB for each client that does not read.
func send(w io.Writer, body io.Reader) {
	_, _ = io.CopyBuffer(struct{ io.Writer }{w}, struct{ io.Reader }{body}, make([]byte, pieceSize))
}

// acceptsGzip parses an Accept-Encoding header, where q=0 means no.
func acceptsGzip(headers []string) bool {
	for _, header := range headers {
		for coding := range strings.SplitSeq(header, ",") {
			name, parameters, _ := strings.Cut(coding, ";")
			if strings.EqualFold(strings.TrimSpace(name), "gzip") {
				quality, given := strings.CutPrefix(strings.ReplaceAll(strings.ToLower(parameters), " ", ""), "q=")
				value, err := strconv.ParseFloat(quality, 64)
				return !given || err == nil && value > 0
			}
		}
	}
	return false
}

// matches compares an If-None-Match header with a tag.
func matches(headers []string, tag string) bool {
	for _, header := range headers {
		for candidate := range strings.SplitSeq(header, ",") {
			candidate = strings.TrimSpace(candidate)
			if candidate == "*" || strings.TrimPrefix(candidate, "W/") == tag {
				return true
			}
		}
	}
	return false
}
