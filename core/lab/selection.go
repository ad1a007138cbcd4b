package lab

import (
	"fmt"
	"strings"
	"time"

	"informerscope/core/informer"
	"informerscope/core/relayclient"
	"informerscope/core/trace"
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

	// Do, From and At ask for a Story on a new cluster. Do has the user's actions. From is when the experiment began, in milliseconds. The story plays to
	// the event At as fast as it can, and time then stands still; 0 for none.
	Do   *string `json:"do"`
	From int64   `json:"from"`
	At   uint64  `json:"at"`
}

// replay returns the story that a change asks for, nil for none.
func (c Change) replay() (*replayPlan, error) {
	if c.Do == nil {
		return nil, nil
	}
	steps, err := readStory(*c.Do)
	if err != nil {
		return nil, err
	}
	from := time.Duration(c.From) * time.Millisecond
	if from < 0 || c.From > farthest.Milliseconds() {
		return nil, fmt.Errorf("an experiment begins from 0 to %d ms after its cluster", farthest.Milliseconds())
	}
	return &replayPlan{from: from, steps: steps, at: c.At}, nil
}

func (c Change) apply(sel trace.Selection) (trace.Selection, error) {
	if c.Source != nil {
		sel.Source = *c.Source
		if sel.Source != "sim" && sel.Source != "live" {
			return sel, fmt.Errorf("unknown source %q: choose sim or live", sel.Source)
		}
	}
	if sel.Source == "file" || sel.Source == SourceProbe {
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
		sel = sel.Of(targets[0])
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
		var releases []string
		for s := range strings.SplitSeq(*c.Release, ",") {
			release, err := informer.ParseRelease(strings.TrimSpace(s))
			if err != nil {
				return sel, err
			}
			releases = append(releases, release.String())
		}
		if len(releases) > maxReleases {
			return sel, fmt.Errorf("at most two releases can run side by side")
		}
		sel.Releases = releases
	}
	if c.Transform != nil {
		var err error
		if sel.Transform, err = readTransform(*c.Transform); err != nil {
			return sel, err
		}
	}
	if c.Seed != nil {
		sel.Seed = *c.Seed
	}
	if c.Objects != nil {
		if sel.Objects = *c.Objects; sel.Objects < 0 || sel.Objects > maxObjects {
			return sel, fmt.Errorf("a simulated cluster has from 0 to %d objects", maxObjects)
		}
	}
	if c.Rate != nil {
		if sel.Rate = *c.Rate; !(sel.Rate >= 0 && sel.Rate <= maxRate) {
			return sel, fmt.Errorf("a simulated cluster has from 0 to %d events a second", maxRate)
		}
	}
	return sel, nil
}

// maxResources is the greatest number of resources in a selection.
const maxResources = 8

// targets returns the resources that a change names: one, or several separated by commas.
func (c Change) targets() ([]trace.Target, error) {
	names := strings.Split(*c.Resource, ",")
	if len(names) > maxResources {
		return nil, fmt.Errorf("%d resources are more than the %d that can be watched together; leave some out", len(names), maxResources)
	}
	if len(names) > 1 && deref(c.Group)+deref(c.Version)+deref(c.Kind) != "" {
		return nil, fmt.Errorf("if resource names several, each needs its own group and version, as in pods,deployments.apps")
	}
	var all []trace.Target
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
func (c Change) target(name string) (trace.Target, error) {
	t := trace.Target{Group: deref(c.Group), Version: deref(c.Version), Resource: name, Kind: deref(c.Kind)}
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

// settle completes a selection that replaces was: with the kubeconfig's description of a live context, and with the namespace if none was named. For another
// context that is the context's own namespace, as in kubectl, or all namespaces if it has none.
func (c Change) settle(was trace.Selection, next *trace.Selection, about relayclient.Context) {
	if next.Source != "live" {
		next.Cluster, next.User, next.Server, next.ContextNamespace = "", "", "", ""
		if c.Namespace == nil && was.Context != "" {
			next.Namespace = "" // it was the other cluster's
		}
		return
	}
	another := was.Source != "live" || was.Context != next.Context
	if another || about.Name != "" {
		next.Cluster, next.User, next.Server, next.ContextNamespace = about.Cluster, about.User, about.Server, about.Namespace
	}
	if another && c.Namespace == nil {
		next.Namespace = about.Namespace
	}
}

// clusterScoped are the resources without namespaces in the groups of builtinVersions.
var clusterScoped = map[string]bool{
	"nodes": true, "namespaces": true, "persistentvolumes": true, "componentstatuses": true,
	"clusterroles.rbac.authorization.k8s.io": true, "clusterrolebindings.rbac.authorization.k8s.io": true,
	"storageclasses.storage.k8s.io": true, "csidrivers.storage.k8s.io": true, "csinodes.storage.k8s.io": true,
	"volumeattachments.storage.k8s.io": true, "volumeattributesclasses.storage.k8s.io": true,
	"ingressclasses.networking.k8s.io": true, "ipaddresses.networking.k8s.io": true, "servicecidrs.networking.k8s.io": true,
	"customresourcedefinitions.apiextensions.k8s.io": true, "priorityclasses.scheduling.k8s.io": true, "runtimeclasses.node.k8s.io": true,
}

// builtinVersions are versions of groups that every cluster serves, so that their resources need no discovery.
var builtinVersions = map[string]string{
	"": "v1", "apps": "v1", "batch": "v1", "networking.k8s.io": "v1", "policy": "v1", "rbac.authorization.k8s.io": "v1",
	"storage.k8s.io": "v1", "coordination.k8s.io": "v1", "discovery.k8s.io": "v1", "events.k8s.io": "v1",
	"apiextensions.k8s.io": "v1", "autoscaling": "v2", "scheduling.k8s.io": "v1", "node.k8s.io": "v1",
}

// isVersion reports whether s looks like v1, v2beta1 or v1alpha3.
func isVersion(s string) bool {
	return len(s) > 1 && s[0] == 'v' && s[1] >= '1' && s[1] <= '9' && !strings.Contains(s, ".")
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// sameSource reports whether b can run on the source of a.
func sameSource(a, b trace.Selection) bool {
	if a.Source != b.Source || a.Source == "live" {
		return a.Source == b.Source && a.Context == b.Context
	}
	return a.Seed == b.Seed && a.Objects == b.Objects
}
