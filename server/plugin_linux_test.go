package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"informerscope/server/internal/testkit"
)

// TestWhatAPluginPrints: a credential plugin prints a GB. The server keeps only as much as a credential may have, and logs a limited number of its
// lines, whatever bytes they have.
func TestWhatAPluginPrints(t *testing.T) {
	dir := t.TempDir()
	plugin := filepath.Join(dir, "login-helper")
	if err := os.WriteFile(plugin, []byte(`#!/bin/sh
printf 'open \033]0;x\007 the page\nlevel=ERROR msg="\342\200\256forged"\n{"level":"ERROR","msg":"forged"}\n' >&2
printf 'the password is hunter2-hunter2\n' >&2
head -c 200000 /dev/zero | tr '\0' 'z' >&2
yes said again and again | head -n 1000000 >&2
exec head -c 1000000000 /dev/zero
`), 0o700); err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(dir, "config")
	content := fmt.Sprintf("apiVersion: v1\nkind: Config\ncontexts: [{name: c, context: {cluster: c, user: u}}]\nclusters: [{name: c, cluster: {server: "+
		"\"https://127.0.0.1:1\"}}]\nusers: [{name: u, user: {exec: {apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never, command: %q, "+
		"env: [{name: PASSWORD, value: hunter2-hunter2}]}}}]\n", plugin)
	if err := os.WriteFile(config, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, format := range []string{"text", "json"} {
		log := new(testkit.Log)
		p := launchInto(t, log, "--kubeconfig", config, "--log-format", format)
		response, err := p.page().Get("http://relay/clusters/c/api/v1/pods")
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		if err != nil || response.StatusCode != http.StatusBadGateway || !strings.Contains(string(body), "login-helper failed") {
			t.Errorf("%d %s %v", response.StatusCode, body, err)
		}
		most := p.memory("VmHWM")
		p.end()
		text := log.String()
		t.Logf("%d MiB, %d bytes of log", most, len(text))
		if most > 160 {
			t.Errorf("%d MiB were resident", most)
		}
		if len(text) > 64<<10 || strings.Contains(text, "hunter2") || !strings.Contains(text, "the page") || !strings.Contains(text, "said again") ||
			strings.ContainsFunc(text, func(c rune) bool { return c != '\n' && !unicode.IsGraphic(c) }) {
			t.Errorf("%d bytes of log: %.3000s", len(text), text)
		}
		for line := range strings.Lines(text) {
			entry := struct{ Level string }{}
			if format == "json" && json.Unmarshal([]byte(line), &entry) != nil || entry.Level == "ERROR" || format == "text" && !strings.HasPrefix(line, "time=") {
				t.Errorf("a line of the plugin's own: %q", line)
			}
		}
	}
}
