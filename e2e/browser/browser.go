package browser

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"informerscope/e2e/internal/layout"
)

// closeTimeout bounds how long a browser may take to end by itself.
const closeTimeout = 10 * time.Second

// Options of a browser. The zero value is good.
type Options struct {
	// ArtifactDir keeps screenshots. Default: the artifacts of a run named "browser".
	ArtifactDir string
	// Flags are further command line flags, by name without dashes.
	Flags map[string]any
}

// Browser is a running Chromium. Its pages may be used side by side.
type Browser struct {
	ctx       context.Context // carries the browser and its first, unused, tab
	cancel    context.CancelFunc
	profile   string
	artifacts string
	close     sync.Once
}

// Start starts a browser that ends when ctx does, or by Close.
func Start(ctx context.Context, opts Options) (*Browser, error) {
	path, err := Find()
	if err != nil {
		return nil, err
	}
	if opts.ArtifactDir == "" {
		if opts.ArtifactDir, err = layout.Artifacts("browser"); err != nil {
			return nil, err
		}
	}
	profile, err := os.MkdirTemp("", "informerscope-chromium-")
	if err != nil {
		return nil, err
	}
	flags := append(chromedp.DefaultExecAllocatorOptions[:len(chromedp.DefaultExecAllocatorOptions):len(chromedp.DefaultExecAllocatorOptions)],
		chromedp.ExecPath(path),
		chromedp.UserDataDir(profile),
		chromedp.NoSandbox,
		chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true),
		chromedp.Flag("disable-component-update", true),
		chromedp.Flag("lang", "en-US"),
		// A page is measured and shown as on a screen of this size.
		chromedp.WindowSize(1280, 720),
	)
	for name, value := range opts.Flags {
		flags = append(flags, chromedp.Flag(name, value))
	}
	alloc, cancelAlloc := chromedp.NewExecAllocator(ctx, flags...)
	bctx, cancelBrowser := chromedp.NewContext(alloc)
	b := &Browser{
		ctx: bctx, profile: profile, artifacts: opts.ArtifactDir,
		cancel: func() { cancelBrowser(); cancelAlloc() },
	}
	if err := chromedp.Do(bctx); err != nil {
		b.Close()
		return nil, fmt.Errorf("starting %s: %w", path, err)
	}
	return b, nil
}

// process is the browser that the tests of a package share.
var process struct {
	mu sync.Mutex
	b  *Browser
}

// Main runs a package's tests, and ends the browser that they shared. A package with [StartForTest] has it as its TestMain.
func Main(m *testing.M) {
	code := m.Run()
	if process.b != nil {
		process.b.Close()
	}
	os.Exit(code)
}

// StartForTest gives a test a fresh browser: a profile and a window of its own in the one process that all tests of a package share.
// Screenshots go to the test's artifacts, and the profile is closed by t.Cleanup. A process that has ended is started again.
func StartForTest(t testing.TB) *Browser {
	t.Helper()
	dir, err := layout.Artifacts(t.Name())
	if err != nil {
		t.Fatal(err)
	}
	process.mu.Lock()
	defer process.mu.Unlock()
	if process.b == nil || process.b.ctx.Err() != nil {
		// A test's page lives for seconds: a better compilation of its program would take longer than it saves.
		if process.b, err = Start(context.Background(), Options{Flags: map[string]any{"js-flags": "--liftoff-only"}}); err != nil {
			t.Fatal(err)
		}
	}
	b := &Browser{artifacts: dir}
	b.ctx, b.cancel = chromedp.NewContext(process.b.ctx, chromedp.WithNewBrowserContext())
	t.Cleanup(b.Close)
	if err := chromedp.Do(b.ctx); err != nil {
		t.Fatalf("opening a profile: %v", err)
	}
	return b
}

// Close ends the browser with all its pages and removes its profile. It is
// safe to call again.
func (b *Browser) Close() {
	b.close.Do(func() {
		ctx, cancel := context.WithTimeout(b.ctx, closeTimeout)
		_ = chromedp.Cancel(ctx)
		cancel()
		b.cancel()
		if b.profile == "" {
			return // the process is another's
		}
		// A child of the browser may write a last file while it ends.
		for range 20 {
			if os.RemoveAll(b.profile) == nil {
				break
			}
			time.Sleep(50 * time.Millisecond)
		}
	})
}

// write keeps data in the artifacts under name.
func (b *Browser) write(name string, data []byte) (string, error) {
	path := filepath.Join(b.artifacts, name)
	return path, errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, data, 0o644))
}
