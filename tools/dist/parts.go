package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// module is one of others that is linked in, as the go command lists it.
type module struct {
	Path, Version, Sum, Dir string
	Main                    bool
	Replace                 *struct{ Path string }
	into                    []string // what it is linked into: a program's directory, and "page" for the page inside the server
}

// linked lists the modules of others in a program and in the page inside the server, by their paths and versions.
func linked(ctx context.Context, o options, what product, p platform) ([]*module, error) {
	found := map[string]*module{}
	list := func(dir, into string, p platform) error {
		listed, err := goCommand(ctx, o.gotool, filepath.Join(o.root, dir), p, "list", "-deps", "-json=Module", ".")
		if err != nil {
			return err
		}
		for d := json.NewDecoder(bytes.NewReader(listed)); ; {
			var pkg struct{ Module *module }
			if err := d.Decode(&pkg); errors.Is(err, io.EOF) {
				return nil
			} else if err != nil {
				return fmt.Errorf("go list: %w", err)
			}
			m := pkg.Module
			if m == nil || m.Main || m.Replace != nil && strings.HasPrefix(m.Replace.Path, ".") { // Go's own, or ours
				continue
			}
			key := m.Path + " " + m.Version
			if found[key] == nil {
				found[key] = m
			}
			if part := found[key]; !slices.Contains(part.into, into) {
				part.into = append(part.into, into)
			}
		}
	}
	err := list(what.dir, what.dir, p)
	if what == server {
		err = errors.Join(err, list("wasm", "page", platform{"js", "wasm"}))
	}
	var all []*module
	for _, key := range slices.Sorted(maps.Keys(found)) {
		all = append(all, found[key])
	}
	return all, err
}

// licences is the text of the licences of modules, and that of Go's own library. Most of them ask to go along with the program.
func licences(modules []*module) ([]byte, error) {
	var out, stdlib bytes.Buffer
	for _, m := range modules {
		text, err := licence(m.Dir)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", m.Path, err)
		}
		fmt.Fprintf(&out, "==== %s %s\n\n%s\n", m.Path, m.Version, text)
		// Go's own library is under the same text as the Go authors' modules. A system's package of Go may keep its copy elsewhere.
		if m.Path == "golang.org/x/net" {
			fmt.Fprintf(&stdlib, "==== Go's standard library\n\n%s\n", text)
		}
	}
	if stdlib.Len() == 0 {
		return nil, errors.New("golang.org/x/net, whose licence is that of Go's standard library, is not linked any more: name another module here")
	}
	return append(stdlib.Bytes(), out.Bytes()...), nil
}

// licence is what the files of a module's directory say of its licence.
func licence(dir string) (string, error) {
	entries, err := os.ReadDir(dir) // sorted by name
	if err != nil {
		return "", err
	}
	var out strings.Builder
	for _, entry := range entries {
		isLicence := slices.ContainsFunc([]string{"LICENSE", "LICENCE", "COPYING", "NOTICE"}, func(name string) bool {
			return strings.HasPrefix(strings.ToUpper(entry.Name()), name)
		})
		if entry.IsDir() || !isLicence {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, entry.Name()))
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&out, "-- %s\n%s\n", entry.Name(), strings.ReplaceAll(strings.TrimSpace(string(text)), "\r\n", "\n"))
	}
	if out.Len() == 0 {
		return "", fmt.Errorf("no licence in %s", dir)
	}
	return out.String(), nil
}

// sbom is the list of what is linked into a program and into the page inside the server, in the CycloneDX format
// (https://cyclonedx.org/docs/1.6/json). The same program gives the same bytes.
func sbom(source identity, what product, p platform, program []byte, modules []*module) ([]byte, error) {
	info, err := buildinfo.Read(bytes.NewReader(program))
	if err != nil {
		return nil, fmt.Errorf("what the program is made of: %w", err)
	}
	type object = map[string]any
	property := func(name, value string) object { return object{"name": name, "value": value} }
	goVersion, _, _ := strings.Cut(strings.TrimPrefix(info.GoVersion, "go"), " ")
	stdlib := &module{Path: "stdlib", Version: "v" + goVersion, into: []string{what.dir}}
	if what == server { // the page's program is built with the same toolchain (make wasm)
		stdlib.into = append(stdlib.into, "page")
	}
	var components []object
	var refs []string
	for _, m := range append(slices.Clip(modules), stdlib) {
		purl := "pkg:golang/" + strings.ToLower(m.Path) + "@" + strings.ReplaceAll(m.Version, "+", "%2B") // https://github.com/package-url/purl-spec
		var properties []object
		for _, into := range m.into {
			properties = append(properties, property("informerscope:linked-into", into))
		}
		if m.Sum != "" { // a hash of the module's files, which CycloneDX has no name for
			properties = append(properties, property("go:sum", m.Sum))
		}
		components = append(components, object{"bom-ref": purl, "type": "library", "name": m.Path, "version": m.Version, "purl": purl, "properties": properties})
		refs = append(refs, purl)
	}
	return json.MarshalIndent(object{
		"$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json", "bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1,
		"metadata": object{
			"timestamp": source.time.UTC().Format(time.RFC3339),
			"component": object{"bom-ref": what.name, "type": "application", "name": what.name, "version": source.version,
				"hashes": []object{{"alg": "SHA-256", "content": fmt.Sprintf("%x", sha256.Sum256(program))}}},
			"properties": []object{property("informerscope:platform", p.String()), property("informerscope:commit", source.commit),
				property("informerscope:toolchain", info.GoVersion)},
		},
		"components":   components,
		"dependencies": []object{{"ref": what.name, "dependsOn": refs}},
	}, "", "  ")
}
