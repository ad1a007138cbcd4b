// Command dist makes what people without Go get: the server with the page inside and, with -sim, informerscope-sim. For each of them and
// each platform it writes an archive and a list of what is linked into it (a CycloneDX SBOM). It adds a file of SHA-256 checksums and, if it gets the
// archives' address, a manifest for krew, kubectl's plugin manager, which has the server alone. The same sources, the same version and the same Go
// release give the same bytes on every machine and at every time. No times, owners, paths or orders of the building machine go in.
package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"text/template"
	"time"
)

const (
	// checksums is the file beside the archives, as `sha256sum --check` reads it.
	checksums = "SHA256SUMS"
	// krewTemplate is where the text of krew's manifest lies, in the sources, and krewManifest its name once it is filled in: krew wants the plugin's.
	krewTemplate = "deploy/krew/informerscope.yaml.tmpl"
	krewManifest = "informerscope.yaml"
)

//go:embed README.txt.tmpl
var readmeTemplate string

// options are what the command line says.
type options struct {
	gotool    string // the go command
	root      string // of the sources, with the page built in them
	out       string
	version   string // empty: ask git
	url       string // where the archives will lie, empty if unknown
	platforms string // empty: all
	sim       bool   // whether sim has archives too
}

// product is a program that has archives of its own. Its package lies in the directory dir of the sources, and dir names it in lists of parts.
type product struct{ name, dir string }

var (
	server = product{"informerscope", "server"} // with the page inside
	sim    = product{"informerscope-sim", "sim"}
)

// platform is a system and a processor, by Go's names, which are krew's too.
type platform struct{ os, arch string }

// platforms are those that archives are made for.
var platforms = []platform{{"darwin", "amd64"}, {"darwin", "arm64"}, {"linux", "amd64"}, {"linux", "arm64"}, {"windows", "amd64"}, {"windows", "arm64"}}

func (p platform) String() string { return p.os + "/" + p.arch }

// exe is what a program's name ends in.
func (p platform) exe() string {
	if p.os == "windows" {
		return ".exe"
	}
	return ""
}

// suffix is what an archive's name ends in: what the system can open by itself.
func (p platform) suffix() string {
	if p.os == "windows" {
		return ".zip"
	}
	return ".tar.gz"
}

// parsePlatforms reads a list separated by commas or spaces. An empty one means all.
func parsePlatforms(list string) ([]platform, error) {
	var out []platform
	for _, name := range strings.Fields(strings.ReplaceAll(list, ",", " ")) {
		i := slices.IndexFunc(platforms, func(p platform) bool { return p.String() == name })
		if i < 0 {
			return nil, fmt.Errorf("%q is no platform that archives are made for; they are %v", name, platforms)
		}
		out = append(out, platforms[i])
	}
	if out == nil {
		return platforms, nil
	}
	return out, nil
}

func main() {
	o := options{root: "."}
	flag.StringVar(&o.gotool, "go", "go", "the go `command`")
	flag.StringVar(&o.out, "o", filepath.Join("bin", "dist"), "the `directory` to write to")
	flag.StringVar(&o.version, "version", "", "the `version`, such as v1.2.3 (default: what git says)")
	flag.StringVar(&o.url, "url", "", "the https `address` under which the archives will lie, for krew's manifest")
	flag.StringVar(&o.platforms, "platforms", "", "`list` of platforms, such as linux/amd64,windows/arm64 (default: all)")
	flag.BoolVar(&o.sim, "sim", false, "archives of informerscope-sim too, for Linux and macOS: ten minutes for each platform")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	err := run(ctx, o, os.Stdout)
	if flag.NArg() > 0 {
		err = fmt.Errorf("unexpected argument %q", flag.Arg(0))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "dist:", err)
		os.Exit(1)
	}
}

