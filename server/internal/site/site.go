package site

import (
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"

	"informerscope/web"
)

// Wasm is the program that `make wasm` builds.
const Wasm = web.Program

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
	".map":         "application/json",
}

// pieceSize is how many bytes of a file one write sends.
const pieceSize = 8 << 10

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
	raw         io.ReaderAt // this program's own bytes for an embedded file, without a copy; nil for one that lies packed
	size        int64       // before compression, in bytes
	tag         string      // of the content
	packed      []packing   // as it lies, the smallest first; none for one that does not lie packed
}

// packing is a file in one content coding.
type packing struct {
	coding  string
	content *io.SectionReader // read with ReadAt alone
}

// content reads the file from its beginning, before compression. What lies packed is unpacked as it is read, with 40 KB of memory.
func (f *file) content() (io.Reader, error) {
	if f.raw != nil {
		return io.NewSectionReader(f.raw, 0, f.size), nil
	}
	return gzip.NewReader(whole(f.packed[len(f.packed)-1].content)) // gzip is always there
}

// whole reads a file from its beginning.
func whole(f *io.SectionReader) *io.SectionReader { return io.NewSectionReader(f, 0, f.Size()) }

// Site is an http.Handler for GET and HEAD of the page's files. Safe for concurrent use.
type Site struct{ files map[string]*file }

// New opens all files of the page and keeps them open, so each must have ReadAt, or Packed and Brotli as the files of web.Bundle have them. The files of an
// embed.FS are served without a copy in memory, and as they lie.
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
	if err != nil && !errors.Is(err, fs.ErrNotExist) { // a page that was not built; see Missing
		return nil, fmt.Errorf("reading the page's files: %w", err)
	}
	return s, nil
}

// openFile opens a file of the page and computes its tag.
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
	case interface {
		Packed() *io.SectionReader
		Brotli() *io.SectionReader
	}:
		f.packed = []packing{{"gzip", opened.Packed()}}
		if brotli := opened.Brotli(); brotli != nil {
			f.packed = slices.Insert(f.packed, 0, packing{"br", brotli})
		}
		f.tag, err = computeTag(whole(opened.Packed()))
	case io.ReaderAt:
		f.raw = opened
		f.tag, err = computeTag(io.NewSectionReader(f.raw, 0, f.size))
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

// Missing describes for people which parts of the page are missing; "" for none.
func (s *Site) Missing() string {
	switch {
	case s.files["index.html"] == nil || s.files[Wasm] == nil:
		return "the page is not built: run `make wasm`, then start the server again"
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
		if name == "index.html" || name == Wasm {
			message = s.Missing()
		}
		w.Header().Set("Cache-Control", "no-store")
		http.Error(w, message, http.StatusNotFound)
		return
	}
	length, tag := f.size, `"`+f.tag+`"`
	header := w.Header()
	header.Set("Vary", "Accept-Encoding")
	i := slices.IndexFunc(f.packed, func(p packing) bool { return accepts(r.Header.Values("Accept-Encoding"), p.coding) })
	if i >= 0 {
		length, tag = f.packed[i].content.Size(), `"`+f.tag+"-"+f.packed[i].coding+`"`
		header.Set("Content-Encoding", f.packed[i].coding)
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
	if i >= 0 {
		send(w, whole(f.packed[i].content))
	} else if body, err := f.content(); err == nil { // else the length tells the client that the body is missing
		send(w, body)
	}
}

// send writes a body in pieces of pieceSize. The server's own io.Copy would hold 32 KiB for each client that does not read.
func send(w io.Writer, body io.Reader) {
	_, _ = io.CopyBuffer(struct{ io.Writer }{w}, struct{ io.Reader }{body}, make([]byte, pieceSize))
}

// accepts reports whether Accept-Encoding headers name a coding, where q=0 means no.
func accepts(headers []string, wanted string) bool {
	for _, header := range headers {
		for coding := range strings.SplitSeq(header, ",") {
			name, parameters, _ := strings.Cut(coding, ";")
			if strings.EqualFold(strings.TrimSpace(name), wanted) {
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
