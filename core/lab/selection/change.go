package selection

import (
	"fmt"
	"strings"

	"informerscope/core/cluster/simcluster"
	"informerscope/core/wire/relayclient"
	"informerscope/core/words/event"
	"informerscope/core/words/releases"
)

// Change is a change of the selection; nil fields stay as they are.
type Change struct {
	Source  *string `json:"source"`
	Context *string `json:"context"`
	Group   *string `json:"group"`
	Version *string `json:"version"`
	// Resource is the plural name; "deployments.apps" and "foos.v1.samplecontroller.k8s.io" include group and version. It may name several resources,
	// separated by commas.
	Resource  *string `json:"resource"`
	Kind      *string `json:"kind"`
	Namespace *string `json:"namespace"`
	// Release is one release, or two separated by a comma.
	Release *string  `json:"era"`
	Seed    *uint64  `json:"seed"`
	Objects *int     `json:"objects"`
	Rate    *float64 `json:"rate"`
	// Transform is one of transforms; "" is off.
	Transform *string `json:"transform"`
	// Selector is a label selector; "" is none. A change that names a source, context or resource, and no selector, takes it off: what was
	// chosen for other objects would show an empty store.
	Selector *string `json:"selector"`

	// Do, From and At ask for a Story on a new cluster. Do has the user's actions. From is when the experiment began, in milliseconds. The story plays to
	// the event At as fast as it can, and time then stands still; 0 for none.
	Do   *string `json:"do"`
	From int64   `json:"from"`
	At   uint64  `json:"at"`
	// Fork are actions that only the second of two lanes knows.
	Fork string `json:"fork"`
	// Until is a time to play to likewise, in milliseconds since the cluster began. Time goes on from there.
	Until int64 `json:"-"`
}

// Apply returns a selection with the change, or why there can be no such selection.
func (c Change) Apply(sel event.Selection) (event.Selection, error) {
	sel = sel.WithoutFork() // what else is selected ends it
	if c.Source != nil {
		sel.Source = *c.Source
		if sel.Source != "sim" && sel.Source != "live" {
			return sel, fmt.Errorf("unknown source %q: choose sim or live", sel.Source)
		}
	}
	if sel.Source == event.SourceFile || sel.Source == event.SourceProbe {
		sel.Source = "sim" // start something that runs
	}
	if c.Context != nil {
		sel.Context = *c.Context
	}
	switch {
	case sel.Source == "sim":
		sel.Context = ""
	case sel.Context == "":
		return sel, fmt.Errorf("name the context of the kubeconfig to watch")
	}
	if c.Resource != nil {
		targets, err := c.targets()
		if err != nil {
			return sel, err
		}
		sel = sel.ForTarget(targets[0])
		if len(targets) > 1 {
			sel.Resources = targets
		}
	}
	sel.ClusterScoped = clusterScoped[strings.TrimSuffix(sel.Resource+"."+sel.Group, ".")]
	if c.Namespace != nil {
		if strings.ContainsAny(*c.Namespace, "/?#% \\") {
			return sel, fmt.Errorf("%q is not the name of a namespace", *c.Namespace)
		}
		sel.Namespace = *c.Namespace
	}
	if c.Release != nil {
		var chosen []string
		for s := range strings.SplitSeq(*c.Release, ",") {
			release, err := releases.Parse(strings.TrimSpace(s))
			if err != nil {
				return sel, err
			}
			chosen = append(chosen, release.String())
		}
		if len(chosen) > MaxReleases {
			return sel, fmt.Errorf("at most two releases can run side by side")
		}
		sel.Releases = chosen
	}
	if c.Transform != nil {
		var err error
		if sel.Transform, err = readTransform(*c.Transform); err != nil {
			return sel, err
		}
	}
	switch {
	case c.Selector != nil:
		if err := CheckSelector(*c.Selector); err != nil {
			return sel, err
		}
		sel.Selector = *c.Selector
	case c.Source != nil || c.Context != nil || c.Resource != nil:
		sel.Selector = ""
	}
	if c.Seed != nil {
		sel.Seed = *c.Seed
	}
	if c.Objects != nil {
		if sel.Objects = *c.Objects; sel.Objects < 0 || sel.Objects > simcluster.MaxObjects {
			return sel, fmt.Errorf("a simulated cluster has from 0 to %d objects", simcluster.MaxObjects)
		}
	}
	if c.Rate != nil {
		if sel.Rate = *c.Rate; !(sel.Rate >= 0 && sel.Rate <= simcluster.MaxRate) {
			return sel, fmt.Errorf("a simulated cluster has from 0 to %d events a second", simcluster.MaxRate)
		}
	}
	return sel, nil
}

