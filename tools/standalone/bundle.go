package main

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/andybalholm/brotli"
	"github.com/evanw/esbuild/pkg/api"
)

// The page's document, and what it says of its styles and modules, a line each.
const document = "index.html"

var (
	styleLine  = regexp.MustCompile(`(?m)^<link rel="stylesheet" href="([^"]+)">\n`)
	moduleLine = regexp.MustCompile(`(?m)^<script type="module" src="([^"]+)"[^>]*></script>$`)
	firstLine  = `<link rel="modulepreload" href="app.js">` + "\n"
)

// writeBundle writes the page of the directory web as few files, packed as gzip and brotli, into its folder bundle, which is emptied. The modules of
// index.html keep their places, and what they share is in one more; each has its source map beside it. All styles are one file, and the worker has the Go
// loader in front.
func writeBundle(web string) error {
	web, err := filepath.Abs(web)
	if err != nil {
		return err
	}
	files, err := bundleFiles(web)
	if err != nil {
		return err
	}
	dir := filepath.Join(web, "bundle")
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	for name, text := range files {
		if err := writeBoth(filepath.Join(dir, filepath.FromSlash(name)), text); err != nil {
			return err
		}
	}
	return nil
}

// bundleFiles is the content of the bundle, by names.
func bundleFiles(web string) (map[string][]byte, error) {
	text, err := os.ReadFile(filepath.Join(web, document))
	if err != nil {
		return nil, err
	}
	p := &page{web: web}
	for _, m := range moduleLine.FindAllSubmatch(text, -1) {
		p.modules = append(p.modules, string(m[1]))
	}
	var styles []string
	for _, m := range styleLine.FindAllSubmatch(text, -1) {
		styles = append(styles, string(m[1]))
	}
	if len(p.modules) == 0 || len(styles) == 0 || !bytes.Contains(text, []byte(firstLine)) {
		return nil, errors.New("index.html names no module or no style as this program reads them")
	}
	files, shared, err := p.splitModules()
	if err != nil {
		return nil, err
	}
	css, err := p.bundle(api.LoaderCSS, styles...)
	if err != nil {
		return nil, err
	}
	worker, err := p.worker()
	if err != nil {
		return nil, err
	}
	icon, err := os.ReadFile(p.path("icon.svg"))
	if err != nil {
		return nil, err
	}
	files["style.css"], files["worker.js"], files["icon.svg"] = []byte(css), []byte(worker), icon
	isFirst := true
	text = styleLine.ReplaceAllFunc(text, func([]byte) []byte {
		if !isFirst {
			return nil
		}
		isFirst = false
		return []byte(`<link rel="stylesheet" href="style.css">` + "\n")
	})
	preload := firstLine
	for _, name := range shared {
		preload += fmt.Sprintf("<link rel=\"modulepreload\" href=\"%s\">\n", name)
	}
	files[document] = bytes.Replace(text, []byte(firstLine), []byte(preload), 1)
	return files, nil
}

// splitModules bundles the page's modules. What two of them import is in shared ones.
func (p *page) splitModules() (files map[string][]byte, shared []string, err error) {
	var entries []string
	for _, name := range p.modules {
		entries = append(entries, p.path(name))
	}
	result := api.Build(api.BuildOptions{
		EntryPoints: entries, Bundle: true, Splitting: true, Format: api.FormatESModule, Target: api.ES2022, Charset: api.CharsetUTF8,
		Outbase: p.web, Outdir: filepath.Join(p.web, "bundle"), AbsWorkingDir: p.web,
		// A module that starts the worker finds it from where it lies.
		ChunkNames:       "wire/[name]-[hash]",
		MinifyWhitespace: true, MinifySyntax: true, // names stay, so that a stack on the page can be read
		Sourcemap: api.SourceMapLinked, LegalComments: api.LegalCommentsInline, LogLevel: api.LogLevelSilent,
	})
	if err := failure(result.Errors); err != nil {
		return nil, nil, fmt.Errorf("bundle %s: %w", strings.Join(p.modules, ", "), err)
	}
	files = map[string][]byte{}
	for _, file := range result.OutputFiles {
		name, err := filepath.Rel(filepath.Join(p.web, "bundle"), file.Path)
		if err != nil {
			return nil, nil, err
		}
		name = filepath.ToSlash(name)
		files[name] = file.Contents
		if strings.HasSuffix(name, ".js") && !slices.Contains(p.modules, name) {
			shared = append(shared, name)
		}
	}
	slices.Sort(shared)
	return files, shared, nil
}

// writeBoth writes text as gzip and as brotli.
func writeBoth(path string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	zipped := func(w io.Writer) io.WriteCloser {
		z, _ := gzip.NewWriterLevel(w, gzip.BestCompression) // a level that there is
		return z
	}
	if err := writePacked(path+".gz", text, zipped); err != nil {
		return err
	}
	return writePacked(path+".br", text, writeBrotli)
}

func writeBrotli(w io.Writer) io.WriteCloser { return brotli.NewWriterLevel(w, brotli.BestCompression) }

func writePacked(path string, text []byte, open func(io.Writer) io.WriteCloser) error {
	var out bytes.Buffer
	w := open(&out)
	if _, err := w.Write(text); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	return os.WriteFile(path, out.Bytes(), 0o644)
}

// packProgram writes the program, which lies as gzip, as brotli beside that.
func packProgram(web string) error {
	packed, err := os.ReadFile(filepath.Join(web, programName+".gz"))
	if err != nil {
		return adviseBuild(err)
	}
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return fmt.Errorf("%s.gz: %w", programName, err)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		return fmt.Errorf("%s.gz: %w", programName, err)
	}
	return writePacked(filepath.Join(web, programName+".br"), text, writeBrotli)
}

// programName is the page's program, by the name that a browser asks for.
const programName = "informerscope.wasm"
