package clusters

import (
	"context"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	_ "k8s.io/client-go/plugin/pkg/client/auth" // registers the auth providers of kubeconfigs
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"informerscope/core/words/cause"
	"informerscope/server/internal/scrub"
)

// dialTimeout bounds how long a dial may take.
const dialTimeout = 10 * time.Second

// Loader reads the kubeconfig and keeps one transport for each context. Safe for concurrent use.
type Loader struct {
	explicitPath     string
	initialContext   string
	namespace        string   // replaces the contexts' own, if given
	servedContexts   []string // the contexts that may be used; nil for all
	scrubber         *scrub.Scrubber
	pod              pod                 // the pod that this process may run in
	reportPluginWait func(time.Duration) // called with each finished wait for a credential plugin
	dial             dialFunc

	mu          sync.Mutex
	fingerprint string
	config      *clientcmdapi.Config
	configErr   error
	inCluster   bool // config is the pod's, because there is no kubeconfig
	upstreams   map[string]*Upstream
	gates       map[string]*gate // by context and plugin; they outlive a change of the files, as a running plugin does
	patience    time.Duration    // how long the headers of an answer may take
}

// NewLoader makes a loader for the file at explicitPath. If that is empty, it reads the files that kubectl would read: those of KUBECONFIG, else
// ~/.kube/config. If there is none of these and the program runs in a pod, it uses the pod's service account. selected is the context of --context,
// if any.
func NewLoader(explicitPath, selected string) *Loader {
	return &Loader{explicitPath: explicitPath, initialContext: selected, scrubber: new(scrub.Scrubber), gates: map[string]*gate{},
		patience: HeaderPatience, pod: currentPod(),
		dial: (&net.Dialer{KeepAlive: 30 * time.Second}).DialContext}
}

type dialFunc = func(ctx context.Context, network, address string) (net.Conn, error)

// DialWith replaces the function that dials API servers. Call it before anything else.
func (l *Loader) DialWith(dial func(ctx context.Context, network, address string) (net.Conn, error)) {
	l.dial = dial
}

// dialInTime dials for at most dialTimeout.
func (l *Loader) dialInTime(ctx context.Context, network, address string) (net.Conn, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, dialTimeout, errDialTimeout)
	defer cancel()
	conn, err := l.dial(ctx, network, address)
	if err != nil && context.Cause(ctx) == errDialTimeout && !errors.As(err, new(*net.OpError)) {
		err = &net.OpError{Op: "dial", Net: network, Err: os.ErrDeadlineExceeded}
	}
	return conn, err
}

var errDialTimeout = errors.New("the dial took too long")

// InNamespace makes namespace the default of every context, as kubectl's --namespace does. Call it before anything else.
func (l *Loader) InNamespace(namespace string) { l.namespace = namespace }

// OnPluginWait sets report to be called whenever the wait for a credential plugin is over. Call it before anything else.
func (l *Loader) OnPluginWait(report func(time.Duration)) { l.reportPluginWait = report }

// RunningPlugins is how many credential plugins are running.
func (l *Loader) RunningPlugins() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := 0
	for _, g := range l.gates {
		if _, ok := g.waitTime(); ok {
			n++
		}
	}
	return n
}

// Scrubber removes the credentials of the kubeconfig, as last read, from texts.
func (l *Loader) Scrubber() *scrub.Scrubber { return l.scrubber }

// Context is one context of a kubeconfig, without any credentials.
type Context struct {
	Name      string `json:"name"`
	Cluster   string `json:"cluster"`
	Server    string `json:"server"` // host and port only
	User      string `json:"user"`
	Namespace string `json:"namespace"`
	Error     string `json:"error,omitempty"` // why it cannot be used, as far as the files show
	// Simulated is for the relay to set: it is the simulated cluster in the server's process.
	Simulated bool `json:"simulated,omitempty"`
}

// Listing is the answer to /contexts.
type Listing struct {
	Current  string    `json:"current"`  // the kubeconfig's current-context
	Selected string    `json:"selected"` // that of --context
	Contexts []Context `json:"contexts"` // sorted by name; never nil
	Error    string    `json:"error"`    // what is wrong with the files, for people
}

