package main

import (
	"bytes"
	"fmt"
	"net/url"
	"strings"
	"text/template"
)

const (
	// krewTemplate is where the manifest's text lies, in the sources.
	krewTemplate = "deploy/krew/informerscope.yaml.tmpl"
	// krewManifest is its name once it is filled in: krew wants the plugin's own.
	krewManifest = "informerscope.yaml"
	// placeholderURL replaces an address that was not given. Names under .invalid never lead anywhere (RFC 2606).
	placeholderURL = "https://informerscope.invalid"
)

// krew fills in the manifest for the archives, which will lie in one directory under the address base.
func krew(text, version, base string, archives []archive) ([]byte, error) {
	t, err := template.New(krewTemplate).Option("missingkey=error").Parse(text)
	if err != nil {
		return nil, err
	}
	data := map[string]any{"Version": version, "Nowhere": base == ""}
	if base == "" {
		base = placeholderURL + "/" + version
	}
	if u, err := url.Parse(base); err != nil || u.Scheme != "https" || u.Host == "" || u.RawQuery != "" || u.Fragment != "" || u.User != nil {
		return nil, fmt.Errorf("%q is not an address for archives; write for example https://example.com/informerscope/v1.2.3", base)
	}
	var platforms []map[string]string
	for _, a := range archives {
		platforms = append(platforms, map[string]string{
			"OS": a.platform.os, "Arch": a.platform.arch, "SHA256": a.sum, "Bin": "kubectl-informerscope" + a.platform.exe(),
			"URI": strings.TrimSuffix(base, "/") + "/" + url.PathEscape(a.name),
		})
	}
	data["Platforms"] = platforms
	var out bytes.Buffer
	if err := t.Execute(&out, data); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}
