package main

import (
	"cmp"
	"crypto/rand"
	"fmt"
	"log/slog"
	"net/url"
	"strings"

	"github.com/spf13/pflag"

	"informerscope/server/internal/guard"
	"informerscope/server/internal/relay"
	"informerscope/server/internal/served"
)

// settings are the checked values of the flags and the environment.
type settings struct {
	listen         string
	listenExplicit bool // given, so a port in use is an error
	kubeconfig     string
	context        string
	contexts       []string // the contexts to serve; nil for all
	namespace      string   // replaces the contexts' own; scene has it for the link
	open           bool
	modules        bool // serve the page as it is written
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
	sim            simSettings
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

// check returns the settings that flags, whose values are in v, and the environment lead to. Errors are *usageError.
func (v *flagValues) check(flags *pflag.FlagSet, lookup func(string) (string, bool)) (settings, error) {
	s := &v.settings
	s.tokenArgument = flags.Changed("token")
	if err := readEnvironment(flags, lookup); err != nil {
		return settings{}, &usageError{err}
	}
	s.listenExplicit = flags.Changed("listen")
	s.ask, s.askOldName = cmp.Or(s.ask, v.oldCheck), v.oldCheck != ""
	if s.sim.isOn {
		s.context, s.sim.flags = served.Context, simFlags(flags)
	}
	s.sceneKeys = v.sceneKeys(flags)
	// All are called, and the first error counts.
	err := cmp.Or(v.checkSimulation(), s.attachTo(v.attach, v.attachToken, lookup), v.checkLog(),
		s.serveContexts(v.contexts, flags.Changed("contexts")), s.publish(v.publicURL, v.allowedHosts), v.checkWatched(),
		s.checkLimits(), s.checkCombinations(), s.checkToken())
	if err != nil {
		return settings{}, &usageError{err}
	}
	if s.broadcast {
		s.sceneKeys += "&broadcast=1" // the page that is opened offers to broadcast
	}
	return *s, nil
}

// sceneKeys returns the keys of the printed link that the flags choose.
func (v *flagValues) sceneKeys(flags *pflag.FlagSet) (keys string) {
	watched := url.Values{}
	for name, value := range map[string]string{"namespace": v.settings.namespace, "resource": v.resource} {
		if flags.Changed(name) {
			watched.Set(name, value)
		}
	}
	if v.settings.context != "" { // the link names the context, so that the page opens it
		keys = "&source=live&context=" + url.QueryEscape(v.settings.context)
	}
	if len(watched) > 0 {
		keys += "&" + watched.Encode()
	}
	for _, name := range []string{"objects", "rate", "seed"} {
		if flags.Changed(name) && !v.settings.sim.isOn { // those of the page's own cluster
			keys += "&" + name + "=" + flags.Lookup(name).Value.String()
		}
	}
	return keys
}

func (v *flagValues) checkSimulation() error {
	if v.objects < 0 || v.objects > 100_000 {
		return fmt.Errorf("--objects: %d is not between 0 and 100000", v.objects)
	}
	if !(v.rate >= 0 && v.rate <= 10_000) {
		return fmt.Errorf("--rate: %g is not between 0 and 10000", v.rate)
	}
	return nil
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
	if s.sceneKeys != "" {
		return fmt.Errorf("--attach shows the informers of a process, so --context, --namespace, --resource, --seed, --objects and --rate do not go with it")
	}
	s.attachToken, s.sceneKeys = token, "&source=probe"
	return nil
}

// serveContexts sets the contexts to serve: --context and those of the list, which may be given and empty. s.contexts is nil if neither flag was given.
func (s *settings) serveContexts(list string, given bool) error {
	if s.context != "" {
		s.contexts = []string{s.context}
	} else if given {
		s.contexts = []string{}
	}
	if list != "" {
		for name := range strings.SplitSeq(list, ",") {
			if name = strings.TrimSpace(name); name == "" {
				return fmt.Errorf("--contexts: a name in the list %q is empty", list)
			}
			s.contexts = append(s.contexts, name)
		}
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
		others, err := guard.ParseAllowedHosts(allowedHosts, own, elsewhere)
		if err != nil {
			return fmt.Errorf("--allowed-hosts: %w", err)
		}
		s.publicNames = append(s.publicNames, others...)
	}
	return nil
}

// publicName returns the first name that is not a loopback address, "" for none.
func (s *settings) publicName() string {
	for _, name := range s.publicNames {
		if !name.IsLoopback() {
			return name.String()
		}
	}
	return ""
}

func (v *flagValues) checkLog() error {
	s := &v.settings
	if err := s.logLevel.UnmarshalText([]byte(v.logLevel)); err != nil {
		return fmt.Errorf("--log-level: %q is none of debug, info, warn, error", v.logLevel)
	}
	if s.logJSON = v.logFormat == "json"; !s.logJSON && v.logFormat != "text" {
		return fmt.Errorf("--log-format: %q is neither text nor json", v.logFormat)
	}
	return nil
}

// checkWatched checks what may be read, and that this includes what is to be watched.
func (v *flagValues) checkWatched() (err error) {
	s := &v.settings
	if s.rules.Resources, err = guard.ParseResources(v.resources); err != nil {
		return fmt.Errorf("--resources: %w", err)
	}
	if s.namespace != "" && !guard.IsNamespace(s.namespace) {
		return fmt.Errorf("--namespace: %q is not the name of a namespace: small letters, digits and -, at most 63", s.namespace)
	}
	if v.resource == "" {
		return nil
	}
	group, name, err := guard.ParseResource(v.resource)
	if err != nil {
		return fmt.Errorf("--resource: %w", err)
	}
	if refusal := s.rules.CheckResource(group, name); refusal != nil {
		return fmt.Errorf("--resource: %s", refusal.Message)
	}
	return nil
}

func (s *settings) checkLimits() error {
	for _, limit := range []struct {
		name       string
		value, max int
	}{{"max-viewers", s.maxViewers, 10_000}, {"max-streams", s.maxStreams, 1_000_000}, {"max-followers", s.maxFollowers, 1_000_000}} {
		if limit.value < 1 || limit.value > limit.max {
			return fmt.Errorf("--%s: %d is not between 1 and %d", limit.name, limit.value, limit.max)
		}
	}
	return nil
}

// checkCombinations checks flags that need each other.
func (s *settings) checkCombinations() error {
	if !s.broadcast && (s.broadcastDir != "" || s.broadcastObj) {
		return fmt.Errorf("--broadcast-dir and --broadcast-objects need --broadcast")
	}
	if (s.tlsCert == "") != (s.tlsKey == "") {
		return fmt.Errorf("--tls-cert and --tls-key go together")
	}
	return nil
}

// checkToken sets the token of the launch: that of a flag, of a file, or a random one.
func (s *settings) checkToken() (err error) {
	source := "--token"
	switch {
	case s.tokenFile != "" && s.token != "":
		return fmt.Errorf("--token and --token-file exclude each other: give one of them")
	case s.tokenFile != "":
		source = "--token-file " + s.tokenFile
		if s.token, err = readToken(s.tokenFile); err != nil {
			return fmt.Errorf("--token-file: %w", err)
		}
	case s.token == "":
		s.token = rand.Text() // at least 128 bits
	}
	if err := guard.CheckToken(s.token); err != nil {
		return fmt.Errorf("%s: %w", source, err)
	}
	return nil
}