// Upstream is the transport to one API server.
type Upstream struct {
	// Base is the server's URL; its path, if any, precedes the API's.
	Base *url.URL

	transport http.RoundTripper // authenticates as the kubeconfig says, and verifies the server
	gate      *gate             // nil without a credential plugin
	place     Place
	proxy     func(*http.Request) (*url.URL, error)
	fromFile  bool // the kubeconfig names the proxy
	scrubber  *scrub.Scrubber
}

// RoundTrip implements http.RoundTripper. It waits for a credential plugin for a bounded time only, and ends when the request's context does.
func (u *Upstream) RoundTrip(req *http.Request) (*http.Response, error) {
	if u.gate == nil {
		return u.transport.RoundTrip(req)
	}
	return u.gate.roundTrip(u.transport, req)
}

// Explain is the package's Explain for an error of this upstream, without credentials and manifests.
func (u *Upstream) Explain(err error) (id, words string) {
	id, words = Explain(err, u.currentPlace())
	return id, u.scrubber.Plain(words)
}

// Hint is the package's Hint for an answer of this upstream, without credentials and manifests.
func (u *Upstream) Hint(code int, body []byte) (id, words string) {
	id, words = Hint(code, body, u.currentPlace())
	return id, u.scrubber.Plain(words)
}

// PluginWait describes the credential plugin that requests wait for, "" for none.
func (u *Upstream) PluginWait() (id, words string) {
	if u.gate == nil {
		return "", ""
	}
	if d, ok := u.gate.waitTime(); ok && d > time.Second {
		return cause.ExecWaiting, (&PluginWaiting{Command: u.gate.command, Wait: d, Limit: u.gate.patience}).words()
	}
	return "", ""
}

func (u *Upstream) currentPlace() Place {
	place := u.place
	if u.proxy == nil {
		return place
	}
	if proxy, err := u.proxy(&http.Request{URL: u.Base}); err == nil && proxy != nil {
		place.Proxy, place.ProxyFrom = proxy.Host, "the environment (HTTPS_PROXY or HTTP_PROXY)"
		if u.fromFile {
			place.ProxyFrom = "the kubeconfig"
		}
	}
	return place
}

// UnknownContextError is returned for a context that the kubeconfig does not have. ServedContexts are those that it has and that are served.
type UnknownContextError struct {
	Context        string
	ServedContexts []string
	Where          string
	// InCluster is true in a pod without a kubeconfig.
	InCluster bool
}

// Error implements error.
func (e *UnknownContextError) Error() string {
	known := "it has none that this server serves"
	if len(e.ServedContexts) > 0 {
		known = "known: " + strings.Join(e.ServedContexts, ", ")
	}
	if e.InCluster {
		return fmt.Sprintf("context %q does not exist: without a kubeconfig a pod has only its own service account; %s", e.Context, known)
	}
	return fmt.Sprintf("context %q is not in the kubeconfig (%s); %s", e.Context, e.Where, known)
}

// ConfigError is returned when the kubeconfig, or a file or program that it names, cannot be used.
type ConfigError struct {
	Err error
	// Credentials is true if the user's entry is at fault.
	Credentials bool
}

// Error implements error.
func (e *ConfigError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *ConfigError) Unwrap() error { return e.Err }

