package main

import (
	"crypto/rand"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"strings"

	"informerscope/server/internal/guard"
	"informerscope/server/internal/relay"
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
	contexts       []string // those that are served; nil for all
	namespace      string   // in place of the contexts' own; what the link says of it is in scene
	open           bool
	token          string
	tokenFile      string       // where it was read, "" for elsewhere
	tokenArgument  bool         // it stands on the command line
	metricsListen  string       // "" for the address of the page
	published      []guard.Name // names that the page has beside those of the address; the first is --public-url's, if that is given
	publicURL      bool
	rules          guard.Rules
	maxViewers     int
	maxStreams     int
	logLevel       slog.Level
	logJSON        bool
	auditLog       string // a file, "-" for standard output, "" for none
	broadcast      bool   // there is an audience
	broadcastDir   string // where what it gets is kept, "" for in memory
	broadcastObj   bool   // it gets objects whole
	maxFollowers   int
	tlsCert        string
	tlsKey         string
	insecure       bool
	scene          string       // what the printed link says of the source, as "&seed=7"
	version        bool         // print it and end
	stories        string       // the directory of a speaker's own stories, "" for none
	probe          string       // what to ask a running server for, and end
	attach         *relay.Probe // the probe in another process; nil for none
	attachToken    string       // that it wants
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
	flags.StringVar(&s.context, "context", "", "`name` of the kubeconfig context that the page begins with, the only one that is served "+
		"beside those of --contexts; without it no cluster is contacted until one is chosen")
	contexts := flags.String("contexts", "", "`list` of the contexts that are served, beside --context; without both all are, on the "+
		"loopback interface alone; --contexts= is none")
	flags.StringVar(&s.namespace, "namespace", "", "`name` of the namespace that is watched, in place of the context's own; --namespace= is all of them")
	flags.StringVar(&s.namespace, "n", "", "short for --namespace, a `name`")
	resource := flags.String("resource", "", "`resource` that is watched when the page opens, such as pods, deployments.apps or foos.v1.example.com")
	flags.BoolVar(&s.open, "open", false, "open the page in the browser")
	fromEnvironment := false
	flags.Func("token", "access `token` (default: a random one for each launch; prefer --token-file or "+
		""+envPrefix+"TOKEN, as others can see the command line)", func(value string) error {
		s.token, s.tokenArgument = value, !fromEnvironment
		return nil
	})
	flags.StringVar(&s.tokenFile, "token-file", "", "`file` with the access token, which nobody but its owner may read")
	flags.BoolVar(&s.rules.SecretsMetadata, "allow-secrets-metadata", false, "serve the metadata of Secrets, never their data")
	resources := flags.String("resources", "*",
		"allow-`list` of resources, such as pods,deployments.apps,*.batch; * is all but Secrets and other carriers of credentials")
	flags.IntVar(&s.maxViewers, "max-viewers", 16, "most pages connected at one time, a `number`")
	flags.IntVar(&s.maxStreams, "max-streams", relay.DefaultMaxStreams, "most requests for clusters in progress of all pages together, "+
		"watches included, a `number`; each holds up to 384 KiB of memory")
	level := flags.String("log-level", "info", "debug, info, warn or error")
	format := flags.String("log-format", "text", "text or json")
	flags.StringVar(&s.auditLog, "audit-log", "", "`file` to which is appended who read what, a line of JSON a request; - is standard output")
	flags.StringVar(&s.metricsListen, "metrics-listen", "", "`address` of a listener for /metrics, /healthz and /readyz alone; /metrics is "+
		"then served nowhere else")
	flags.BoolVar(&s.broadcast, "broadcast", false, "let an audience follow a page: the link for it is printed, and has a token of its own")
	flags.StringVar(&s.broadcastDir, "broadcast-dir", "", "`directory` that keeps what is broadcast, so that it outlives the server and is "+
		"a recording afterwards; nobody but its owner may read it")
	flags.BoolVar(&s.broadcastObj, "broadcast-objects", false, "broadcast whole objects; without it their names, versions, times and phases")
	flags.IntVar(&s.maxFollowers, "max-followers", 10000, "most requests of followers that wait or are answered at one time, a `number`; a cache is one")
	flags.StringVar(&s.stories, "stories", "", "`directory` of your own stories, *.yaml as docs/stories.md has them: at most 64, of 64 KiB each; they are "+
		"read anew whenever a page is loaded; whoever reaches the page can read them; the recordings on which they play are for who has the token")
	attach := flags.String("attach", "", "`URL` of a probe's handler in a running controller, such as "+
		"http://localhost:6060/debug/informerscope/ (after kubectl port-forward, for one in a cluster): the page shows its informers")
	attachToken := flags.String("attach-token-file", "", "`file` with the token that the probe of --attach wants, which nobody but its owner may read")
	publicURL := flags.String("public-url", "", "`URL` under which a proxy in front of the server, such as an ingress, publishes it; it "+
		"goes into the printed link")
	allowedHosts := flags.String("allowed-hosts", "", "`list` of further names by which browsers reach the server, such as localhost:9090 "+
		"behind a port-forward")
	flags.StringVar(&s.tlsCert, "tls-cert", "", "certificate `file` (PEM); with --tls-key the server speaks https")
	flags.StringVar(&s.tlsKey, "tls-key", "", "private key `file` (PEM)")
	flags.BoolVar(&s.insecure, "insecure", false,
		"allow --listen on other than loopback addresses without TLS: whoever can read the network can read the token and the objects")
	seed := flags.Uint64("seed", 0, "`number` that chooses the simulated cluster's story, in the printed link")
	objects := flags.Int("objects", 0, "pods of the simulated cluster, a `number` up to 100000, in the printed link")
	rate := flags.Float64("rate", 0, "`events` a second of the simulated cluster, up to 10000, in the printed link")
	flags.BoolVar(&s.version, "version", false, "print the version and end")
	flags.StringVar(&s.probe, "probe", "", "ask the server that runs at --listen, or --metrics-listen if that is given, for `healthz` or "+
		"readyz, and end: with 0 if it answers ok (for containers)")
	flags.Usage = func() {
		fmt.Fprintf(stderr, "informerscope shows what happens inside a Kubernetes informer.\n\nUsage: %s [flags]\n       %s story from FILE [-o DIR] [--worst]\n\n"+
			"The second proposes a story on a recording, and says which minute of it is the worst.\n\nEach flag but --version and --probe can "+
			"also be set in the environment, as %s<FLAG> (--max-viewers is %sMAX_VIEWERS).\n\n", program(), program(), envPrefix, envPrefix)
		flags.SetOutput(stderr)
		flags.PrintDefaults()
		flags.SetOutput(io.Discard)
	}

	// The environment comes first, so that a flag on the command line wins.
	var envErr error
	fromEnvironment = true
	flags.VisitAll(func(f *flag.Flag) {
		switch f.Name {
		case "n": // --namespace has a variable
			return
		case "version", "probe":
			return // they end the program, and people set INFORMERSCOPE_VERSION for reasons of their own
		}
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
	fromEnvironment = false
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
	watched := url.Values{}
	flags.Visit(func(f *flag.Flag) {
		switch f.Name {
		case "namespace", "n":
			watched.Set("namespace", s.namespace)
		case "resource":
			watched.Set("resource", *resource)
		case "listen":
			s.listenExplicit = true
		case "contexts":
			s.contexts = []string{}
		case "seed":
			s.scene += fmt.Sprintf("&seed=%d", *seed)
		case "objects":
			s.scene += fmt.Sprintf("&objects=%d", *objects)
		case "rate":
			s.scene += fmt.Sprintf("&rate=%g", *rate)
		}
	})
	if len(watched) > 0 {
		s.scene = "&" + watched.Encode() + s.scene
	}
	if s.context != "" { // the link chooses it, so that the page begins there
		s.scene = "&source=live&context=" + url.QueryEscape(s.context) + s.scene
	}
	if err := s.attachTo(*attach, *attachToken, lookup); err != nil {
		return s, &usageError{err}
	}
	if s.attach != nil {
		if s.context != "" || s.scene != "" {
			return s, &usageError{fmt.Errorf("--attach begins with the informers of a process, so --context, --namespace, --resource, --seed, --objects " +
				"and --rate do not go with it")}
		}
		s.scene = "&source=probe"
	}
	if s.broadcast {
		s.scene += "&broadcast=1" // the page that is opened shows at once that it can speak
	}
	switch *format {
	case "text", "json":
		s.logJSON = *format == "json"
	default:
		return s, &usageError{fmt.Errorf("--log-format: %q is neither text nor json", *format)}
	}
	if err := s.serveContexts(*contexts); err != nil {
		return s, &usageError{err}
	}
	if err := s.publish(*publicURL, *allowedHosts); err != nil {
		return s, &usageError{err}
	}
	if err := s.check(*resources, *level, *resource); err != nil {
		return s, &usageError{err}
	}
	return s, nil
}

// attachTo notes which process is attached. Its token comes by a file, or by INFORMERSCOPE_ATTACH_TOKEN: others can see the command line.
func (s *settings) attachTo(address, tokenFile string, lookup func(string) (string, bool)) error {
	token, _ := lookup(envPrefix + "ATTACH_TOKEN")
	if address == "" {
		if tokenFile != "" {
			return fmt.Errorf("--attach-token-file is the token of the probe of --attach: give that too")
		}
		return nil
	}
	var err error
	if tokenFile != "" {
		if token, err = readToken(tokenFile); err != nil {
			return fmt.Errorf("--attach-token-file: %w", err)
		}
	}
	if s.attach, err = relay.NewProbe(address, token); err != nil {
		return fmt.Errorf("--attach: %w", err)
	}
	s.attachToken = token
	return nil
}

// serveContexts notes which contexts are named; contexts is nil before if --contexts was not given.
func (s *settings) serveContexts(list string) error {
	if list != "" {
		for name := range strings.SplitSeq(list, ",") {
			if name = strings.TrimSpace(name); name == "" {
				return fmt.Errorf("--contexts: a name in the list %q is empty", list)
			}
			s.contexts = append(s.contexts, name)
		}
	}
	if s.context != "" {
		s.contexts = append([]string{s.context}, s.contexts...)
	}
	return nil
}

// publish notes the names that the page has beside those of the address.
func (s *settings) publish(publicURL, allowedHosts string) error {
	own := "http"
	if s.tlsCert != "" {
		own = "https"
	}
	elsewhere := own
	if publicURL != "" {
		name, err := guard.ParsePublicURL(publicURL)
		if err != nil {
			return fmt.Errorf("--public-url: %w", err)
		}
		s.published, s.publicURL, elsewhere = []guard.Name{name}, true, name.Scheme
	}
	if allowedHosts != "" {
		also, err := guard.ParseAllowedHosts(allowedHosts, own, elsewhere)
		if err != nil {
			return fmt.Errorf("--allowed-hosts: %w", err)
		}
		s.published = append(s.published, also...)
	}
	return nil
}

// elsewhere is the first of the names that the page has for other machines, "" for none.
func (s *settings) elsewhere() string {
	for _, name := range s.published {
		if !name.Loopback() {
			return name.String()
		}
	}
	return ""
}

// check completes the settings and looks at what the flag package does not.
func (s *settings) check(resources, level, resource string) error {
	var err error
	if s.rules.Resources, err = guard.ParseResources(resources); err != nil {
		return fmt.Errorf("--resources: %w", err)
	}
	if s.namespace != "" && !guard.ValidNamespace(s.namespace) {
		return fmt.Errorf("--namespace: %q is not the name of a namespace: small letters, digits and -, at most 63", s.namespace)
	}
	if resource != "" {
		group, name, err := guard.ParseResource(resource)
		if err != nil {
			return fmt.Errorf("--resource: %w", err)
		}
		if refusal := s.rules.Allows(group, name); refusal != nil {
			return fmt.Errorf("--resource: %s", refusal.Message)
		}
	}
	if err := s.logLevel.UnmarshalText([]byte(level)); err != nil {
		return fmt.Errorf("--log-level: %q is none of debug, info, warn, error", level)
	}
	if s.maxViewers < 1 || s.maxViewers > 10000 {
		return fmt.Errorf("--max-viewers: %d is not between 1 and 10000", s.maxViewers)
	}
	if s.maxStreams < 1 || s.maxStreams > 1000000 {
		return fmt.Errorf("--max-streams: %d is not between 1 and 1000000", s.maxStreams)
	}
	if s.maxFollowers < 1 || s.maxFollowers > 1_000_000 {
		return fmt.Errorf("--max-followers: %d is not between 1 and 1000000", s.maxFollowers)
	}
	if !s.broadcast && (s.broadcastDir != "" || s.broadcastObj) {
		return fmt.Errorf("--broadcast-dir and --broadcast-objects say how to broadcast: give --broadcast too")
	}
	if (s.tlsCert == "") != (s.tlsKey == "") {
		return fmt.Errorf("--tls-cert and --tls-key go together")
	}
	if s.tokenFile != "" {
		if s.token != "" {
			return fmt.Errorf("--token and --token-file are two ways to say one thing: give one of them")
		}
		if s.token, err = readToken(s.tokenFile); err != nil {
			return fmt.Errorf("--token-file: %w", err)
		}
		if err := guard.CheckToken(s.token); err != nil {
			return fmt.Errorf("--token-file %s: %w", s.tokenFile, err)
		}
	}
	if s.token == "" {
		s.token = rand.Text() // 128 bits and more
	} else if err := guard.CheckToken(s.token); err != nil {
		return fmt.Errorf("--token: %w", err)
	}
	return nil
}
