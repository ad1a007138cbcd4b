package main

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// assemble returns the page in the directory web as one HTML document. It fails when the page refers to something that it does
// not know how to carry. So a new kind of reference is noticed when the file is made, and not on a stage.
func assemble(web string) ([]byte, error) {
	web, err := filepath.Abs(web)
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(filepath.Join(web, "index.html"))
	if err != nil {
		return nil, err
	}
	doc, err := html.Parse(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("index.html: %w", err)
	}
	p := &page{web: web}
	if err := p.inline(doc); err != nil {
		return nil, fmt.Errorf("index.html: %w", err)
	}
	if p.charset == nil {
		return nil, errors.New("index.html has no <meta charset>")
	}
	if len(p.modules) == 0 {
		return nil, errors.New("index.html has no script of type module")
	}
	// One text, as a module that two of them import runs once.
	script, err := p.bundle(api.LoaderJS, p.modules...)
	if err != nil {
		return nil, err
	}
	worker, err := p.worker()
	if err != nil {
		return nil, err
	}
	wasm, size, err := p.wasm()
	if err != nil {
		return nil, err
	}
	// Data goes before the scripts that read it. The type keeps the browser from running it.
	for _, data := range []*html.Node{
		element(atom.Script, worker, "type", "text/plain", "id", "carried-worker"),
		element(atom.Script, wasm, "type", "application/gzip+base64", "id", "carried-wasm", "data-size", fmt.Sprint(size)),
	} {
		p.body.AppendChild(data)
	}
	p.body.AppendChild(element(atom.Script, script, "type", "module"))
	p.head.InsertBefore(element(atom.Meta, "", "http-equiv", "Content-Security-Policy", "content", p.policy(script)), p.charset.NextSibling)
	// Served over http it has no relay either: web/app.js.
	p.head.AppendChild(element(atom.Meta, "", "name", "informerscope-relay", "content", "none"))
	var out bytes.Buffer
	if err := html.Render(&out, doc); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// page is what was found in the document while its references were replaced.
type page struct {
	web                 string
	head, body, charset *html.Node
	modules             []string // in order
	styleHashes         []string
}

// policy is the Content-Security-Policy of the document. The worker, which is a blob, inherits it.
func (p *page) policy(script string) string {
	return strings.Join([]string{
		"default-src 'none'",
		"script-src " + hash(script) + " 'wasm-unsafe-eval'",
		"worker-src blob:",
		"style-src " + strings.Join(p.styleHashes, " "),
		"img-src data:",
		"base-uri 'none'",
		"form-action 'none'",
	}, "; ")
}

// inline replaces what n and the nodes below it refer to.
func (p *page) inline(n *html.Node) error {
	for c := n.FirstChild; c != nil; {
		next := c.NextSibling // c may be replaced
		if err := p.element(c); err != nil {
			return err
		}
		if c.Parent != nil {
			if err := p.inline(c); err != nil {
				return err
			}
		}
		c = next
	}
	return nil
}

func (p *page) element(n *html.Node) error {
	if n.Type != html.ElementNode {
		return nil
	}
	switch n.DataAtom {
	case atom.Head:
		p.head = n
	case atom.Body:
		p.body = n
	case atom.Meta:
		if attribute(n, "charset") != "" {
			p.charset = n
		}
	case atom.Link:
		return p.link(n)
	case atom.Script:
		return p.script(n)
	default:
		for _, name := range []string{"src", "style", "onclick", "onload"} {
			if attribute(n, name) != "" {
				return fmt.Errorf("<%s %s=%q> cannot be carried", n.Data, name, attribute(n, name))
			}
		}
	}
	return nil
}

func (p *page) link(n *html.Node) error {
	href := attribute(n, "href")
	switch rel := attribute(n, "rel"); rel {
	case "modulepreload":
		n.Parent.RemoveChild(n) // everything is here already
	case "stylesheet":
		css, err := p.bundle(api.LoaderCSS, href)
		if err != nil {
			return err
		}
		p.styleHashes = append(p.styleHashes, hash(css))
		n.Parent.InsertBefore(element(atom.Style, css), n)
		n.Parent.RemoveChild(n)
	case "icon":
		icon, err := os.ReadFile(p.path(href))
		if err != nil {
			return err
		}
		if filepath.Ext(href) != ".svg" {
			return fmt.Errorf("the icon %s is no SVG", href)
		}
		set(n, "href", "data:image/svg+xml;base64,"+base64.StdEncoding.EncodeToString(icon))
	default:
		return fmt.Errorf("<link rel=%q href=%q> cannot be carried", rel, href)
	}
	return nil
}

func (p *page) script(n *html.Node) error {
	src := attribute(n, "src")
	if src == "" || attribute(n, "type") != "module" {
		return fmt.Errorf("<script type=%q src=%q> cannot be carried: only modules with a src", attribute(n, "type"), src)
	}
	p.modules = append(p.modules, src)
	n.Parent.RemoveChild(n)
	return nil
}

// bundle is the modules or style sheets at hrefs with everything that they import, as one text.
func (p *page) bundle(kind api.Loader, hrefs ...string) (string, error) {
	names, at := strings.Join(hrefs, ", "), map[api.Loader]string{api.LoaderJS: "import", api.LoaderCSS: "@import"}[kind]
	var all strings.Builder
	for _, href := range hrefs {
		fmt.Fprintf(&all, "%s %q;\n", at, "./"+href)
	}
	result := api.Build(api.BuildOptions{
		Stdin:   &api.StdinOptions{Contents: all.String(), ResolveDir: p.web, Loader: kind},
		Bundle:  true,
		Format:  api.FormatESModule,
		Target:  api.ES2022,
		Charset: api.CharsetUTF8,
		// Names stay, so that a stack on the page can be read.
		MinifyWhitespace: true,
		MinifySyntax:     true,
		LegalComments:    api.LegalCommentsInline,
		LogLevel:         api.LogLevelSilent,
	})
	if err := failure(result.Errors); err != nil {
		return "", fmt.Errorf("bundle %s: %w", names, err)
	}
	if len(result.OutputFiles) != 1 {
		return "", fmt.Errorf("bundle %s: %d files came out, want one", names, len(result.OutputFiles))
	}
	return carriable(names, string(result.OutputFiles[0].Contents))
}

// worker is the worker's script with what it would import in front of it.
func (p *page) worker() (string, error) {
	var all strings.Builder
	for _, name := range []string{"wasm_exec.js", "worker.js"} {
		text, err := os.ReadFile(p.path(name))
		if err != nil {
			return "", adviseBuild(err)
		}
		result := api.Transform(string(text), api.TransformOptions{
			Loader: api.LoaderJS, Target: api.ES2022, Charset: api.CharsetUTF8, LogLevel: api.LogLevelSilent,
			MinifyWhitespace: true, MinifySyntax: true, LegalComments: api.LegalCommentsInline, Sourcefile: name,
		})
		if err := failure(result.Errors); err != nil {
			return "", fmt.Errorf("%s: %w", name, err)
		}
		all.Write(result.Code)
		all.WriteString("\n")
	}
	return carriable("worker.js", all.String())
}

// wasm is the program, packed and as text, and its size unpacked.
func (p *page) wasm() (text string, size int, err error) {
	packed, err := os.ReadFile(p.path("informerscope.wasm.gz"))
	if err != nil {
		return "", 0, adviseBuild(err)
	}
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return "", 0, fmt.Errorf("informerscope.wasm.gz: %w", err)
	}
	program, err := io.ReadAll(r)
	if err != nil {
		return "", 0, fmt.Errorf("informerscope.wasm.gz: %w", err)
	}
	if !bytes.HasPrefix(program, []byte("\x00asm")) {
		return "", 0, errors.New("informerscope.wasm.gz is no WebAssembly")
	}
	return base64.StdEncoding.EncodeToString(packed), len(program), nil
}

