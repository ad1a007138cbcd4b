package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// helpWidth is the width of --help, in columns.
const helpWidth = 100

// newCommand returns the command line of the program. It reads flags that are not on the command line from lookup (os.LookupEnv), checks all, and
// calls act with the settings. An error in the command line is a *usageError.
func newCommand(lookup func(string) (string, bool), act func(context.Context, settings) error) *cobra.Command {
	var v flagValues
	serves := func(cmd *cobra.Command, _ []string) error {
		s, err := v.check(cmd.Flags(), lookup)
		if err != nil {
			return err
		}
		return act(cmd.Context(), s)
	}
	root := &cobra.Command{
		Use:         "informerscope [flags]",
		Annotations: map[string]string{cobra.CommandDisplayNameAnnotation: program()},
		Long: fmt.Sprintf("informerscope shows what happens inside a Kubernetes informer.\n\nEach flag except --help, --version and --check can also be set in the\n"+
			"environment, as %s<FLAG>. %[1]sMAX_VIEWERS sets\n--max-viewers.", envPrefix),
		Args:              takesOnlyFlags,
		RunE:              serves,
		ValidArgsFunction: cobra.NoFileCompletions,
		SilenceErrors:     true, // main reports them, once
		SilenceUsage:      true,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},

		SuggestionsMinimumDistance: 2,
	}
	groups := v.flagGroups()
	for _, group := range groups {
		root.Flags().AddFlagSet(group)
	}
	sim, simGroups := newSimCommand(groups, &v, serves)
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return &usageError{explainFlag(err)} })
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) {
		switch cmd {
		case root:
			printHelp(cmd, groups)
			return
		case sim:
			printHelp(cmd, simGroups)
			return
		}
		flags := pflag.NewFlagSet("Flags", pflag.ContinueOnError)
		flags.AddFlagSet(cmd.Flags())
		printHelp(cmd, []*pflag.FlagSet{flags})
	})
	root.AddCommand(sim, newStoryCommand(), newDoctorCommand(lookup), newMCPCommand(lookup), newCompletionCommand())
	completer{&v, lookup}.completeFlags(root)
	return root
}

// takesOnlyFlags refuses arguments. It names the commands that an argument may have meant.
func takesOnlyFlags(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() {
			names = append(names, sub.Name())
		}
	}
	if len(names) == 0 {
		return &usageError{fmt.Errorf("%q is not a flag, and only flags are expected", args[0])}
	}
	near := ""
	if all := cmd.SuggestionsFor(args[0]); len(all) > 0 {
		near = "; did you mean " + strings.Join(all, " or ") + "?"
	}
	return &usageError{fmt.Errorf("there is no command %q%s The commands are %s", args[0], cmp.Or(near, "."), strings.Join(names, ", "))}
}

// explainFlag returns what is wrong with a flag's value in the words of a user.
func explainFlag(err error) error {
	wrong := (*pflag.InvalidValueError)(nil)
	if !errors.As(err, &wrong) {
		return err
	}
	reason := "is not a " + wrong.GetFlag().Value.Type()
	switch {
	case errors.Is(err, strconv.ErrRange):
		reason = "is too large or too small"
	case errors.Is(err, strconv.ErrSyntax):
		reason = "is not a number"
	}
	if wrong.GetFlag().Value.Type() == "bool" {
		reason = "is neither true nor false"
	}
	return fmt.Errorf("--%s: %q %s", wrong.GetFlag().Name, wrong.GetValue(), reason)
}

// printHelp prints the help of a command to standard output, with its flags in groups.
func printHelp(cmd *cobra.Command, groups []*pflag.FlagSet) {
	w := cmd.OutOrStdout()
	fmt.Fprintf(w, "%s\n\nUsage: %s\n", cmp.Or(cmd.Long, cmd.Short), cmd.UseLine())
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintln(w, "\nCommands:")
	}
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() {
			fmt.Fprintf(w, "  %-12s %s\n", sub.Name(), sub.Short)
		}
	}
	for _, group := range groups {
		fmt.Fprintf(w, "\n%s:\n%s", group.Name(), group.FlagUsagesWrapped(helpWidth))
	}
}

// spell returns args with each flag as pflag reads it: its long name behind two dashes. This program has always taken one dash for two. The values of
// flags stay as they are, and so does the argument that a shell completes.
func spell(root *cobra.Command, args []string) []string {
	spelled := append([]string{}, args...)
	end := len(args)
	if end > 0 && strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) {
		end--
	}
	for i := 0; i < end && args[i] != "--"; i++ {
		text := strings.TrimPrefix(strings.TrimPrefix(args[i], "-"), "-")
		if text == args[i] || text == "" {
			continue
		}
		name, value, assigned := strings.Cut(text, "=")
		f := findFlag(root, name)
		if f == nil {
			continue // the error names it as it was typed
		}
		spelled[i] = "--" + f.Name
		switch {
		case assigned:
			spelled[i] += "=" + value
		case f.NoOptDefVal == "":
			i++ // the next argument is the value
		}
	}
	return spelled
}

// findFlag returns the flag of this name, or of this letter, of a command or of one below it; nil for none.
func findFlag(cmd *cobra.Command, name string) *pflag.Flag {
	cmd.InitDefaultHelpFlag()
	f := cmd.Flags().Lookup(name)
	if f == nil && len(name) == 1 {
		f = cmd.Flags().ShorthandLookup(name)
	}
	for _, sub := range cmd.Commands() {
		if f == nil {
			f = findFlag(sub, name)
		}
	}
	return f
}
