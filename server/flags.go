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

// defaultListen is the default of --listen.
const defaultListen = "127.0.0.1:8080"

// envPrefix begins the name of each environment variable; the flag's name follows in capitals, with underscores.
const envPrefix = "INFORMERSCOPE_"

// settings are the checked values of the flags and the environment.
type settings struct {
	listen         string
	listenExplicit bool // given, so a port in use is an error
	kubeconfig     string
	context        string
	contexts       []string // the contexts to serve; nil for all
	namespace      string   // replaces the contexts' own; scene has it for the link
	open           bool
	token          string
	tokenFile      string       // the file of the token, "" if it came from elsewhere
	tokenArgument  bool         // the token is on the command line
	metricsListen  string       // "" for the address of the page
	publicNames    []guard.Name // more names of the server; the first is that of --public-url, if given
	publicURL      bool
	rules          guard.Rules
	maxViewers     int
	maxStreams     int
	logLevel       slog.Level
	logJSON        bool
	auditLog       string // a file, "-" for standard output, "" for none
	broadcast      bool   // serve an audience
	broadcastDir   string // the directory that stores the broadcast, "" for in memory
	broadcastObj   bool   // broadcast whole objects
	maxFollowers   int
	tlsCert        string
	tlsKey         string
	insecure       bool
	sceneKeys      string       // the source in the printed link, as "&seed=7"
	version        bool         // print the version and exit
	stories        string       // the directory of a speaker's own stories, "" for none
	ask            string       // the endpoint to ask a running server for before exiting, "" for none
	askOldName     bool         // the flag was --probe
	attach         *relay.Probe // the probe in another process; nil for none
	attachToken    string       // the token that the probe requires
}

// usageError is an error in the command line.
type usageError struct{ err error }

func (e *usageError) Error() string { return e.err.Error() + " (see --help)" }
func (e *usageError) Unwrap() error { return e.err }

// flagValues holds the values of flags that are parsed further.
type flagValues struct {
	contexts, resource, resources, level, format, attach, attachToken, publicURL, allowedHosts string
	objects                                                                                    int
	seed                                                                                       uint64
	rate                                                                                       float64
	// fromEnvironment is true while the environment is read.
	fromEnvironment bool
}

// The page's own defaults for the simulated cluster.
const (
	simulatedSeed    = 7
	simulatedObjects = 240
	simulatedRate    = 6
)

