package main

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// helpOf runs a command line, and returns what standard output and standard error get.
func helpOf(t *testing.T, args ...string) (out, errs string, err error) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	root := newCommand(func(string) (string, bool) { return "", false }, nil)
	root.SetArgs(spell(root, args))
	root.SetOut(&stdout)
	root.SetErr(&stderr)
	err = root.Execute()
	return stdout.String(), stderr.String(), err
}

// TestHelpFits asks each command for help: it goes to standard output, and no line is wider than a terminal of 100 columns.
func TestHelpFits(t *testing.T) {
	var commands []string
	var walk func(*cobra.Command)
	walk = func(c *cobra.Command) {
		if c.IsAvailableCommand() || !c.HasParent() {
			commands = append(commands, strings.TrimPrefix(c.CommandPath(), "informerscope"))
		}
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(newCommand(nil, nil))
	if len(commands) < 6 {
		t.Fatalf("the commands are %q", commands)
	}
	for _, c := range commands {
		out, errs, err := helpOf(t, append(strings.Fields(c), "--help")...)
		if err != nil || errs != "" || !strings.Contains(out, "Usage: informerscope"+c) {
			t.Errorf("%q --help prints %.60q, on standard error %q: %v", c, out, errs, err)
		}
		for line := range strings.Lines(out) {
			if n := len(strings.TrimSuffix(line, "\n")); n > 100 {
				t.Errorf("%q --help has a line of %d columns: %s", c, n, line)
			}
		}
	}
}

func TestAWrongCommandLineIsExplained(t *testing.T) {
	for _, tc := range []struct{ line, want string }{
		{"docto", `there is no command "docto"; did you mean doctor? The commands are completion, doctor, mcp, sim, story`},
		{"nothing-like-it", `there is no command "nothing-like-it". The commands are completion`},
		{"-v", "in -v"},
		{"--verbose", "--verbose"},
		{"--max-viewers many", `--max-viewers: "many" is not a number`},
		{"--max-viewers 99999999999999999999", `--max-viewers: "99999999999999999999" is too large or too small`},
		{"--open=perhaps", `--open: "perhaps" is neither true nor false`},
	} {
		_, _, err := helpOf(t, strings.Fields(tc.line)...)
		if usage := (*usageError)(nil); !errors.As(err, &usage) || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v", tc.line, err)
		}
	}
}
