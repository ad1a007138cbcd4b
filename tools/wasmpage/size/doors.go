package size

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"informerscope/tools/wasmpage/toolchain"
)

// Apimachinery is a module that is built from a copy in which doors are shut, as klog, gjson and logr are.
const (
	Apimachinery = "k8s.io/apimachinery"
	klog         = "k8s.io/klog/v2"
	gjson        = "github.com/tidwall/gjson"
	logr         = "github.com/go-logr/logr"
)

// copiedModules are the modules that are built from copies, each with one of its packages.
var copiedModules = map[string]string{Apimachinery: Apimachinery + "/pkg/runtime", klog: klog, gjson: gjson, logr: logr}

// net/http links crypto/tls, a resolver and the tables of Unicode with everything below them. apimachinery links CBOR, json-iterator and
// YAML. Together they are a good part of what a page would have to load. But a page never speaks TLS or looks up a name itself; its browser
// does. It speaks HTTP/2 alone, reads JSON into types of its own, and writes no log. In the build such functions, the doors, return an
// error, or panic if they return none. What only they could reach panics instead of what it would do, so that the linker drops that.

// doors are the functions, by package, through which a page does not go; methods
// as Type.Method. They return an error if they can, and panic otherwise.
var doors = map[string][]string{
	"crypto/tls":                   {"Conn.clientHandshake", "Conn.serverHandshake", "Conn.Read", "Conn.Write", "Conn.CloseWrite", "Conn.HandshakeContext"},
	"crypto/hpke":                  {},
	"crypto/x509":                  {"OID.String", "OID.unmarshalOIDText"},
	"crypto/x509/pkix":             {"RDNSequence.String"},
	"vendor/golang.org/x/net/idna": {"Profile.process"},
	"net":                          {"Dialer.DialContext", "Dialer.DialTCP", "Dialer.DialUDP", "Dialer.DialIP", "Dialer.DialUnix"},
	"net/http": {
		"ServeMux.ServeHTTP",
		"socksDialer.DialWithConn", "Request.write", "Request.multipartReader", "ReadResponse",
		"conn.readRequest", "chunkWriter.writeHeader", "persistConn.roundTrip", "persistConn.readLoop", "persistConn.writeLoop",
	},
	"regexp/syntax": {"unicodeTable"},
	"math/big":      {"nat.itoa", "nat.scan", "Int.Format"},

	Apimachinery + "/pkg/runtime/serializer/cbor/direct": {"Marshal", "Unmarshal", "Diagnose"},
	Apimachinery + "/pkg/runtime":                        {"unstructuredConverter.FromUnstructuredWithValidation", "unstructuredConverter.ToUnstructured"},
	Apimachinery + "/pkg/apis/meta/v1":                   {"RegisterConversions"},
	Apimachinery + "/pkg/util/net":                       {},

	klog: {"loggingT.output", "loggingT.printS", "slogOutput"},
	logr: {"FromContext"},
}

// idleFunctions are initialisers of packages, by package, that only prepare what a page never does, and are left out. They prepare types in a scheme
// that decodes nothing; hashes, a curve and a test of itself for TLS; flags that are never set; and ways of gjson to change its results.
var idleFunctions = map[string][]string{
	"crypto/internal/fips140/aes":      {"init"},
	"crypto/internal/fips140/aes/gcm":  {"init"},
	"crypto/internal/fips140/check":    {"init"},
	"crypto/internal/fips140/drbg":     {"init"},
	"crypto/internal/fips140/ecdh":     {"fipsSelfTest"},
	"crypto/internal/fips140/hkdf":     {"init"},
	"crypto/internal/fips140/hmac":     {"init"},
	"crypto/internal/fips140/nistec":   {"init"}, // which takes a table of 88 KB
	"crypto/internal/fips140/sha256":   {"init"},
	"crypto/internal/fips140/tls13":    {"init"},
	"crypto/md5":                       {"init"},
	"crypto/sha1":                      {"init"},
	"crypto/sha256":                    {"init"},
	"crypto/sha3":                      {"init"},
	"crypto/sha512":                    {"init"},
	Apimachinery + "/pkg/apis/meta/v1": {"init"},
	gjson:                              {"init"},
	klog:                               {"init"},
}

