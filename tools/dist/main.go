package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// checksums is the file beside the archives, as `sha256sum --check` reads it.
const checksums = "SHA256SUMS"

// options are what the command line says.
type options struct {
	gotool    string // the go command
	root      string // of the sources
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

func main() {
	var o options
	flag.StringVar(&o.gotool, "go", "go", "the go `command`")
	flag.StringVar(&o.root, "root", ".", "the `directory` of the sources, with the page built in it")
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
	for _, name := range []string{"informerscope.wasm.gz", "wasm_exec.js"} {
		if _, err := os.Stat(filepath.Join(o.root, "web", name)); errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("web/%s is missing; build the page first: make wasm", name)
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
	var archives []archive
	for _, what := range []product{server, sim} {
		for _, p := range platforms {
			if what == sim && (!o.sim || p.os == "windows") { // it was never tried on Windows
				fmt.Fprintf(stdout, "%s for %s is left out\n", what.name, p)
				continue
			}
			began := time.Now()
			a, err := pack(ctx, o, source, what, p)
			if err != nil {
				return fmt.Errorf("%s for %s: %w", what.name, p, err)
			}
			if what == server { // krew has no other
				archives = append(archives, a)
			}
			fmt.Fprintf(&sums, "%s  %s\n%s  %s\n", a.sum, a.name, a.partsSum, a.partsName)
			fmt.Fprintf(stdout, "%s: %.1f MB, in %s\n", filepath.Join(o.out, a.name), float64(a.size)/1e6, time.Since(began).Round(time.Second/10))
		}
	}
	if err := os.WriteFile(filepath.Join(o.out, checksums), []byte(sums.String()), 0o644); err != nil {
		return err
	}
	template, err := os.ReadFile(filepath.Join(o.root, filepath.FromSlash(krewTemplate)))
	if err != nil {
		return err
	}
	manifest, err := krew(string(template), source.version, o.url, archives)
	if err != nil {
		return err
	}
	name := filepath.Join(o.out, krewManifest)
	if err := os.WriteFile(name, manifest, 0o644); err != nil {
		return err
	}
	if o.url == "" {
		fmt.Fprintf(stdout, "%s: no address was given (DIST_URL), so it serves for installing from a local archive only\n", name)
	}
	return nil
}

// archive is one that was made.
type archive struct {
	platform platform
	name     string // of the file
	sum      string // SHA-256, in hexadecimal
	size     int
	// partsName and partsSum are of the list of what is linked into its program.
	partsName, partsSum string
}

// pack builds a program for one platform and writes its archive into the directory of the options.
func pack(ctx context.Context, o options, source identity, what product, p platform) (archive, error) {
	program, err := build(ctx, o, source, what, p)
	if err != nil {
		return archive{}, err
	}
	licence, err := os.ReadFile(filepath.Join(o.root, "LICENSE"))
	if err != nil {
		return archive{}, err
	}
	notices, err := licences(ctx, o, what, p)
	if err != nil {
		return archive{}, err
	}
	readme, err := readme(source.version, p)
	if err != nil {
		return archive{}, err
	}
	// Everything lies in one directory, so that unpacking puts nothing else into the one where somebody stands.
	base := fmt.Sprintf("%s_%s_%s_%s", what.name, source.version, p.os, p.arch)
	files := []file{
		{base + "/LICENSE", licence, false},
		{base + "/LICENSES-OF-OTHERS.txt", notices, false},
		{base + "/" + what.name + p.exe(), program, true},
	}
	if what == server {
		files = slices.Insert(files, 2, file{base + "/README.txt", readme, false})
		// A copy. A hard link would halve the archive, but krew refuses every entry that is not a plain file or a directory,
		// and Windows' own unpacker knows no links.
		files = append(files, file{base + "/kubectl-informerscope" + p.exe(), program, true})
	}
	var packed bytes.Buffer
	a := archive{platform: p, name: base + p.suffix()}
	if p.os == "windows" {
		err = writeZip(&packed, source.time, files)
	} else {
		err = writeTarGz(&packed, source.time, files)
	}
	if err != nil {
		return archive{}, err
	}
	parts, err := sbom(ctx, o, source, what, p, program)
	if err != nil {
		return archive{}, err
	}
	a.partsName, a.partsSum = base+sbomSuffix, sumText(parts)
	if err := os.WriteFile(filepath.Join(o.out, a.partsName), parts, 0o644); err != nil {
		return archive{}, err
	}
	a.sum, a.size = sumText(packed.Bytes()), packed.Len()
	return a, os.WriteFile(filepath.Join(o.out, a.name), packed.Bytes(), 0o644)
}

// sumText is the SHA-256 of data, in hexadecimal.
func sumText(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