// run makes the archives and what goes with them, and says what it made.
func run(ctx context.Context, o options, stdout io.Writer) error {
	for _, name := range []string{"informerscope.wasm.gz", "informerscope.wasm.br", "bundle/index.html.gz"} {
		if _, err := os.Stat(filepath.Join(o.root, "web", name)); errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("web/%s is missing; build the page first: make packed", name)
		} else if err != nil {
			return err
		}
	}
	platforms, err := parsePlatforms(o.platforms)
	if err != nil {
		return err
	}
	source, err := identify(ctx, o.root, o.version, os.Getenv("SOURCE_DATE_EPOCH"))
	if err != nil {
		return err
	}
	if err := os.MkdirAll(o.out, 0o755); err != nil {
		return err
	}
	var sums strings.Builder
	var forKrew []map[string]string
	for _, what := range []product{server, sim} {
		for _, p := range platforms {
			if what == sim && (!o.sim || p.os == "windows") { // it was never tried on Windows
				fmt.Fprintf(stdout, "%s for %s is left out\n", what.name, p)
				continue
			}
			began := time.Now()
			base := fmt.Sprintf("%s_%s_%s_%s", what.name, source.version, p.os, p.arch)
			packed, parts, err := pack(ctx, o, source, what, p, base)
			if err != nil {
				return fmt.Errorf("%s for %s: %w", what.name, p, err)
			}
			for _, f := range []file{{name: base + p.suffix(), data: packed}, {name: base + ".cdx.json", data: parts}} { // CycloneDX asks for this name
				if err := os.WriteFile(filepath.Join(o.out, f.name), f.data, 0o644); err != nil {
					return err
				}
				fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(f.data), f.name)
			}
			if what == server {
				forKrew = append(forKrew, map[string]string{"OS": p.os, "Arch": p.arch, "SHA256": fmt.Sprintf("%x", sha256.Sum256(packed)),
					"Bin": "kubectl-informerscope" + p.exe(), "URI": strings.TrimSuffix(o.url, "/") + "/" + base + p.suffix()})
			}
			fmt.Fprintf(stdout, "%s: %.1f MB, in %s\n", filepath.Join(o.out, base+p.suffix()), float64(len(packed))/1e6, time.Since(began).Round(time.Second/10))
		}
	}
	if err := os.WriteFile(filepath.Join(o.out, checksums), []byte(sums.String()), 0o644); err != nil {
		return err
	}
	if o.url == "" {
		_, err := fmt.Fprintln(stdout, "no manifest for krew: it needs the archives' address, DIST_URL")
		return err
	}
	if u, err := url.Parse(o.url); err != nil || u.Scheme != "https" || u.Host == "" {
		return fmt.Errorf("%q is not an address for archives; write for example https://example.com/informerscope/v1.2.3", o.url)
	}
	text, err := os.ReadFile(filepath.Join(o.root, filepath.FromSlash(krewTemplate)))
	if err != nil {
		return err
	}
	manifest, err := fill(string(text), map[string]any{"Version": source.version, "Platforms": forKrew})
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(o.out, krewManifest), manifest, 0o644)
}

// fill fills in a template.
func fill(text string, data map[string]any) ([]byte, error) {
	t, err := template.New("").Option("missingkey=error").Parse(text)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = t.Execute(&out, data)
	return out.Bytes(), err
}

// pack builds a program for one platform. It returns its archive, whose directory is base, and the list of its parts.
func pack(ctx context.Context, o options, source identity, what product, p platform, base string) (packed, parts []byte, err error) {
	program, err := build(ctx, o, source, what, p)
	if err != nil {
		return nil, nil, err
	}
	modules, err := linked(ctx, o, what, p)
	if err != nil {
		return nil, nil, err
	}
	notices, err := licences(modules)
	if err != nil {
		return nil, nil, err
	}
	licence, err := os.ReadFile(filepath.Join(o.root, "LICENSE"))
	if err != nil {
		return nil, nil, err
	}
	// Everything lies in one directory, so that unpacking puts nothing else into the one where somebody stands.
	files := []file{
		{base + "/LICENSE", licence, false},
		{base + "/LICENSES-OF-OTHERS.txt", notices, false},
		{base + "/" + what.name + p.exe(), program, true},
	}
	if what == server {
		readme, err := fill(readmeTemplate, map[string]any{"Version": source.version, "Platform": p.String(), "Windows": p.os == "windows"})
		if err != nil {
			return nil, nil, err
		}
		files = slices.Insert(files, 2, file{base + "/README.txt", readme, false})
		// A copy. A hard link would halve the archive, but krew refuses every entry that is not a plain file or a directory,
		// and Windows' own unpacker knows no links.
		files = append(files, file{base + "/kubectl-informerscope" + p.exe(), program, true})
	}
	write := writeTarGz
	if p.os == "windows" {
		write = writeZip
	}
	var out bytes.Buffer
	if err := write(&out, source.time, files); err != nil {
		return nil, nil, err
	}
	parts, err = sbom(source, what, p, program, modules)
	return out.Bytes(), parts, err
}
