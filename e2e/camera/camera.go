package camera

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"informerscope/e2e/browser"
	"informerscope/e2e/internal/layout"
	"informerscope/web"
)

//go:embed clock.js
var clock string

// Camera is a browser and the page's files, served to it.
type Camera struct {
	b   *browser.Browser
	srv *http.Server
	url string
}

// Fonts says what is missing to give pictures the same fonts wherever they are made.
func Fonts() error {
	for _, file := range fonts {
		if _, err := os.Stat(file); err != nil {
			return fmt.Errorf("%s is missing, and pictures made here would have other fonts: run e2e/install-pictures.sh", file)
		}
	}
	return nil
}

// fonts are in the directories that fonts.conf names.
var fonts = []string{
	"/usr/share/fonts/truetype/liberation/LiberationSans-Regular.ttf", "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf",
	"/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc",
}

// Start starts a browser, with the fonts of all pictures where they are installed. The caller must Close it.
func Start(ctx context.Context) (*Camera, error) {
	dir, err := layout.E2E()
	if err != nil {
		return nil, err
	}
	if Fonts() == nil {
		if err := os.Setenv("FONTCONFIG_FILE", filepath.Join(dir, "camera", "fonts.conf")); err != nil {
			return nil, err
		}
	}
	c := &Camera{}
	if err := c.serve(web.Modules(web.Directory())); err != nil {
		return nil, err
	}
	c.b, err = browser.Start(ctx, browser.Options{Flags: map[string]any{
		"font-render-hinting": "none", "disable-lcd-text": true, "force-color-profile": "srgb", "hide-scrollbars": true,
		"disable-partial-raster": true, "disable-skia-runtime-opts": true, "run-all-compositor-stages-before-draw": true,
		"disable-threaded-animation": true, "disable-checker-imaging": true, "disable-accelerated-2d-canvas": true,
	}})
	if err != nil {
		c.srv.Close()
		return nil, err
	}
	return c, nil
}

// Close ends the browser.
func (c *Camera) Close() {
	c.b.Close()
	c.srv.Close()
}

// noRelayMark is the page's mark that there is no relay, as tools/site sets it: answers over the network come at no fixed moment.
const noRelayMark = `<meta name="informerscope-relay" content="none">`

// serve serves the page as the server does, with the clock in front of the worker's script.
func (c *Camera) serve(page fs.FS) error {
	if _, err := fs.Stat(page, "informerscope.wasm"); err != nil {
		return errors.New("web/informerscope.wasm is missing; build the page first: make wasm")
	}
	worker, err := fs.ReadFile(page, "worker.js")
	if err != nil {
		return err
	}
	index, err := fs.ReadFile(page, "index.html")
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.Handle("/", http.FileServerFS(page))
	mux.HandleFunc("/{$}", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write(bytes.Replace(index, []byte("<head>"), []byte("<head>"+noRelayMark), 1))
	})
	mux.HandleFunc("/worker.js", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/javascript")
		fmt.Fprintf(w, "%s\n%s", clock, worker)
	})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	c.url = "http://" + l.Addr().String() + "/"
	c.srv = &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", web.Policy)
		mux.ServeHTTP(w, r)
	})}
	go func() { _ = c.srv.Serve(l) }() // until it is closed
	return nil
}

// Scene is a page whose time stands still unless Step or Until moves it.
type Scene struct{ *browser.Page }

// Open opens a scene: the page at an address, in a window of a size in CSS pixels, with so many pixels of the picture for each. It returns when
// what the address says has begun.
func (c *Camera) Open(ctx context.Context, fragment string, width, height int64, scale float64) (*Scene, error) {
	p, err := c.b.Open(ctx, "about:blank", width, height)
	if err != nil {
		return nil, err
	}
	s := &Scene{p}
	if err := s.begin(ctx, c.url+"#"+fragment, width, height, scale); err != nil {
		err = fmt.Errorf("opening %s: %w %v", fragment, err, p.Problems())
		p.Close()
		return nil, err
	}
	return s, nil
}

func (s *Scene) begin(ctx context.Context, url string, width, height int64, scale float64) error {
	if err := s.Scale(ctx, width, height, scale); err != nil {
		return err
	}
	if err := s.OnNewDocument(ctx, clock); err != nil {
		return err
	}
	if err := s.Navigate(ctx, url); err != nil {
		return err
	}
	// The program is loaded in real time, in which nothing happens yet.
	for loaded := false; !loaded; {
		if err := ctx.Err(); err != nil {
			return err
		}
		var err error
		if loaded, err = browser.Eval[bool](ctx, s.Page, "__clock.ready"); err != nil {
			return err
		}
	}
	if err := s.do(ctx, "informerscope.ready.then(() => { __clock.begun = true; })"); err != nil {
		return err
	}
	return s.WaitUntil(ctx, "__clock.begun", time.Minute)
}

// do evaluates an expression and does not wait for what it promises.
func (s *Scene) do(ctx context.Context, expression string) error {
	_, err := browser.Eval[bool](ctx, s.Page, fmt.Sprintf("(() => { %s; return true; })()", expression))
	return err
}

// Do evaluates an expression, as informerscope.pause(), and lets time pass until what it promises has come.
func (s *Scene) Do(ctx context.Context, expression string) error {
	if err := s.do(ctx, fmt.Sprintf("__clock.did = ''; Promise.resolve(%s).then(() => { __clock.did = 'well'; }, (e) => { __clock.did = String(e); })",
		expression)); err != nil {
		return err
	}
	if err := s.WaitUntil(ctx, "__clock.did", time.Minute); err != nil {
		return err
	}
	if did, err := browser.Eval[string](ctx, s.Page, "__clock.did"); err != nil || did != "well" {
		return fmt.Errorf("%s: %w", expression, errors.Join(err, errors.New(did)))
	}
	return nil
}

// Step lets time pass, in animation frames of a sixtieth of a second, and returns what an expression comes to then.
func Step[T any](ctx context.Context, s *Scene, frames int, expression string) (T, error) {
	return browser.Eval[T](ctx, s.Page,
		fmt.Sprintf("(async () => { for (let i = 0; i < %d; i++) await __clock.step(1000 / 60); return (%s); })()", frames, expression))
}

// Pass lets time pass: whole animation frames, and a shorter one for the rest.
func (s *Scene) Pass(ctx context.Context, d time.Duration) error {
	frames := d * 60 / time.Second
	rest := d - frames*time.Second/60
	last := "true"
	if rest >= time.Microsecond {
		last = fmt.Sprintf("__clock.step(%g).then(() => true)", float64(rest)/float64(time.Millisecond))
	}
	_, err := Step[bool](ctx, s, int(frames), last)
	return err
}

// WaitUntil lets time pass until an expression holds, for at most so long on the page's clock.
func (s *Scene) WaitUntil(ctx context.Context, expression string, most time.Duration) error {
	held, err := browser.Eval[bool](ctx, s.Page, fmt.Sprintf("__clock.until(async () => (%s), %d)", expression, most.Milliseconds()))
	if err == nil && !held {
		err = fmt.Errorf("%s does not hold within %s", strings.TrimSpace(expression), most)
	}
	return err
}
