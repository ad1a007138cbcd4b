package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// sbomSuffix ends the name of an archive's list of parts, as CycloneDX asks for.
const sbomSuffix = ".cdx.json"

// The parts of a CycloneDX document that are used here. https://cyclonedx.org/docs/1.6/json
type (
	cycloneDX struct {
		Schema       string       `json:"$schema"`
		Format       string       `json:"bomFormat"`
		SpecVersion  string       `json:"specVersion"`
		Version      int          `json:"version"`
		Metadata     metadata     `json:"metadata"`
		Components   []component  `json:"components"`
		Dependencies []dependency `json:"dependencies"`
	}
	metadata struct {
		Timestamp  string     `json:"timestamp"`
		Component  component  `json:"component"`
		Properties []property `json:"properties"`
	}
	component struct {
		Ref        string     `json:"bom-ref"`
		Type       string     `json:"type"`
		Name       string     `json:"name"`
		Version    string     `json:"version"`
		Hashes     []hash     `json:"hashes,omitempty"`
		PURL       string     `json:"purl,omitempty"`
		Properties []property `json:"properties,omitempty"`
	}
	hash struct {
		Algorithm string `json:"alg"`
		Content   string `json:"content"`
	}
	property struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	}
	dependency struct {
		Ref       string   `json:"ref"`
		DependsOn []string `json:"dependsOn"`
	}
)

// part is a module of others that is linked in.
type part struct {
	path, version string
	sum           string // as go.sum has it
	into          []string
}

// sbom is the list of what is linked into a program and into the page inside the server, in the CycloneDX format. What is in the program, the program
// itself says; the page's program does not, so the go command is asked. The same program gives the same bytes.
func sbom(ctx context.Context, o options, source identity, what product, p platform, program []byte) ([]byte, error) {
	info, err := buildinfo.Read(bytes.NewReader(program))
	if err != nil {
		return nil, fmt.Errorf("what the program is made of: %w", err)
	}
	parts := map[string]*part{}
	add := func(path, version, sum, into string) {
		key := path + "@" + version
		if parts[key] == nil {
			parts[key] = &part{path: path, version: version, sum: sum}
		}
		if !slices.Contains(parts[key].into, into) {
			parts[key].into = append(parts[key].into, into)
		}
	}
	for _, dep := range info.Deps {
		if dep.Replace != nil {
			dep = dep.Replace
		}
		if !isOurs(dep.Path) {
			add(dep.Path, dep.Version, dep.Sum, what.dir)
		}
	}
	sums, err := os.ReadFile(filepath.Join(o.root, "go.sum"))
	if err != nil {
		return nil, err
	}
	var listed []byte
	if what == server {
		if listed, err = goCommand(ctx, o.gotool, o.root, platform{"js", "wasm"}, "list", "-deps", "-json=Module", "./wasm"); err != nil {
			return nil, err
		}
	}
	for d := json.NewDecoder(bytes.NewReader(listed)); ; {
		var pkg struct {
			Module *struct {
				Path, Version string
				Main          bool
			}
		}
		if err := d.Decode(&pkg); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		if m := pkg.Module; m != nil && !m.Main {
			add(m.Path, m.Version, sumOf(string(sums), m.Path, m.Version), "page")
		}
	}
	// The page's program is built with the same toolchain (make wasm).
	goVersion, _, _ := strings.Cut(strings.TrimPrefix(info.GoVersion, "go"), " ")
	add("stdlib", "v"+goVersion, "", what.dir)
	if what == server {
		add("stdlib", "v"+goVersion, "", "page")
	}

	sum := sha256.Sum256(program)
	root := component{Ref: what.name, Type: "application", Name: what.name, Version: source.version,
		Hashes: []hash{{"SHA-256", hex.EncodeToString(sum[:])}}}
	doc := cycloneDX{
		Schema: "http://cyclonedx.org/schema/bom-1.6.schema.json", Format: "CycloneDX", SpecVersion: "1.6", Version: 1,
		Metadata: metadata{Timestamp: source.time.UTC().Format(time.RFC3339), Component: root,
			Properties: []property{{"informerscope:platform", p.String()}, {"informerscope:commit", source.commit}, {"informerscope:toolchain", info.GoVersion}}},
		Dependencies: []dependency{{Ref: root.Ref}},
	}
	for _, part := range parts {
		c := component{Type: "library", Name: part.path, Version: part.version, PURL: purl(part.path, part.version)}
		c.Ref = c.PURL
		for _, into := range part.into {
			c.Properties = append(c.Properties, property{"informerscope:linked-into", into})
		}
		if part.sum != "" { // a hash of the module's files, which CycloneDX has no name for
			c.Properties = append(c.Properties, property{"go:sum", part.sum})
		}
		doc.Components = append(doc.Components, c)
	}
	slices.SortFunc(doc.Components, func(a, b component) int { return strings.Compare(a.Ref, b.Ref) })
	for _, c := range doc.Components {
		doc.Dependencies[0].DependsOn = append(doc.Dependencies[0].DependsOn, c.Ref)
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(doc); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// sumOf is a module's line in go.sum.
func sumOf(sums, path, version string) string {
	for line := range strings.Lines(sums) {
		if sum, ok := strings.CutPrefix(line, path+" "+version+" "); ok {
			return strings.TrimSpace(sum)
		}
	}
	return ""
}

// purl is a module's package URL. https://github.com/package-url/purl-spec
func purl(path, version string) string {
	escape := func(s string) string { return strings.ReplaceAll(url.PathEscape(s), "+", "%2B") }
	elements := strings.Split(strings.ToLower(path), "/")
	for i, element := range elements {
		elements[i] = escape(element)
	}
	return "pkg:golang/" + strings.Join(elements, "/") + "@" + escape(version)
}
