package main

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"informerscope/core/client/restwatch"
	"informerscope/server/internal/clusters"
	"informerscope/server/internal/guard"
)

const (
	// completionTimeout bounds how long a completion waits for an API server and its credential plugin.
	completionTimeout = 3 * time.Second
	// maxCompletionAnswer bounds an API server's answer to a completion, in bytes.
	maxCompletionAnswer = 16 << 20
	// maxNamespaces bounds how many namespaces a completion offers.
	maxNamespaces = 500
)

// newCompletionCommand returns the command "completion", which prints a shell's script. The script calls this program's hidden command __complete.
func newCompletionCommand() *cobra.Command {
	shells := []string{"bash", "zsh", "fish", "powershell"}
	return &cobra.Command{
		Use:   "completion SHELL",
		Short: "print the script with which a shell completes the command line",
		Long: `Prints the script with which a shell completes flags, contexts, namespaces and
resources. For the running shell, or in its start file for every one:

  bash        source <(informerscope completion bash)    # needs the package bash-completion
  zsh         source <(informerscope completion zsh)     # after compinit
  fish        informerscope completion fish | source
  powershell  informerscope completion powershell | Out-String | Invoke-Expression`,
		ValidArgs: shells,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 || !slices.Contains(shells, args[0]) {
				return &usageError{fmt.Errorf("completion takes the name of a shell: %s", strings.Join(shells, ", "))}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			root, out := cmd.Root(), cmd.OutOrStdout()
			switch args[0] {
			case "bash":
				return root.GenBashCompletionV2(out, true)
			case "zsh":
				return root.GenZshCompletion(out)
			case "fish":
				return root.GenFishCompletion(out, true)
			}
			return root.GenPowerShellCompletionWithDesc(out)
		},
		DisableFlagsInUseLine: true,
	}
}

// completer offers values of flags. It learns nothing that the server would not show for the same command line, and keeps errors to itself.
type completer struct {
	values *flagValues
	lookup func(string) (string, bool)
}

// completeFlags registers how the values of cmd's flags are completed. A shell completes files itself.
func (c completer) completeFlags(cmd *cobra.Command) {
	one, several := cobra.ShellCompDirectiveNoFileComp, cobra.ShellCompDirectiveNoFileComp|cobra.ShellCompDirectiveNoSpace
	choices := func(names ...string) cobra.CompletionFunc {
		return c.offer(func(context.Context) []string { return names }, one)
	}
	functions := map[string]cobra.CompletionFunc{
		"check":      choices("healthz", "readyz"),
		"probe":      choices("healthz", "readyz"),
		"log-format": choices("text", "json"),
		"log-level":  choices("debug", "info", "warn", "error"),
		"context":    c.offer(c.contexts, one),
		"contexts":   c.offer(c.contexts, several),
		"namespace":  c.offer(c.namespaces, one),
		"resource":   c.offer(c.resources, one),
		"resources":  c.offer(c.resources, several),
	}
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		complete := functions[f.Name]
		switch value, _ := pflag.UnquoteUsage(f); {
		case value == "file":
			return
		case value == "directory":
			_ = cmd.MarkFlagDirname(f.Name) // there is the flag
			return
		case complete == nil:
			complete = cobra.NoFileCompletions
		}
		_ = cmd.RegisterFlagCompletionFunc(f.Name, complete) // once
	})
}

// offer returns a function that completes a flag's value with the names of find. A directive with NoSpace says that the value is a list, whose last
// name is completed.
func (c completer) offer(find func(context.Context) []string, directive cobra.ShellCompDirective) cobra.CompletionFunc {
	return func(cmd *cobra.Command, _ []string, typed string) (offered []string, _ cobra.ShellCompDirective) {
		if readEnvironment(cmd.Flags(), c.lookup) != nil || hideTokens() != nil {
			return nil, directive
		}
		ctx, cancel := context.WithTimeout(cmd.Context(), completionTimeout)
		defer cancel()
		before := ""
		if directive&cobra.ShellCompDirectiveNoSpace != 0 {
			before = typed[:strings.LastIndex(typed, ",")+1]
		}
		for _, name := range find(ctx) {
			isRepeat := slices.Contains(strings.Split(before, ","), name)
			if !isRepeat && strings.HasPrefix(before+name, typed) && !strings.ContainsFunc(name, unicode.IsControl) {
				offered = append(offered, before+name)
			}
		}
		return offered, directive
	}
}

// contexts returns the contexts of the kubeconfig.
func (c completer) contexts(context.Context) (names []string) {
	for _, found := range clusters.NewLoader(c.values.settings.kubeconfig, "").Contexts().Contexts {
		names = append(names, found.Name)
	}
	return names
}

// namespaces returns the namespaces of --context, if --resources includes them.
func (c completer) namespaces(ctx context.Context) (names []string) {
	c.request(func(client *restwatch.Client, rules guard.Rules) {
		if rules.CheckResource("", "namespaces") != nil {
			return
		}
		list, err := client.List(ctx, schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}, "", metav1.ListOptions{Limit: maxNamespaces})
		if err != nil {
			return
		}
		for _, o := range list.Items {
			if guard.IsNamespace(o.GetName()) {
				names = append(names, o.GetName())
			}
		}
	})
	return names
}

// resources returns the resources of --context that can be watched and that --resources includes.
func (c completer) resources(ctx context.Context) (names []string) {
	c.request(func(client *restwatch.Client, rules guard.Rules) {
		found, _ := client.Discover(ctx) // what it found in time
		for _, r := range found {
			name := r.GVR().GroupResource().String()
			if _, _, err := guard.ParseResource(name); err == nil && r.Preferred && rules.CheckResource(r.Group, r.Resource) == nil {
				names = append(names, name)
			}
		}
	})
	return names
}

// request calls its argument with a client of the API server of --context and with the server's rules. Without --context the server contacts no cluster before
// the user chooses one, so it is not called. The client runs a credential plugin as the server does; one that still runs at the end is ended.
func (c completer) request(call func(*restwatch.Client, guard.Rules)) {
	s := &c.values.settings
	resources, err := guard.ParseResources(c.values.resources)
	if err != nil || s.context == "" || c.values.attach != "" || clusters.LogPlugins(slog.New(slog.DiscardHandler)) != nil {
		return
	}
	kubeconfig := clusters.NewLoader(s.kubeconfig, s.context)
	defer kubeconfig.Close()
	upstream, err := kubeconfig.Upstream(s.context)
	if err != nil {
		return
	}
	client := newClient(upstream)
	client.MaxBody = maxCompletionAnswer
	call(client, guard.Rules{Resources: resources, SecretsMetadata: s.rules.SecretsMetadata})
}

// newClient returns a client of an API server. It follows no redirect: only the API server gets the credentials.
func newClient(upstream *clusters.Upstream) *restwatch.Client {
	base := *upstream.Base
	base.User = nil
	return &restwatch.Client{
		HTTP: &http.Client{Transport: upstream, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }},
		Base: &base, UserAgent: "informerscope",
	}
}