// farPackages are the packages that only those doors lead to. A function of a
// package with a door that uses one of them cannot be reached but through it,
// and no variable needs a value from there.
var farPackages = map[string]bool{
	"crypto/hpke": true, "crypto/ecdh": true, "crypto/mlkem": true, "crypto/ecdsa": true, "crypto/ed25519": true,
	"crypto/rsa": true, "crypto/dsa": true, "crypto/elliptic": true, "crypto/fips140": true,
	"golang.org/x/text/secure/bidirule": true, "golang.org/x/text/unicode/bidi": true, "golang.org/x/text/unicode/norm": true,
	"crypto/internal/fips140/mlkem": true, "crypto/internal/fips140/tls13": true, "crypto/internal/fips140/tls12": true,

	Apimachinery + "/pkg/runtime/serializer/cbor/internal/modes": true, "sigs.k8s.io/structured-merge-diff/v6/value": true,
	Apimachinery + "/pkg/api/resource": true, "golang.org/x/net/http2": true,
	"go/ast": true, "go/doc": true, "go/parser": true,
}

// strippedPackages are the packages with doors in which a function that takes or
// returns something of a package beyond is left out whole, so that its package
// need not even be initialised.
var strippedPackages = map[string]bool{"crypto/x509": true, Apimachinery + "/pkg/runtime": true, Apimachinery + "/pkg/apis/meta/v1": true}

// What a door says is refusal. What is beyond says Hidden, and a build in which a function that would say it is linked into the
// page is not taken.
const (
	refusal = "left out of the page, which never does this"
	Hidden  = "behind a door that is shut in the page"
)

// Prepare writes into dir the sources in which the doors are shut. These are files of the toolchain for the overlay, which it adds to
// replace. They are also copies of modules, with a go.mod that replaces them, because the go command lets no overlay replace files of the
// module cache.
func Prepare(tc *toolchain.Toolchain, dir string, replace map[string]string) error {
	root, err := tc.List("-m", "-f", "{{.Dir}}")
	if err != nil {
		return err
	}
	origins, copies := map[string]string{}, map[string]string{}
	for _, module := range slices.Sorted(maps.Keys(copiedModules)) {
		if origins[module], err = originDir(tc, copiedModules[module]); err != nil {
			return err
		}
		copies[module] = filepath.Join(dir, "module", filepath.FromSlash(module))
		if err := copyModule(copies[module], origins[module]); err != nil {
			return err
		}
	}
	if err := writeModfile(dir, root[0], copies); err != nil {
		return err
	}
	all := maps.Clone(doors)
	for pkg := range idleFunctions {
		all[pkg] = doors[pkg]
	}
	pkgs := slices.Sorted(maps.Keys(all))
	// The go command's own word on which files make a package, for js/wasm, for which the page is built.
	lists, err := tc.List(append([]string{"-f", "{{.ImportPath}}\t{{.Dir}}{{range .GoFiles}}\t{{.}}{{end}}"}, pkgs...)...)
	if err != nil {
		return err
	}
	for _, line := range lists {
		words := strings.Split(line, "\t")
		pkg, from, bases := words[0], words[1], words[2:]
		found, left := 0, 0
		for _, base := range bases {
			file := filepath.Join(from, base)
			text, n, gone, err := silence(file, doors[pkg], idleFunctions[pkg], strippedPackages[pkg], found == 0)
			if err != nil {
				return err
			}
			if text == nil {
				continue
			}
			found, left = found+n, left+gone
			out := filepath.Join(dir, strings.ReplaceAll(pkg, "/", "_")+"_"+base)
			ours := false
			for module, origin := range origins {
				if in, err := filepath.Rel(origin, file); err == nil && filepath.IsLocal(in) {
					out, ours = filepath.Join(copies[module], in), true
				}
			}
			if !ours {
				replace[file] = out
			}
			if err := os.WriteFile(out, text, 0o644); err != nil {
				return err
			}
		}
		if found != len(doors[pkg]) {
			return fmt.Errorf("found %d of the %d doors of %s in %s; it is built otherwise than expected", found, len(doors[pkg]), pkg, from)
		}
		if left < len(idleFunctions[pkg]) {
			return fmt.Errorf("found %d of the %d idle initialisers of %s in %s; it is built otherwise than expected", left, len(idleFunctions[pkg]), pkg, from)
		}
	}
	return nil
}
