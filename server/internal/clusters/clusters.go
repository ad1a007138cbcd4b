package clusters

import (
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

	_ "k8s.io/client-go/plugin/pkg/client/auth" // the auth providers of kubeconfigs register themselves
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// dialTimeout bounds how long an address that does not answer keeps a viewer waiting.
const dialTimeout = 10 * time.Second

// Loader reads the kubeconfig and keeps one transport for each context. Safe for concurrent use.
type Loader struct {
	explicitPath string
	selected     string

	mu          sync.Mutex
	fingerprint string
	config      *clientcmdapi.Config
	configErr   error
	upstreams   map[string]*Upstream
}

// NewLoader makes a loader for the file at explicitPath, or, if that is empty, for the files that kubectl would read (those
// of KUBECONFIG, else ~/.kube/config). selected is the context that the user named at the start, if any.
func NewLoader(explicitPath, selected string) *Loader {
	return &Loader{explicitPath: explicitPath, selected: selected}
}

// Context is one context of a kubeconfig, without any credentials.
type Context struct {
	Name      string `json:"name"`
	Cluster   string `json:"cluster"`
	Server    string `json:"server"` // host and port only
	User      string `json:"user"`
	Namespace string `json:"namespace"`
	Error     string `json:"error,omitempty"` // why this one cannot be used, if the files alone tell
}

// Listing is the answer to what contexts there are.
type Listing struct {
	Current  string    `json:"current"`  // the kubeconfig's current-context
	Selected string    `json:"selected"` // the one the server was started with
	Contexts []Context `json:"contexts"` // sorted by name; never nil
	Error    string    `json:"error"`    // what is wrong with the files, for a person to act on
}

// Upstream is the way to one API server.
type Upstream struct {
	// Base is the server's URL; its path, if any, precedes the API's.
	Base *url.URL
	// Transport authenticates, by whatever means the kubeconfig names, and verifies the server.
	Transport http.RoundTripper
}

// UnknownContextError is returned for a context that the kubeconfig does not have.
type UnknownContextError struct {
	Context string
	Known   []string
	Where   string
}

// Error implements error.
func (e *UnknownContextError) Error() string {
	known := "it has none"
	if len(e.Known) > 0 {
		known = "known: " + strings.Join(e.Known, ", ")
	}
	return fmt.Sprintf("context %q is not in the kubeconfig (%s); %s", e.Context, e.Where, known)
}

// ConfigError is returned when the kubeconfig, or something that it names, cannot be used.
type ConfigError struct {
	Err error
	// Credentials is true when it is the user's entry that fails.
	Credentials bool
}

// Error implements error.
func (e *ConfigError) Error() string { return e.Err.Error() }

// Unwrap gives the cause.
func (e *ConfigError) Unwrap() error { return e.Err }

// Contexts lists what the files say now.
func (l *Loader) Contexts() Listing {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.refresh()
	listing := Listing{Selected: l.selected, Contexts: []Context{}}
	var problems []string
	if l.configErr != nil {
		problems = append(problems, l.configErr.Error())
	}
	if l.config != nil {
		listing.Current = l.config.CurrentContext
		for _, name := range l.names() {
			listing.Contexts = append(listing.Contexts, describe(name, l.config))
		}
		if l.configErr == nil && len(listing.Contexts) == 0 {
			problems = append(problems, "no contexts found; looked at "+l.where()+"; give a file with --kubeconfig, or name it in KUBECONFIG")
		}
	}
	if l.selected != "" && l.config != nil && l.config.Contexts[l.selected] == nil {
		problems = append(problems, "--context: "+l.unknown(l.selected).Error())
	}
	listing.Error = strings.Join(problems, "; ")
	return listing
}

// Upstream gives the way to the API server of a context. Errors are *UnknownContextError or *ConfigError. The same
// Upstream is given until the files change.
func (l *Loader) Upstream(contextName string) (*Upstream, error) {
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
		return nil, l.unknown(contextName)
	}
	if problem := describe(contextName, l.config).Error; problem != "" {
		return nil, &ConfigError{Err: errors.New(problem)}
	}
	config, err := clientcmd.NewNonInteractiveClientConfig(*l.config, contextName, &clientcmd.ConfigOverrides{}, nil).ClientConfig()
	if err != nil {
		return nil, &ConfigError{Err: fmt.Errorf("context %q: %w", contextName, err)}
	}
	config.UserAgent = "" // each request brings its own
	config.Dial = (&net.Dialer{Timeout: dialTimeout, KeepAlive: 30 * time.Second}).DialContext
	config.WarningHandler = rest.NoWarnings{}
	if config.ExecProvider != nil {
		config.ExecProvider.StdinUnavailable = true
		config.ExecProvider.StdinUnavailableMessage = "a server has no terminal to ask on; log in once with kubectl, then try again"
	}
	base, _, err := rest.DefaultServerUrlFor(config)
	if err != nil {
		// The error would repeat the URL, and with it a password that may stand in it.
		return nil, &ConfigError{Err: fmt.Errorf("context %q: the server of cluster %q is not a URL", contextName, l.config.Contexts[contextName].Cluster)}
	}
	transport, err := rest.TransportFor(config)
	if err != nil {
		return nil, &ConfigError{Err: fmt.Errorf("context %q, user %q: %w", contextName, l.config.Contexts[contextName].AuthInfo, err), Credentials: true}
	}
	upstream := &Upstream{Base: base, Transport: transport}
	l.upstreams[contextName] = upstream
	return upstream, nil
}