// Contexts lists the contexts of the files, which it reads again if they have changed.
func (l *Loader) Contexts() Listing {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.refresh()
	listing := Listing{Selected: l.initialContext, Contexts: []Context{}}
	var problems []string
	if l.configErr != nil {
		problems = append(problems, l.configErr.Error())
	}
	if l.config != nil {
		if l.Serves(l.config.CurrentContext) {
			listing.Current = l.config.CurrentContext
		}
		for _, name := range l.names() {
			listing.Contexts = append(listing.Contexts, describe(name, l.config))
		}
		if l.servedContexts != nil && len(l.servedContexts) == 0 {
			problems = append(problems, "this server serves no context; name some with --context or --contexts")
		} else if l.configErr == nil && len(l.config.Contexts) == 0 {
			problems = append(problems, "no contexts found; looked at "+l.kubeconfigPaths()+"; give a file with --kubeconfig, or name it in KUBECONFIG")
		}
	}
	if l.initialContext != "" && l.config != nil && l.config.Contexts[l.initialContext] == nil {
		problems = append(problems, "--context: "+l.unknownContext(l.initialContext).Error())
	}
	if l.config != nil {
		for _, name := range l.missingContexts() {
			problems = append(problems, "--contexts: "+l.unknownContext(name).Error())
		}
	}
	listing.Error = l.scrubber.Text(strings.Join(problems, "; "))
	for i := range listing.Contexts {
		c := &listing.Contexts[i]
		c.Error = l.scrubber.Text(c.Error)
		if l.namespace != "" {
			c.Namespace = l.namespace
		}
	}
	return listing
}

// Upstream returns the transport to the API server of a context, the same one until the files change. Errors are *NotServedError,
// *UnknownContextError or *ConfigError.
func (l *Loader) Upstream(contextName string) (*Upstream, error) {
	if !l.Serves(contextName) {
		return nil, &NotServedError{contextName}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.refresh()
	if upstream := l.upstreams[contextName]; upstream != nil {
		return upstream, nil
	}
	if l.config == nil || l.config.Contexts[contextName] == nil {
		if l.configErr != nil {
			return nil, &ConfigError{Err: l.configErr}
		}
		return nil, l.unknownContext(contextName)
	}
	if problem := describe(contextName, l.config).Error; problem != "" {
		return nil, &ConfigError{Err: errors.New(problem)}
	}
	config, err := clientcmd.NewNonInteractiveClientConfig(*l.config, contextName, &clientcmd.ConfigOverrides{}, nil).ClientConfig()
	if err != nil {
		return nil, &ConfigError{Err: fmt.Errorf("context %q: %w", contextName, err)}
	}
	config.UserAgent = "" // each request brings its own
	config.Dial = l.dialInTime
	config.WarningHandler = rest.NoWarnings{}
	entry := l.config.Contexts[contextName]
	upstream := &Upstream{scrubber: l.scrubber, fromFile: config.Proxy != nil}
	config.WrapTransport = func(next http.RoundTripper) http.RoundTripper {
		return marker(next, l.learner("sent to "+contextName))
	}
	found := true // whether the credential plugin is found, if there is one
	if config.ExecProvider != nil {
		plugin := *config.ExecProvider // a copy: the original belongs to the kubeconfig
		config.ExecProvider = &plugin
		plugin.StdinUnavailable = true
		plugin.StdinUnavailableMessage = "a server has no terminal to ask on; log in once with kubectl, then try again"
		key := fmt.Sprintf("%s\x00%q %q %q", contextName, plugin.Command, plugin.Args, plugin.Env)
		if l.gates[key] == nil {
			l.gates[key] = newGate(plugin.Command)
			l.gates[key].report = l.reportPluginWait
		}
		upstream.gate = l.gates[key]
		if found, err = wrapPlugin(&plugin); err != nil {
			return nil, &ConfigError{Err: fmt.Errorf("context %q: %w", contextName, err), Credentials: true}
		}
	}
	base, _, err := rest.DefaultServerUrlFor(config)
	if err != nil {
		// The original error would repeat the URL, which may contain a password.
		return nil, &ConfigError{Err: fmt.Errorf("context %q: the server of cluster %q is not a URL", contextName, entry.Cluster)}
	}
	err = withPluginStderr(func() error {
		upstream.transport, err = rest.TransportFor(config)
		return err
	})
	if err != nil {
		return nil, &ConfigError{Err: fmt.Errorf("context %q, user %q: %w", contextName, entry.AuthInfo, err), Credentials: true}
	}
	if transport := innermost(upstream.transport); transport != nil {
		upstream.proxy = transport.Proxy
		l.limit(transport)
		// client-go does not share a transport that has a dial function, as this one has.
		transport.OnProxyConnectResponse = func(_ context.Context, _ *url.URL, _ *http.Request, answer *http.Response) error {
			if answer.StatusCode == http.StatusOK {
				return nil
			}
			return &ProxyError{Code: answer.StatusCode, Status: answer.Status}
		}
	}
	upstream.Base = base
	upstream.place = Place{Cluster: entry.Cluster, User: entry.AuthInfo, Host: base.Host, Scheme: base.Scheme, Certificate: leaf(config),
		InCluster: l.inCluster}
	if found { // otherwise the next request looks for the plugin again
		l.upstreams[contextName] = upstream
	}
	return upstream, nil
}

// leaf is the client certificate of a configuration, nil if there is none or it cannot be read.
func leaf(config *rest.Config) *x509.Certificate {
	raw := config.CertData
	if len(raw) == 0 && config.CertFile != "" {
		raw, _ = os.ReadFile(config.CertFile) // the transport reports a file that cannot be read
	}
	block, _ := pem.Decode(raw)
	if block == nil {
		return nil
	}
	cert, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		return nil
	}
	return cert
}

