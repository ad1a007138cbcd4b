package main

import (
	"bytes"
	"flag"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"informerscope/core/lab/selection"
	"informerscope/core/page/command"
	"informerscope/tools/doctables"
)

//go:generate go test -run ^TestTheReferenceHasTheFlags$ -write-reference

var writeReference = flag.Bool("write-reference", false, "write the table of flags of docs/reference.md")

var aFlag = regexp.MustCompile(`--[a-z][a-z-]*=?`)

func allFlags() *pflag.FlagSet {
	flags := pflag.NewFlagSet("all", pflag.ContinueOnError)
	for _, group := range new(flagValues).flagGroups() {
		flags.AddFlagSet(group)
	}
	return flags
}

// TestTheReferenceHasTheFlags compares the table in docs/reference.md with the flags; go generate ./server writes it.
func TestTheReferenceHasTheFlags(t *testing.T) {
	var b strings.Builder
	b.WriteString("| flag | default | what it does |\n|-|-|-|\n")
	allFlags().VisitAll(func(f *pflag.Flag) {
		name, usage := pflag.UnquoteUsage(f)
		shown, value := "--"+f.Name, f.DefValue
		if f.Shorthand != "" {
			shown = "-" + f.Shorthand + ", " + shown
		}
		if f.Value.Type() == "bool" {
			value = "off"
		} else {
			shown += " " + strings.ToUpper(name)
		}
		if value != "" {
			value = "`" + value + "`"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", shown, value, aFlag.ReplaceAllString(doctables.Cell(usage), "`$0`"))
	})
	doctables.Hold(t, "../docs/reference.md", "go generate ./server", *writeReference, map[string]string{"flags": b.String()})
}

// TestDocumentsNameFlagsThatThereAre checks the flags that documents name in code spans, and every command line of the server.
func TestDocumentsNameFlagsThatThereAre(t *testing.T) {
	flags := allFlags()
	addSimFlags(flags)
	said := regexp.MustCompile("(?m)`--[a-z][a-z-]*|(?:informerscope|ARGS=).*--[a-z].*$")
	for _, name := range []string{"README.md", "README.zh.md", "docs/reference.md"} {
		text, err := os.ReadFile(filepath.Join("..", filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		found := said.FindAllString(string(text), -1)
		if len(found) == 0 {
			t.Errorf("%s: no flags were found; is it written otherwise now?", name)
		}
		for _, line := range found {
			for _, f := range aFlag.FindAllString(line, -1) {
				if f = strings.Trim(f, "-="); flags.Lookup(f) == nil && f != "worst" { // a flag of "story from"
					t.Errorf("%s: there is no flag --%s: %s", name, f, line)
				}
			}
		}
	}
}

// TestTheLinkIsOfKeysThatThePageKnows compares the keys of printed links with the page's table of keys, and the defaults of the simulated cluster
// with the page's own.
func TestTheLinkIsOfKeysThatThePageKnows(t *testing.T) {
	scene := parse(t, "--context", "kind-kind", "--namespace", "a", "--resource", "pods", "--seed", "1", "--objects", "2", "--rate", "3",
		"--broadcast").sceneKeys
	values, err := url.ParseQuery("token=x" + scene + "&audience=x")
	if err != nil {
		t.Fatal(err)
	}
	if len(values) != 10 {
		t.Errorf("the link has %v", values)
	}
	for key := range values {
		if !slices.ContainsFunc(command.AddressKeys(), func(k command.AddressKey) bool { return k.Name == key }) {
			t.Errorf("the page has no key %s", key)
		}
	}
	if simulatedSeed != selection.DefaultSeed || simulatedObjects != selection.DefaultObjects || simulatedRate != selection.DefaultRate {
		t.Error("the page has other defaults of the simulated cluster than --help says")
	}
}

// TestTheOldNameOfCheck: --probe does what --check does, and warns that it will be removed.
func TestTheOldNameOfCheck(t *testing.T) {
	r := start(t, parse(t, "--listen", "127.0.0.1:0"))
	for _, name := range []string{"--probe", "--check"} {
		var out, errors bytes.Buffer
		err := run(t.Context(), []string{"--listen", strings.TrimPrefix(r.base, "http://"), name, "healthz"}, &out, &errors)
		if err != nil || out.String() != "ok\n" {
			t.Errorf("%s: %q, %v", name, out.String(), err)
		}
		if old := strings.Contains(errors.String(), "--probe is now --check"); old != (name == "--probe") {
			t.Errorf("%s says %q", name, errors.String())
		}
	}
}
