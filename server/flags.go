package main

import (
	"crypto/rand"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"os"
	"strings"

	"informerscope/server/internal/guard"
)

// defaultListen is the address when none is given.
const defaultListen = "127.0.0.1:8080"

// envPrefix precedes a flag's name, in capitals and with underscores, in the environment.
const envPrefix = "INFORMERSCOPE_"

// settings are what the flags and the environment say, checked.
type settings struct {
	listen         string
	listenExplicit bool // given, and so not to be replaced by another port if it is taken
	kubeconfig     string
	context        string
	open           bool
	token          string
	rules          guard.Rules
	maxViewers     int
	logLevel       slog.Level
	tlsCert        string
	tlsKey         string
	insecure       bool
	scene          string // what the printed link says of the source, as "&seed=7"
}

// usageError is a mistake on the command line.
type usageError struct{ err error }

func (e *usageError) Error() string { return e.err.Error() + " (see --help)" }
func (e *usageError) Unwrap() error { return e.err }

// parseFlags reads args, with lookup (os.LookupEnv) behind them. Help goes to stderr.
func parseFlags(args []string, lookup func(string) (string, bool), stderr io.Writer) (settings, error) {
	var s settings
	flags := flag.NewFlagSet("informerscope", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // errors are reported once, by main
	flags.StringVar(&s.listen, "listen", defaultListen, "`address` to serve on; port 0 picks a free one, and so does the default if it is taken")
	flags.StringVar(&s.kubeconfig, "kubeconfig", "", "kubeconfig `file` (default: as kubectl, the files of KUBECONFIG or ~/.kube/config)")
	flags.StringVar(&s.context, "context", "", "`name` of the kubeconfig context that the page begins with; without it no cluster is contacted until one is chosen")
	flags.BoolVar(&s.open, "open", false, "open the page in the browser")
	flags.StringVar(&s.token, "token", "", "access `token` (default: a random one for each launch; prefer "+envPrefix+"TOKEN, as others can see the command line)")
	flags.BoolVar(&s.rules.SecretsMetadata, "allow-secrets-metadata", false, "serve the metadata of Secrets, never their data")
	resources := flags.String("resources", "*", "allow-`list` of resources, such as pods,deployments.apps,*.batch; * is all but Secrets and other carriers of credentials")
	flags.IntVar(&s.maxViewers, "max-viewers", 16, "most pages connected at one time, a `number`")
	level := flags.String("log-level", "info", "debug, info, warn or error")
	flags.StringVar(&s.tlsCert, "tls-cert", "", "certificate `file` (PEM); with --tls-key the server speaks https")
	flags.StringVar(&s.tlsKey, "tls-key", "", "private key `file` (PEM)")
	flags.BoolVar(&s.insecure, "insecure", false, "allow --listen on other than loopback addresses without TLS: whoever can read the network can read the token and the objects")
	seed := flags.Uint64("seed", 0, "`number` that chooses the simulated cluster's story, in the printed link")
	objects := flags.Int("objects", 0, "pods of the simulated cluster, a `number` up to 100000, in the printed link")
	rate := flags.Float64("rate", 0, "`events` a second of the simulated cluster, up to 10000, in the printed link")
	flags.Usage = func() {
		fmt.Fprintf(stderr, "informerscope shows what happens inside a Kubernetes informer.\n\nUsage: informerscope [flags]\n\nEach flag can also be set in the environment, as %s<FLAG> (--max-viewers is %sMAX_VIEWERS).\n\n", envPrefix, envPrefix)
		flags.SetOutput(stderr)
		flags.PrintDefaults()
		flags.SetOutput(io.Discard)
	}

	// The environment comes first, so that a flag on the command line wins.
	var envErr error
	flags.VisitAll(func(f *flag.Flag) {
		name := envPrefix + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))
		value, ok := lookup(name)
		if !ok || value == "" || envErr != nil {
			return
		}
		if err := flags.Set(f.Name, value); err != nil {
			shown := fmt.Sprintf("%q", value)
			if f.Name == "token" {
				shown = "its value"
			}
			envErr = fmt.Errorf("%s: %s is not valid: %w", name, shown, err)
		}
	})
	if err := flags.Parse(args); err != nil {
		if err == flag.ErrHelp {
			return s, err
		}
		return s, &usageError{err}
	}
	if envErr != nil {
		return s, &usageError{envErr}
	}
	if flags.NArg() > 0 {
		return s, &usageError{fmt.Errorf("%q is not a flag, and nothing but flags is expected", flags.Arg(0))}
	}
	if *objects < 0 || *objects > 100_000 {
		return s, &usageError{fmt.Errorf("--objects: %d is not between 0 and 100000", *objects)}
	}
	if !(*rate >= 0 && *rate <= 10_000) {
		return s, &usageError{fmt.Errorf("--rate: %g is not between 0 and 10000", *rate)}
	}
	flags.Visit(func(f *flag.Flag) {
		switch f.Name {
		case "listen":
			s.listenExplicit = true
		case "seed":
			s.scene += fmt.Sprintf("&seed=%d", *seed)
		case "objects":
			s.scene += fmt.Sprintf("&objects=%d", *objects)
		case "rate":
			s.scene += fmt.Sprintf("&rate=%g", *rate)
		}
	})
	if s.context != "" { // the link chooses it, so that the page begins there
		s.scene = "&source=live&context=" + url.QueryEscape(s.context) + s.scene
	}
	if err := s.check(*resources, *level); err != nil {
		return s, &usageError{err}
	}
	return s, nil
}

// check completes the settings and looks at what the flag package does not.
func (s *settings) check(resources, level string) error {
	var err error
	if s.rules.Resources, err = guard.ParseResources(resources); err != nil {
		return fmt.Errorf("--resources: %w", err)
	}
	if err := s.logLevel.UnmarshalText([]byte(level)); err != nil {
		return fmt.Errorf("--log-level: %q is none of debug, info, warn, error", level)
	}
	if s.maxViewers < 1 || s.maxViewers > 10000 {
		return fmt.Errorf("--max-viewers: %d is not between 1 and 10000", s.maxViewers)
	}
	if (s.tlsCert == "") != (s.tlsKey == "") {
		return fmt.Errorf("--tls-cert and --tls-key go together")
	}
	if s.token == "" {
		s.token = rand.Text() // 128 bits and more
	} else if err := guard.CheckToken(s.token); err != nil {
		return fmt.Errorf("--token: %w", err)
	}
	if s.kubeconfig != "" {
		if info, err := os.Stat(s.kubeconfig); err == nil && info.IsDir() {
			return fmt.Errorf("--kubeconfig: %s is a directory, not a file", s.kubeconfig)
		}
	}
	return nil
}