// targets returns the resources that a change names: one, or several separated by commas.
func (c Change) targets() ([]event.Target, error) {
	names := strings.Split(*c.Resource, ",")
	if len(names) > MaxResources {
		return nil, fmt.Errorf("%d resources are more than the %d that can be watched together; leave some out", len(names), MaxResources)
	}
	if len(names) > 1 && deref(c.Group)+deref(c.Version)+deref(c.Kind) != "" {
		return nil, fmt.Errorf("if resource names several, each needs its own group and version, as in pods,deployments.apps")
	}
	var all []event.Target
	for _, name := range names {
		t, err := c.target(strings.TrimSpace(name))
		if err != nil {
			return nil, err
		}
		for _, other := range all {
			if other.Name() == t.Name() {
				return nil, fmt.Errorf("%s is named twice; a factory has one informer for each resource: name it once", t.Name())
			}
		}
		all = append(all, t)
	}
	return all, nil
}

// target returns the resource with a name.
func (c Change) target(name string) (event.Target, error) {
	t := event.Target{Group: deref(c.Group), Version: deref(c.Version), Resource: name, Kind: deref(c.Kind)}
	if first, rest, dotted := strings.Cut(name, "."); dotted && t.Group == "" {
		t.Resource = first
		if v, g, ok := strings.Cut(rest, "."); ok && isVersion(v) {
			t.Version, t.Group = v, g
		} else {
			t.Group = rest
		}
	}
	if t.Resource == "" || strings.ContainsAny(t.Resource+t.Group+t.Version, "/?#% \\") {
		return t, fmt.Errorf("%q is not the name of a resource; it looks like pods, deployments.apps or foos.v1.example.com", name)
	}
	if t.Version == "" {
		t.Version = builtinVersions[t.Group] // "" for an unknown group: discovery finds it
	}
	t.ClusterScoped = clusterScoped[t.Name()]
	return t, nil
}

// Complete completes a selection that replaces was: with the kubeconfig's description of a live context, and with the namespace if none was named. For another
// context that is the context's own namespace, as in kubectl, or all namespaces if it has none.
func (c Change) Complete(before event.Selection, next *event.Selection, about relayclient.Context) {
	if next.Source != "live" {
		next.Cluster, next.User, next.Server, next.ContextNamespace, next.Simulated = "", "", "", "", false
		if c.Namespace == nil && before.Context != "" {
			next.Namespace = "" // it was the other cluster's
		}
		return
	}
	another := before.Source != "live" || before.Context != next.Context
	if another || about.Name != "" {
		next.Cluster, next.User, next.Server, next.ContextNamespace, next.Simulated = about.Cluster, about.User, about.Server, about.Namespace, about.Simulated
	}
	if another && c.Namespace == nil {
		next.Namespace = about.Namespace
	}
}

// Informers returns the informers of an attached process that a change selects, separated by commas; "" for all. ErrAttached is in its error for what
// cannot be chosen there.
func (c Change) Informers() (informers string, err error) {
	for _, other := range []struct {
		name string
		set  bool
	}{{"context", deref(c.Context) != ""}, {"namespace", deref(c.Namespace) != ""}, {"era", c.Release != nil}, {"seed", c.Seed != nil},
		{"objects", c.Objects != nil},
		{"rate", c.Rate != nil}, {"do", c.Do != nil}, {"transform", c.Transform != nil && *c.Transform != "off" && *c.Transform != ""},
		{"selector", deref(c.Selector) != ""}} {
		if other.set {
			return "", fmt.Errorf("%s cannot be chosen: %w", other.name, ErrAttached)
		}
	}
	if deref(c.Resource) == "" {
		return "", nil
	}
	targets, err := c.targets()
	if err != nil {
		return "", err
	}
	return joinNames(targets), nil
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