// flagSet returns all flags, which write to s and r. Their texts appear in --help and in docs/reference.md: go generate ./server writes the table
// there.
func flagSet(s *settings, r *flagValues) *flag.FlagSet {
	flags := flag.NewFlagSet("informerscope", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // main reports errors, once

	flags.StringVar(&s.listen, "listen", defaultListen, "`address` to listen on. Port 0 picks a free port. If the default port is taken, the "+
		"server picks the next free one. For other machines use 0.0.0.0 (IPv4) or [::] (IPv4 and IPv6) with --tls-cert or --insecure, and "+
		"name the contexts")
	flags.StringVar(&s.kubeconfig, "kubeconfig", "", "kubeconfig `file` (default: the files of KUBECONFIG, or ~/.kube/config; in a pod "+
		"without these its service account, as the context in-cluster)")
	flags.StringVar(&s.context, "context", "", "`name` of the kubeconfig context to open first. The server then serves this context and "+
		"those of --contexts, and no other. Without it no cluster is contacted until you choose one on the page")
	flags.StringVar(&r.contexts, "contexts", "", "`list` of contexts to serve besides --context, such as kind-kind,staging (default: all). "+
		"--contexts= serves none. On other than loopback addresses this flag or --context is required")
	flags.StringVar(&s.namespace, "namespace", "", "`name` of the namespace to watch (default: the context's own); --namespace= watches all")
	flags.StringVar(&s.namespace, "n", "", "the `name` of a namespace, as --namespace")
	flags.StringVar(&r.resource, "resource", "", "`resource` to watch first, such as deployments.apps or foos.v1.example.com (default: pods)")
	flags.BoolVar(&s.open, "open", false, "open the page in the browser. The token stays off the command line: the browser gets a file that "+
		"only you can read")
	flags.Func("token", "access `token` of 16 characters or more (default: a new random one for each launch). Other users can see the command "+
		"line: prefer --token-file or "+envPrefix+"TOKEN", func(value string) error {
		s.token, s.tokenArgument = value, !r.fromEnvironment
		return nil
	})
	flags.StringVar(&s.tokenFile, "token-file", "", "`file` with the access token; only its owner may be able to read it. If standard output is "+
		"not a terminal, the printed link is without this token")
	flags.BoolVar(&s.rules.SecretsMetadata, "allow-secrets-metadata", false, "serve the metadata of Secrets, without the values of their "+
		"annotations; their data is never served")
	flags.StringVar(&r.resources, "resources", "*", "`list` of resources to serve, such as pods,deployments.apps,*.batch. * is all except Secrets and "+
		"other resources that hold credentials; name those one by one, as in *,certificaterequests.cert-manager.io")
	flags.IntVar(&s.maxViewers, "max-viewers", 16, "`number` of pages that may be connected at the same time")
	flags.IntVar(&s.maxStreams, "max-streams", relay.DefaultMaxStreams, "`number` of requests to clusters that may be open at the same time, over "+
		"all pages, watches included. Each holds up to 384 KiB of memory")
	flags.StringVar(&r.level, "log-level", "info", "`level` of the log: debug, info, warn or error")
	flags.StringVar(&r.format, "log-format", "text", "`format` of the log: text or json")
	flags.StringVar(&s.auditLog, "audit-log", "", "`file` for the audit log: the server appends one line of JSON for each request, with who read "+
		"what. - is standard output")
	flags.StringVar(&s.metricsListen, "metrics-listen", "", "`address` of a separate listener, in plain HTTP, for /healthz, /readyz and /metrics. "+
		"/metrics is then served only there")
	flags.BoolVar(&s.broadcast, "broadcast", false, "let an audience follow the page; the server prints the audience's link, which has its own token")
	flags.StringVar(&s.broadcastDir, "broadcast-dir", "", "`directory` to keep the broadcast in, readable only by its owner (default: in memory). "+
		"After a restart the link is a recording")
	flags.BoolVar(&s.broadcastObj, "broadcast-objects", false, "broadcast whole objects (default: only their names, versions, times and phases)")
	flags.IntVar(&s.maxFollowers, "max-followers", 10000, "`number` of followers' requests that may wait or be answered at the same time. A cache in front "+
		"counts as one follower")
	flags.StringVar(&s.stories, "stories", "", "`directory` with your own stories (*.yaml): at most 64, each of at most 64 KiB. The server reads them "+
		"whenever the page is loaded. Everyone who can reach the page can read them; the recordings that they play on need the token")
	flags.StringVar(&r.attach, "attach", "", "`URL` of a probe in a running controller, such as http://localhost:6060/debug/informerscope/: the page "+
		"shows that controller's informers. In a cluster use kubectl port-forward first")
	flags.StringVar(&r.attachToken, "attach-token-file", "", "`file` with the token of the probe; only its owner may be able to read it. Or set "+
		envPrefix+"ATTACH_TOKEN")
	flags.StringVar(&r.publicURL, "public-url", "", "`URL` under which a proxy, such as an ingress, publishes the server. The printed link uses it")
	flags.StringVar(&r.allowedHosts, "allowed-hosts", "", "`list` of other names under which browsers reach the server, such as localhost:9090 behind "+
		"a port-forward or https://informerscope.example behind a proxy")
	flags.StringVar(&s.tlsCert, "tls-cert", "", "certificate `file` (PEM). With --tls-key the server speaks HTTPS")
	flags.StringVar(&s.tlsKey, "tls-key", "", "private key `file` (PEM)")
	flags.BoolVar(&s.insecure, "insecure", false, "allow --listen on other than loopback addresses without TLS. Anyone who can read the network can "+
		"then read the token and the objects")
	flags.Uint64Var(&r.seed, "seed", simulatedSeed, "`number` that seeds the simulated cluster: the same number gives the same events")
	flags.IntVar(&r.objects, "objects", simulatedObjects, "`number` of pods in the simulated cluster, up to 100000")
	flags.Float64Var(&r.rate, "rate", simulatedRate, "`number` of events a second in the simulated cluster, up to 10000")
	flags.BoolVar(&s.version, "version", false, "print the version and exit")
	flags.StringVar(&s.ask, "check", "", "ask the server at --listen (or at --metrics-listen, if given) for an `endpoint`, healthz or readyz, print "+
		"the answer and exit, with status 0 if it is ok. For health checks in containers")
	flags.Func("probe", "the old name of --check `endpoint`, which the next release no longer has", func(value string) error {
		s.ask, s.askOldName = value, true
		return nil
	})
	return flags
}

// withoutVariable reports whether no environment variable sets the flag name.
func withoutVariable(name string) bool {
	switch name {
	case "n": // --namespace has one
		return true
	case "version", "check", "probe": // these exit, and people set INFORMERSCOPE_VERSION for other purposes
		return true
	}
	return false
}

// parseFlags reads args, and lookup (os.LookupEnv) for flags that args do not set. Help goes to stderr.
func parseFlags(args []string, lookup func(string) (string, bool), stderr io.Writer) (settings, error) {
	var s settings
	var r flagValues
	flags := flagSet(&s, &r)
	flags.Usage = func() {
		fmt.Fprintf(stderr, "informerscope shows what happens inside a Kubernetes informer.\n\nUsage: %s [flags]\n       %s story from FILE [-o DIR] [--worst]\n\n"+
			"The second form drafts a story from a recording, and prints the recording's worst minute.\n\n"+
			"Each flag except -n, --version and --check can also be set in the environment, as %s<FLAG> (%sMAX_VIEWERS sets --max-viewers).\n\n",
			program(), program(), envPrefix, envPrefix)
		flags.SetOutput(stderr)
		flags.PrintDefaults()
		flags.SetOutput(io.Discard)
	}

	// The environment is read first, so that the command line overrides it.
	var envErr error
	r.fromEnvironment = true
	flags.VisitAll(func(f *flag.Flag) {
		if withoutVariable(f.Name) {
			return
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
	r.fromEnvironment = false
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
		return s, &usageError{fmt.Errorf("%q is not a flag, and only flags are expected", flags.Arg(0))}
	}
	if r.objects < 0 || r.objects > 100_000 {
		return s, &usageError{fmt.Errorf("--objects: %d is not between 0 and 100000", r.objects)}
	}
	if !(r.rate >= 0 && r.rate <= 10_000) {
		return s, &usageError{fmt.Errorf("--rate: %g is not between 0 and 10000", r.rate)}
	}
	watched := url.Values{}
	flags.Visit(func(f *flag.Flag) {
		switch f.Name {
		case "namespace", "n":
			watched.Set("namespace", s.namespace)
		case "resource":
			watched.Set("resource", r.resource)
		case "listen":
			s.listenExplicit = true
		case "contexts":
			s.contexts = []string{}
		case "seed":
			s.sceneKeys += fmt.Sprintf("&seed=%d", r.seed)
		case "objects":
			s.sceneKeys += fmt.Sprintf("&objects=%d", r.objects)
		case "rate":
			s.sceneKeys += fmt.Sprintf("&rate=%g", r.rate)
		}
	})
	if len(watched) > 0 {
		s.sceneKeys = "&" + watched.Encode() + s.sceneKeys
	}
	if s.context != "" { // the link names the context, so that the page opens it
		s.sceneKeys = "&source=live&context=" + url.QueryEscape(s.context) + s.sceneKeys
	}
	if err := s.attachTo(r.attach, r.attachToken, lookup); err != nil {
		return s, &usageError{err}
	}
	if s.attach != nil {
		if s.context != "" || s.sceneKeys != "" {
			return s, &usageError{fmt.Errorf("--attach shows the informers of a process, so --context, --namespace, --resource, --seed, --objects " +
				"and --rate do not go with it")}
		}
		s.sceneKeys = "&source=probe"
	}
	if s.broadcast {
		s.sceneKeys += "&broadcast=1" // the page that is opened offers to broadcast
	}
	switch r.format {
	case "text", "json":
		s.logJSON = r.format == "json"
	default:
		return s, &usageError{fmt.Errorf("--log-format: %q is neither text nor json", r.format)}
	}
	if err := s.serveContexts(r.contexts); err != nil {
		return s, &usageError{err}
	}
	if err := s.publish(r.publicURL, r.allowedHosts); err != nil {
		return s, &usageError{err}
	}
	if err := s.check(r.resources, r.level, r.resource); err != nil {
		return s, &usageError{err}
	}
	return s, nil
}

// attachTo sets the probe to attach to. The probe's token comes from a file or from INFORMERSCOPE_ATTACH_TOKEN, because other users can see the
// command line.
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

// serveContexts adds the contexts to serve: those of the list and --context. s.contexts is nil if neither flag was given.
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

// publish sets the names of the server besides those of its address.
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
		s.publicNames, s.publicURL, elsewhere = []guard.Name{name}, true, name.Scheme
	}
	if allowedHosts != "" {
		also, err := guard.ParseAllowedHosts(allowedHosts, own, elsewhere)
		if err != nil {
			return fmt.Errorf("--allowed-hosts: %w", err)
		}
		s.publicNames = append(s.publicNames, also...)
	}
	return nil
}

// publicName returns the first name that is not a loopback address, "" for none.
func (s *settings) publicName() string {
	for _, name := range s.publicNames {
		if !name.Loopback() {
			return name.String()
		}
	}
	return ""
}

// check validates the remaining flags and completes the settings.
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
		return fmt.Errorf("--broadcast-dir and --broadcast-objects need --broadcast")
	}
	if (s.tlsCert == "") != (s.tlsKey == "") {
		return fmt.Errorf("--tls-cert and --tls-key go together")
	}
	if s.tokenFile != "" {
		if s.token != "" {
			return fmt.Errorf("--token and --token-file exclude each other: give one of them")
		}
		if s.token, err = readToken(s.tokenFile); err != nil {
			return fmt.Errorf("--token-file: %w", err)
		}
		if err := guard.CheckToken(s.token); err != nil {
			return fmt.Errorf("--token-file %s: %w", s.tokenFile, err)
		}
	}
	if s.token == "" {
		s.token = rand.Text() // at least 128 bits
	} else if err := guard.CheckToken(s.token); err != nil {
		return fmt.Errorf("--token: %w", err)
	}
	return nil
}
