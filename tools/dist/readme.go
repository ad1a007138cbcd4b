package main

import (
	"bytes"
	_ "embed"
	"strings"
	"text/template"
)

//go:embed README.txt.tmpl
var readmeText string

var readmeTemplate = template.Must(template.New("README").Option("missingkey=error").Parse(readmeText))

// readme is the short README that goes into a platform's archive.
func readme(version string, p platform) ([]byte, error) {
	var out bytes.Buffer
	err := readmeTemplate.Execute(&out, map[string]any{"Version": version, "Platform": p.String(), "Windows": p.os == "windows", "Mac": p.os == "darwin"})
	if p.os == "windows" {
		return []byte(strings.ReplaceAll(out.String(), "\n", "\r\n")), err // as its editors like it
	}
	return out.Bytes(), err
}