// learner returns a function that adds the credentials of an Authorization header to the scrubber.
func (l *Loader) learner(owner string) func(string) {
	var mu sync.Mutex
	var last string
	return func(authorization string) {
		mu.Lock()
		defer mu.Unlock()
		if authorization == last || authorization == "" {
			return
		}
		last = authorization
		scheme, value, _ := strings.Cut(authorization, " ")
		sent := []string{value}
		if strings.EqualFold(scheme, "Basic") {
			if plain, err := base64.StdEncoding.DecodeString(value); err == nil {
				_, password, _ := strings.Cut(string(plain), ":")
				sent = append(sent, password)
			}
		}
		l.scrubber.LearnSent(owner, sent)
	}
}

// Explain is the package's Explain for an error of Upstream, without credentials. Such an error comes from files, not from an API server.
func (l *Loader) Explain(err error) (id, words string) {
	id, words = Explain(err, Place{})
	return id, l.scrubber.Text(words)
}

// Lookup reports whether the kubeconfig, as last read, has a served context of this name, and returns its Upstream if one was made.
func (l *Loader) Lookup(contextName string) (*Upstream, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	known := l.config != nil && l.config.Contexts[contextName] != nil && l.Serves(contextName)
	return l.upstreams[contextName], known
}

// Close drops the idle connections to all clusters, and kills the credential plugins that still run.
func (l *Loader) Close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	var hanging []string
	for _, g := range l.gates {
		if _, ok := g.waitTime(); ok {
			hanging = append(hanging, g.command)
		}
	}
	if len(hanging) > 0 {
		endChildren(hanging)
	}
	l.drop()
	l.fingerprint = ""
}

func (l *Loader) drop() {
	for _, upstream := range l.upstreams {
		closeIdle(upstream.transport)
	}
	l.upstreams = map[string]*Upstream{}
}

// closeIdle closes the idle connections of client-go's transport.
func closeIdle(transport http.RoundTripper) {
	if t := innermost(transport); t != nil {
		t.CloseIdleConnections()
	}
}

// innermost unwraps client-go's round trippers down to the *http.Transport that has the connections, nil if there is none.
func innermost(transport http.RoundTripper) *http.Transport {
	for transport != nil {
		if t, ok := transport.(*http.Transport); ok {
			return t
		}
		wrapper, ok := transport.(interface{ WrappedRoundTripper() http.RoundTripper })
		if !ok {
			return nil
		}
		transport = wrapper.WrappedRoundTripper()
	}
	return nil
}

// refusePipes returns an error if one of the files is none. They are read more than once, and a pipe brings its bytes once, if ever.
func refusePipes(files []string) error {
	for _, file := range files {
		if info, err := os.Stat(file); err == nil && !info.Mode().IsRegular() && !info.IsDir() && file != os.DevNull {
			return fmt.Errorf("%s is no file, and a kubeconfig is read more than once: write it to a file, and give that with --kubeconfig or KUBECONFIG", file)
		}
	}
	return nil
}