// Close drops the idle connections to all clusters.
func (l *Loader) Close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.drop()
	l.fingerprint = ""
}

func (l *Loader) drop() {
	for _, upstream := range l.upstreams {
		closeIdle(upstream.Transport)
	}
	l.upstreams = map[string]*Upstream{}
}

// closeIdle reaches through client-go's wrappers to the transport that has the connections.
func closeIdle(transport http.RoundTripper) {
	for transport != nil {
		if closer, ok := transport.(interface{ CloseIdleConnections() }); ok {
			closer.CloseIdleConnections()
			return
		}
		wrapper, ok := transport.(interface{ WrappedRoundTripper() http.RoundTripper })
		if !ok {
			return
		}
		transport = wrapper.WrappedRoundTripper()
	}
}

// refresh reads the files again if any of them is another than before.
func (l *Loader) refresh() {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = l.explicitPath
	rules.WarnIfAllMissing = false // the listing says it
	rules.MigrationRules = nil     // reading must not write
	files := rules.Precedence
	if l.explicitPath != "" {
		files = []string{l.explicitPath}
	}
	var fingerprint strings.Builder
	for _, file := range files {
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
	l.config, l.configErr = rules.Load()
	if errors.Is(l.configErr, fs.ErrNotExist) {
		l.configErr = fmt.Errorf("the kubeconfig %s does not exist; see --kubeconfig", l.explicitPath)
	} else if l.configErr != nil {
		l.configErr = fmt.Errorf("the kubeconfig cannot be read: %w; correct the file, it is read again at the next try", l.configErr)
	}
}

func (l *Loader) names() []string {
	names := make([]string, 0, len(l.config.Contexts))
	for name := range l.config.Contexts {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func (l *Loader) unknown(name string) error {
	return &UnknownContextError{Context: name, Known: l.names(), Where: l.where()}
}

// where names the files, for messages.
func (l *Loader) where() string {
	if l.explicitPath != "" {
		return l.explicitPath
	}
	return strings.Join(clientcmd.NewDefaultClientConfigLoadingRules().Precedence, ", ")
}

// describe is one context without credentials, and what is plainly wrong with it.
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
		// A URL may carry a password; what cannot be parsed might too, and is left out.
		if u, err := url.Parse(cluster.Server); err == nil && u.Host != "" {
			c.Server = u.Host
		} else if u, err := url.Parse("https://" + cluster.Server); err == nil {
			c.Server = u.Host
		}
	}
	return c
}