func (p *page) path(name string) string { return filepath.Join(p.web, filepath.FromSlash(name)) }

// adviseBuild says how to make what is missing.
func adviseBuild(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w; build the page first: make wasm", err)
	}
	return err
}

// carriable refuses text that would end the element that carries it.
func carriable(name, text string) (string, error) {
	low := strings.ToLower(text)
	for _, bad := range []string{"</script", "</style", "<!--", "\r"} {
		if strings.Contains(low, bad) {
			return "", fmt.Errorf("%s contains %q, which cannot stand inside HTML", name, bad)
		}
	}
	return text, nil
}

func failure(messages []api.Message) error {
	var all []error
	for _, m := range messages {
		where := ""
		if m.Location != nil {
			where = fmt.Sprintf("%s:%d: ", filepath.Base(m.Location.File), m.Location.Line)
		}
		all = append(all, errors.New(where+m.Text))
	}
	return errors.Join(all...)
}

// hash is the source expression of a Content-Security-Policy that allows text.
func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

func element(name atom.Atom, text string, attrs ...string) *html.Node {
	n := &html.Node{Type: html.ElementNode, DataAtom: name, Data: name.String()}
	for i := 0; i+1 < len(attrs); i += 2 {
		n.Attr = append(n.Attr, html.Attribute{Key: attrs[i], Val: attrs[i+1]})
	}
	if text != "" {
		n.AppendChild(&html.Node{Type: html.TextNode, Data: text})
	}
	return n
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func set(n *html.Node, name, value string) {
	for i := range n.Attr {
		if n.Attr[i].Key == name {
			n.Attr[i].Val = value
		}
	}
}
