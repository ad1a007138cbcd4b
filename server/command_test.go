package main

import (
	"bytes"
	"context"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

// TestOneDashIsAsGoodAsTwo: a flag has one dash or two, and its value stays as it is.
func TestOneDashIsAsGoodAsTwo(t *testing.T) {
	root := newCommand(noEnv, func(context.Context, settings) error { return nil })
	for args, want := range map[string]string{
		"-listen :8080 -open -max-viewers=5": "--listen :8080 --open --max-viewers=5",
		"--n team-a":                         "--namespace team-a",
		"-n=":                                "--namespace=",
		"-token -listen -open":               "--token -listen --open",
		"-token=-listen":                     "--token=-listen",
		"-audit-log - -open=false":           "--audit-log - --open=false",
		"-h":                                 "--help",
		"-unknown -x -nteam-a":               "-unknown -x -nteam-a",
		"story from --o -worst -worst a":     "story from --out -worst --worst a",
		"story from -- -listen":              "story from -- -listen",
		"__complete -context -na":            "__complete --context -na",
		"- --":                               "- --",
		"":                                   "",
	} {
		if got := spell(root, strings.Fields(args)); !slices.Equal(got, strings.Fields(want)) {
			t.Errorf("%q: %q, want %q", args, got, want)
		}
	}
	const token = "-listen-is-no-flag-here"
	if s := parse(t, "-n=", "-token", token, "-max-viewers=5", "-open"); s.token != token || s.maxViewers != 5 || !s.open || s.sceneKeys != "&namespace=" {
		t.Errorf("%+v", s)
	}
}

// TestHelpIsInGroups: the help has every flag once, under the title of its group.
func TestHelpIsInGroups(t *testing.T) {
	var help bytes.Buffer
	if err := run(t.Context(), []string{"-h"}, &help, io.Discard); err != nil {
		t.Fatal(err)
	}
	for _, group := range new(flagValues).flagGroups() {
		_, section, ok := strings.Cut(help.String(), "\n"+group.Name()+":\n")
		if !ok {
			t.Fatalf("--help has no group %q:\n%s", group.Name(), help.String())
		}
		section, _, _ = strings.Cut(section, "\n\n")
		group.VisitAll(func(f *pflag.Flag) {
			begins := regexp.MustCompile(`(?m)^ +(-., )?--` + f.Name + `( \w+)?   `)
			if !begins.MatchString(section) || len(begins.FindAllString(help.String(), -1)) != 1 {
				t.Errorf("--%s is not once in the group %q:\n%s", f.Name, group.Name(), section)
			}
		})
	}
}
