package main

import (
	"bytes"
	"io"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
)

func TestVersion(t *testing.T) {
	built := func(version string, settings ...string) *debug.BuildInfo {
		info := &debug.BuildInfo{Main: debug.Module{Version: version}}
		for i := 0; i < len(settings); i += 2 {
			info.Settings = append(info.Settings, debug.BuildSetting{Key: settings[i], Value: settings[i+1]})
		}
		return info
	}
	for _, test := range []struct {
		linked, commit          string
		info                    *debug.BuildInfo
		wantVersion, wantCommit string
	}{
		{"v1.2.3", "abc", built("(devel)", "vcs.revision", "def"), "v1.2.3", "abc"},
		{"v1.2.3", "", built("v0.0.0-1-x", "vcs.revision", "def", "vcs.modified", "true"), "v1.2.3", "def"},
		{"", "", built("v0.0.0-20261122-abc", "vcs.revision", "abc", "vcs.modified", "false"), "v0.0.0-20261122-abc", "abc"},
		{"", "", built("(devel)", "vcs.revision", "abc", "vcs.modified", "true"), "devel", "abc with changes"},
		{"", "", built("(devel)"), "devel", ""},
		{"", "", built(""), "devel", ""},
		{"", "", nil, "unknown", ""},
		{"v1.0.0", "abc", nil, "v1.0.0", "abc"},
	} {
		if v, c := identity(test.linked, test.commit, test.info); v != test.wantVersion || c != test.wantCommit {
			t.Errorf("%q, %q, %v: %q, %q", test.linked, test.commit, test.info, v, c)
		}
	}
	for want, info := range map[string]*debug.BuildInfo{
		"client-go v0.37.2, ": {Deps: []*debug.Module{{Path: "k8s.io/api", Version: "v0.1.0"}, {Path: "k8s.io/client-go", Version: "v0.37.2"}}},
		"client-go v0.38.0, ": {Deps: []*debug.Module{{Path: "k8s.io/client-go", Version: "v0.37.2",
			Replace: &debug.Module{Path: "example.com/fork", Version: "v0.38.0"}}}},
		"": {},
	} {
		if got := library(info); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if library(nil) != "" {
		t.Error("a library is known of nothing")
	}
	var out bytes.Buffer
	if err := run(t.Context(), []string{"--version"}, &out, io.Discard); err != nil {
		t.Fatal(err)
	}
	if line := out.String(); !strings.HasPrefix(line, "informerscope ") || strings.Count(line, "\n") != 1 ||
		!strings.Contains(line, runtime.Version()+", "+runtime.GOOS+"/"+runtime.GOARCH+")") {
		t.Errorf("--version prints %q", line)
	}
	// The variable INFORMERSCOPE_VERSION does not print the version.
	if _, err := parseFlags(nil, func(name string) (string, bool) { return "v1.2.3", name == "INFORMERSCOPE_VERSION" }, io.Discard); err != nil {
		t.Error(err)
	}
}

func TestCalledAs(t *testing.T) {
	for arg0, want := range map[string]string{
		"informerscope": "informerscope", "./bin/informerscope": "informerscope", "/opt/informerscope.exe": "informerscope", "server.test": "informerscope",
		"": "informerscope",
		"/home/jane/.krew/bin/kubectl-informerscope": "kubectl informerscope", "kubectl-informerscope.exe": "kubectl informerscope",
		"kubectl-Informerscope.EXE": "kubectl informerscope",
		"kubectl-other":             "informerscope",
	} {
		if got := commandName(arg0); got != want {
			t.Errorf("%q: %q, want %q", arg0, got, want)
		}
	}
}

func TestCheck(t *testing.T) {
	r := start(t, parse(t, "--listen", "127.0.0.1:0"))
	listen := strings.TrimPrefix(r.base, "http://")
	_, port, _ := strings.Cut(listen, ":")
	check := func(args ...string) (string, error) {
		var out bytes.Buffer
		err := run(t.Context(), args, &out, io.Discard)
		return out.String(), err
	}
	for _, args := range [][]string{{"--listen", listen, "--check", "healthz"}, {"--listen", listen, "--check=readyz"},
		{"--listen", "0.0.0.0:" + port, "--check=readyz"}, {"--listen", ":" + port, "--check=readyz"}, {"--listen", "localhost:" + port, "--check=readyz"}} {
		if out, err := check(args...); err != nil || out != "ok\n" {
			t.Errorf("%v: %q, %v", args, out, err)
		}
	}
	for says, args := range map[string][]string{
		"neither healthz nor readyz": {"--listen", listen, "--check", "metrics"},
		"not \"127.0.0.1:0\"":        {"--listen", "127.0.0.1:0", "--check", "readyz"},
		"not \"nowhere\"":            {"--listen", "nowhere", "--check", "readyz"},
	} {
		if _, err := check(args...); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v: %v, want %q", args, err, says)
		}
	}
	if err := r.stop(); err != nil {
		t.Fatal(err)
	}
	if _, err := check("--listen", listen, "--check", "readyz"); err == nil || !strings.Contains(err.Error(), "--check readyz") {
		t.Errorf("of a server that has stopped: %v", err)
	}
}
