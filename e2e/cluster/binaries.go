package cluster

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"sync"
	"time"

	"informerscope/e2e/internal/layout"
	"informerscope/e2e/internal/proc"
)

// Bin names the built programs by their absolute paths.
type Bin struct {
	KubeAPIServer string
	Kubectl       string
	Etcd          string
	// KubernetesVersion is the release they were built from, such as "v1.36.3".
	KubernetesVersion string
	// BuildTime is how long the build took, zero when it was found in the cache.
	BuildTime time.Duration
}

var programs = []string{"kube-apiserver", "kubectl", "etcd"}

var buildMu sync.Mutex

// Binaries returns the control plane's programs, building them first when the
// cache has none for the present sources and Go release. A build takes some
// minutes and reports on progress, which may be nil. The cache is the directory
// informerscope/controlplane in INFORMERSCOPE_CACHE or else the user's cache
// directory. Safe for concurrent use, also by several processes: the last of
// two simultaneous builds simply loses.
func Binaries(ctx context.Context, progress io.Writer) (Bin, error) {
	buildMu.Lock()
	defer buildMu.Unlock()
	if progress == nil {
		progress = io.Discard
	}
	e2e, err := layout.E2E()
	if err != nil {
		return Bin{}, err
	}
	src := filepath.Join(e2e, "controlplane")
	version, err := kubernetesVersion(filepath.Join(src, "go.mod"))
	if err != nil {
		return Bin{}, err
	}
	key, err := sourceHash(ctx, src)
	if err != nil {
		return Bin{}, err
	}
	cache, err := cacheDir()
	if err != nil {
		return Bin{}, err
	}
	dir := filepath.Join(cache, key)
	bin := Bin{
		KubeAPIServer:     filepath.Join(dir, "kube-apiserver"+exeSuffix()),
		Kubectl:           filepath.Join(dir, "kubectl"+exeSuffix()),
		Etcd:              filepath.Join(dir, "etcd"+exeSuffix()),
		KubernetesVersion: version,
	}
	if _, err := os.Stat(dir); err == nil {
		return bin, nil
	} else if !errors.Is(err, os.ErrNotExist) {
		return Bin{}, err
	}

	fmt.Fprintf(progress, "building etcd, kube-apiserver and kubectl %s from the Go module proxy (some minutes, once; kept in %s)\n", version, dir)
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return Bin{}, err
	}
	// Built beside its place and renamed: a directory under the final name is
	// always whole.
	tmp, err := os.MkdirTemp(cache, "building-")
	if err != nil {
		return Bin{}, err
	}
	defer os.RemoveAll(tmp)
	start := time.Now()
	for _, p := range programs {
		begin := time.Now()
		cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false",
			"-ldflags", "-s -w -X k8s.io/component-base/version.gitVersion="+version,
			"-o", filepath.Join(tmp, p+exeSuffix()), "./cmd/"+p)
		cmd.Dir = src
		cmd.Env = append(os.Environ(), "GOWORK=off", "GOOS=", "GOARCH=", "CGO_ENABLED=0")
		proc.OwnGroup(cmd)
		cmd.Cancel = func() error { return proc.KillGroup(cmd.Process) }
		out, err := cmd.CombinedOutput()
		if err != nil {
			return Bin{}, fmt.Errorf("building %s of the control plane: %w\n%s", p, err, proc.Tail(out, 40))
		}
		fmt.Fprintf(progress, "  built %s in %s\n", p, time.Since(begin).Round(time.Second))
	}
	bin.BuildTime = time.Since(start)
	if err := os.Rename(tmp, dir); err != nil {
		if _, statErr := os.Stat(dir); statErr != nil {
			return Bin{}, err
		}
	}
	return bin, nil
}

func exeSuffix() string {
	if runtime.GOOS == "windows" {
		return ".exe"
	}
	return ""
}

func cacheDir() (string, error) {
	base := os.Getenv("INFORMERSCOPE_CACHE")
	if base == "" {
		var err error
		if base, err = os.UserCacheDir(); err != nil {
			return "", fmt.Errorf("no cache directory (set INFORMERSCOPE_CACHE to one): %w", err)
		}
	}
	return filepath.Abs(filepath.Join(base, "informerscope", "controlplane"))
}

var kubernetesRequire = regexp.MustCompile(`(?m)^\s*k8s\.io/kubernetes (v\S+)`)

func kubernetesVersion(gomod string) (string, error) {
	text, err := os.ReadFile(gomod)
	if err != nil {
		return "", err
	}
	m := kubernetesRequire.FindSubmatch(text)
	if m == nil {
		return "", fmt.Errorf("%s requires no k8s.io/kubernetes", gomod)
	}
	return string(m[1]), nil
}

// sourceHash covers all that decides what a build gives: the module files, the
// main packages, and the toolchain.
func sourceHash(ctx context.Context, src string) (string, error) {
	files, err := filepath.Glob(filepath.Join(src, "cmd", "*", "*.go"))
	if err != nil {
		return "", err
	}
	files = append(files, filepath.Join(src, "go.mod"), filepath.Join(src, "go.sum"))
	slices.Sort(files)
	h := sha256.New()
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			return "", err
		}
		rel, err := filepath.Rel(src, f)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(h, "%s %d\n%s\n", filepath.ToSlash(rel), len(text), text)
	}
	version := exec.CommandContext(ctx, "go", "env", "GOVERSION", "GOHOSTOS", "GOHOSTARCH")
	version.Dir = src
	out, err := version.Output()
	if err != nil {
		return "", fmt.Errorf("asking go for its version: %w", err)
	}
	h.Write(out)
	return hex.EncodeToString(h.Sum(nil))[:24], nil
}
