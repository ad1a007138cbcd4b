package main

import (
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"informerscope/server/internal/relay"
)

// defaultListen is the default of --listen.
const defaultListen = "127.0.0.1:8080"

// envPrefix begins the name of each environment variable; the flag's name follows in capitals, with underscores.
const envPrefix = "INFORMERSCOPE_"

// The page's own defaults for the simulated cluster.
const (
	simulatedSeed    = 7
	simulatedObjects = 240
	simulatedRate    = 6
)

// flagValues holds the values of the flags: in settings those that need no further parsing.
type flagValues struct {
	settings  settings
	contexts  string
	resource  string
	resources string

	attach, attachToken     string
	publicURL, allowedHosts string
	logLevel, logFormat     string
	oldCheck                string // the value of --probe

	seed    uint64
	objects int
	rate    float64
}

// flagGroups returns all flags by subject, in the order of --help. A set's name is the title of its group. The texts also appear in
// docs/reference.md: go generate ./server writes the table there.
func (v *flagValues) flagGroups() []*pflag.FlagSet {
	return []*pflag.FlagSet{v.clusterFlags(), v.accessFlags(), v.addressFlags(), v.talkFlags(), v.logFlags(), v.simulationFlags(), v.exitFlags()}
}

func (v *flagValues) clusterFlags() *pflag.FlagSet {
	s, flags := &v.settings, pflag.NewFlagSet("What to watch", pflag.ContinueOnError)
	flags.StringVar(&s.kubeconfig, "kubeconfig", "", "kubeconfig `file` (default: the files of KUBECONFIG, or ~/.kube/config; in a pod "+
		"without these its service account, as the context in-cluster)")
	flags.StringVar(&s.context, "context", "", "`name` of the kubeconfig context to open first. The server then serves this context and "+
		"those of --contexts, and no other. Without it no cluster is contacted until you choose one on the page")
	flags.StringVar(&v.contexts, "contexts", "", "`list` of contexts to serve besides --context, such as kind-kind,staging (default: all). "+
		"--contexts= serves none. On other than loopback addresses this flag or --context is required")
	flags.StringVarP(&s.namespace, "namespace", "n", "", "`name` of the namespace to watch (default: the context's own); --namespace= watches all")
	flags.StringVar(&v.resource, "resource", "", "`resource` to watch first, such as deployments.apps or foos.v1.example.com (default: pods)")
	flags.StringVar(&v.attach, "attach", "", "`URL` of a probe in a running controller, such as http://localhost:6060/debug/informerscope/: the page "+
		"shows that controller's informers. In a cluster use kubectl port-forward first")
	flags.StringVar(&v.attachToken, "attach-token-file", "", "`file` with the token of the probe; only its owner may be able to read it. Or set "+
		envPrefix+"ATTACH_TOKEN")
	return flags
}

func (v *flagValues) accessFlags() *pflag.FlagSet {
	s, flags := &v.settings, pflag.NewFlagSet("Access and limits", pflag.ContinueOnError)
	flags.StringVar(&s.token, "token", "", "access `token` of 16 characters or more (default: a new random one for each launch). Other users can see the "+
		"command line: prefer --token-file or "+envPrefix+"TOKEN")
	flags.StringVar(&s.tokenFile, "token-file", "", "`file` with the access token; only its owner may be able to read it. If standard output is "+
		"not a terminal, the printed link is without this token")
	flags.StringVar(&v.resources, "resources", "*", "`list` of resources to serve, such as pods,deployments.apps,*.batch. * is all except Secrets and "+
		"other resources that hold credentials; name those one by one, as in *,certificaterequests.cert-manager.io")
	flags.BoolVar(&s.rules.SecretsMetadata, "allow-secrets-metadata", false, "serve the metadata of Secrets, without the values of their "+
		"annotations; their data is never served")
	flags.IntVar(&s.maxViewers, "max-viewers", 16, "`number` of pages that may be connected at the same time")
	flags.IntVar(&s.maxStreams, "max-streams", relay.DefaultMaxStreams, "`number` of requests to clusters that may be open at the same time, over "+
		"all pages, watches included. Each holds up to 384 KiB of memory")
	return flags
}