// refresh reads the files again if one of them has changed.
func (l *Loader) refresh() {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = l.explicitPath
	rules.WarnIfAllMissing = false // the listing reports it
	rules.MigrationRules = nil     // reading must not write
	files := rules.Precedence
	inPod := l.explicitPath == "" && l.pod.isPod()
	if l.explicitPath != "" {
		files = []string{l.explicitPath}
	}
	looked := files
	if inPod {
		looked = append(slices.Clone(files), l.pod.files()...)
	}
	var fingerprint strings.Builder
	for _, file := range looked {
		fmt.Fprintf(&fingerprint, "%q ", file)
		if info, err := os.Stat(file); err != nil {
			fmt.Fprintf(&fingerprint, "%v\n", err)
		} else {
			fmt.Fprintf(&fingerprint, "%d %d %v\n", info.Size(), info.ModTime().UnixNano(), info.Mode())
		}
	}
	if fingerprint.String() == l.fingerprint {
		return
	}
	l.fingerprint = fingerprint.String()
	l.drop()
	if err := refusePipes(files); err != nil {
		l.config, l.configErr, l.inCluster = nil, err, false
		return
	}
	l.scrubber.Learn("the text of the kubeconfig", findSecrets(files)) // errors may quote text that cannot be parsed
	l.config, l.configErr = rules.Load()
	l.inCluster = inPod && l.configErr == nil && !slices.ContainsFunc(files, exists)
	if l.inCluster {
		config, err := l.pod.config()
		if err == nil {
			l.config = config
		}
		l.configErr = err
	} else if errors.Is(l.configErr, fs.ErrNotExist) {
		l.configErr = fmt.Errorf("the kubeconfig %s does not exist; see --kubeconfig", l.explicitPath)
	} else if l.configErr != nil {
		l.configErr = fmt.Errorf("the kubeconfig cannot be read: %w; correct the file, it is read again at the next try", l.configErr)
	}
	if l.config != nil {
		l.scrubber.Learn("the kubeconfig", secrets(l.config))
	}
}

// exists reports whether there is a file at path.
func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil || !errors.Is(err, fs.ErrNotExist)
}

// names are the served contexts of the kubeconfig, sorted.
func (l *Loader) names() []string {
	names := make([]string, 0, len(l.config.Contexts))
	for name := range l.config.Contexts {
		if l.Serves(name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func (l *Loader) unknownContext(name string) error {
	return &UnknownContextError{Context: name, ServedContexts: l.names(), Where: l.kubeconfigPaths(), InCluster: l.inCluster}
}

// kubeconfigPaths names the kubeconfig files, for messages.
func (l *Loader) kubeconfigPaths() string {
	if l.explicitPath != "" {
		return l.explicitPath
	}
	return strings.Join(clientcmd.NewDefaultClientConfigLoadingRules().Precedence, ", ")
}

// describe returns a context without credentials, and what is visibly wrong with it.
func describe(name string, config *clientcmdapi.Config) Context {
	entry := config.Contexts[name]
	c := Context{Name: name, Cluster: entry.Cluster, User: entry.AuthInfo, Namespace: entry.Namespace}
	cluster := config.Clusters[entry.Cluster]
	switch {
	case entry.Cluster == "":
		c.Error = fmt.Sprintf("context %q (%s) names no cluster", name, entry.LocationOfOrigin)
	case cluster == nil:
		c.Error = fmt.Sprintf("context %q (%s) names the cluster %q, which no kubeconfig file defines", name, entry.LocationOfOrigin, entry.Cluster)
	case cluster.Server == "":
		c.Error = fmt.Sprintf("cluster %q (%s) has no server", entry.Cluster, cluster.LocationOfOrigin)
	case entry.AuthInfo != "" && config.AuthInfos[entry.AuthInfo] == nil:
		c.Error = fmt.Sprintf("context %q (%s) names the user %q, which no kubeconfig file defines", name, entry.LocationOfOrigin, entry.AuthInfo)
	}
	if cluster != nil {
		// A URL may contain a password; one that cannot be parsed might too, and is left out.
		if u, err := url.Parse(cluster.Server); err == nil && u.Host != "" {
			c.Server = u.Host
		} else if u, err := url.Parse("https://" + cluster.Server); err == nil {
			c.Server = u.Host
		}
	}
	return c
}