func (v *flagValues) addressFlags() *pflag.FlagSet {
	s, flags := &v.settings, pflag.NewFlagSet("Address of the page", pflag.ContinueOnError)
	flags.StringVar(&s.listen, "listen", defaultListen, "`address` to listen on. Port 0 picks a free port. If the default port is taken, the "+
		"server picks the next free one. For other machines use 0.0.0.0 (IPv4) or [::] (IPv4 and IPv6) with --tls-cert or --insecure, and "+
		"name the contexts")
	flags.BoolVar(&s.open, "open", false, "open the page in the browser. The token stays off the command line: the browser gets a file that "+
		"only you can read")
	flags.BoolVar(&s.modules, "modules", false, "serve the page's modules one by one, as they are written, for who changes the page")
	flags.StringVar(&v.publicURL, "public-url", "", "`URL` under which a proxy, such as an ingress, publishes the server. The printed link uses it")
	flags.StringVar(&v.allowedHosts, "allowed-hosts", "", "`list` of other names under which browsers reach the server, such as localhost:9090 behind "+
		"a port-forward or https://informerscope.example behind a proxy")
	flags.StringVar(&s.tlsCert, "tls-cert", "", "certificate `file` (PEM). With --tls-key the server speaks HTTPS")
	flags.StringVar(&s.tlsKey, "tls-key", "", "private key `file` (PEM)")
	flags.BoolVar(&s.insecure, "insecure", false, "allow --listen on other than loopback addresses without TLS. Anyone who can read the network can "+
		"then read the token and the objects")
	return flags
}

func (v *flagValues) talkFlags() *pflag.FlagSet {
	s, flags := &v.settings, pflag.NewFlagSet("Stories and audience", pflag.ContinueOnError)
	flags.StringVar(&s.stories, "stories", "", "`directory` with your own stories (*.yaml): at most 64, each of at most 64 KiB. The server reads them "+
		"whenever the page is loaded. Everyone who can reach the page can read them; the recordings that they play on need the token")
	flags.BoolVar(&s.broadcast, "broadcast", false, "let an audience follow the page; the server prints the audience's link, which has its own token")
	flags.StringVar(&s.broadcastDir, "broadcast-dir", "", "`directory` to keep the broadcast in, readable only by its owner (default: in memory). "+
		"After a restart the link is a recording")
	flags.BoolVar(&s.broadcastObj, "broadcast-objects", false, "broadcast whole objects (default: only their names, versions, times and phases)")
	flags.IntVar(&s.maxFollowers, "max-followers", 10000, "`number` of followers' requests that may wait or be answered at the same time. A cache in front "+
		"counts as one follower")
	return flags
}

func (v *flagValues) logFlags() *pflag.FlagSet {
	s, flags := &v.settings, pflag.NewFlagSet("Logs and metrics", pflag.ContinueOnError)
	flags.StringVar(&v.logLevel, "log-level", "info", "`level` of the log: debug, info, warn or error")
	flags.StringVar(&v.logFormat, "log-format", "text", "`format` of the log: text or json")
	flags.StringVar(&s.auditLog, "audit-log", "", "`file` for the audit log: the server appends one line of JSON for each request, with who read "+
		"what. - is standard output")
	flags.StringVar(&s.metricsListen, "metrics-listen", "", "`address` of a separate listener, in plain HTTP, for /healthz, /readyz and /metrics. "+
		"/metrics is then served only there")
	return flags
}

// simulationGroup is the name of the flags of a simulated cluster.
const simulationGroup = "Simulated cluster"

func (v *flagValues) simulationFlags() *pflag.FlagSet {
	flags := pflag.NewFlagSet(simulationGroup, pflag.ContinueOnError)
	flags.Uint64Var(&v.seed, "seed", simulatedSeed, "`number` that seeds the simulated cluster: the same number gives the same events")
	flags.IntVar(&v.objects, "objects", simulatedObjects, "`number` of pods in the simulated cluster, up to 100000")
	flags.Float64Var(&v.rate, "rate", simulatedRate, "`number` of events a second in the simulated cluster, up to 10000")
	return flags
}

// exitFlags are those that start no server. No environment variable sets them: people set INFORMERSCOPE_VERSION for other purposes.
func (v *flagValues) exitFlags() *pflag.FlagSet {
	s, flags := &v.settings, pflag.NewFlagSet("Instead of serving", pflag.ContinueOnError)
	flags.StringVar(&s.ask, "check", "", "ask the server at --listen (or at --metrics-listen, if given) for an `endpoint`, healthz or readyz, print "+
		"the answer and exit, with status 0 if it is ok. For health checks in containers")
	flags.StringVar(&v.oldCheck, "probe", "", "the old name of --check `endpoint`, which the next release no longer has")
	flags.BoolVar(&s.version, "version", false, "print the version and exit")
	flags.BoolP("help", "h", false, "print this help and exit")
	return flags
}

// readEnvironment sets the flags that the command line does not set and that lookup (os.LookupEnv) has a value for.
func readEnvironment(flags *pflag.FlagSet, lookup func(string) (string, bool)) (err error) {
	withoutVariable := new(flagValues).exitFlags()
	flags.VisitAll(func(f *pflag.Flag) {
		name := envPrefix + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))
		value, ok := lookup(name)
		if !ok || value == "" || f.Changed || err != nil || withoutVariable.Lookup(f.Name) != nil {
			return
		}
		if problem := flags.Set(f.Name, value); problem != nil {
			err = fmt.Errorf("%s: %w", name, problem)
		}
	})
	return err
}
