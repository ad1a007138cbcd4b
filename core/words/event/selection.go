package event

import "encoding/json"

// Selection is what an experiment watches; KindSelected carries it as JSON.
type Selection struct {
	Source    string `json:"source"` // "sim", "live", "probe", "file" or "broadcast"
	Context   string `json:"context,omitempty"`
	Group     string `json:"group"`
	Version   string `json:"version"`
	Resource  string `json:"resource"`
	Kind      string `json:"kind,omitempty"`
	Namespace string `json:"namespace"`
	// ClusterScoped: the resource has no namespaces. Namespace is kept for the next selection that has.
	ClusterScoped bool     `json:"clusterScoped,omitempty"`
	Releases      []string `json:"eras"`
	// Selector is the label selector of every LIST and WATCH; empty selects all objects.
	Selector string `json:"selector,omitempty"`
	// Transform is what is done to every object before it is queued: "managedFields" or "metadata"; empty for nothing.
	Transform string  `json:"transform,omitempty"`
	Seed      uint64  `json:"seed,omitempty"`
	Objects   int     `json:"objects,omitempty"`
	Rate      float64 `json:"rate,omitempty"`

	// What the kubeconfig has about a live context, without credentials.
	Cluster          string `json:"cluster,omitempty"`
	User             string `json:"user,omitempty"`
	Server           string `json:"server,omitempty"`
	ContextNamespace string `json:"contextNamespace,omitempty"`
	// Simulated: the live context is the simulated cluster in the server's process.
	Simulated bool `json:"simulated,omitempty"`

	// Resources are the watched resources, in order, when there are several; the members above describe the first. It is empty for one.
	Resources []Target `json:"resources,omitempty"`
	// Fork are the actions that only the second lane of a fork knows, as in a link; empty without a fork. Both lanes have a simulated cluster of their own,
	// which are the same until then. ForkMillis is when the first of them happens, in ms since the log began.
	Fork       string  `json:"fork,omitempty"`
	ForkMillis float64 `json:"forkMillis,omitempty"`
	// Unshared are the informers that are not shared, in the KindSelected of a Baseline.
	Unshared []LaneOf `json:"unshared,omitempty"`
}

// The sources of a Selection whose log was made elsewhere.
const (
	SourceProbe = "probe" // a probe in another process
	SourceFile  = "file"  // a recording
)

// ReplaceSource returns the event with another source of its selection. A text that is no selection stays as it is.
func (x Selected) ReplaceSource(source string) Selected {
	var sel Selection
	if json.Unmarshal([]byte(x.Selection), &sel) != nil {
		return x
	}
	sel.Source = source
	if text, err := json.Marshal(sel); err == nil {
		x.Selection = string(text)
	}
	return x
}

// Target is a resource that is watched.
type Target struct {
	Group         string `json:"group"`
	Version       string `json:"version"`
	Resource      string `json:"resource"`
	Kind          string `json:"kind,omitempty"`
	ClusterScoped bool   `json:"clusterScoped,omitempty"`
}

// Name returns the resource as kubectl takes it: "pods", "deployments.apps".
func (t Target) Name() string {
	if t.Group == "" {
		return t.Resource
	}
	return t.Resource + "." + t.Group
}

// FullName returns the name with its version, as in a link: "pods", "deployments.v1.apps".
func (t Target) FullName() string {
	if t.Group == "" {
		return t.Resource
	}
	return t.Resource + "." + t.Version + "." + t.Group
}

// Targets returns the watched resources, at least one.
func (s Selection) Targets() []Target {
	if len(s.Resources) > 0 {
		return s.Resources
	}
	return []Target{{Group: s.Group, Version: s.Version, Resource: s.Resource, Kind: s.Kind, ClusterScoped: s.ClusterScoped}}
}

// ForTarget returns the selection of t alone.
func (s Selection) ForTarget(t Target) Selection {
	s.Group, s.Version, s.Resource, s.Kind, s.ClusterScoped = t.Group, t.Version, t.Resource, t.Kind, t.ClusterScoped
	s.Resources, s.Unshared = nil, nil
	return s
}

// LaneOf describes the informer of a lane.
type LaneOf struct {
	Target
	Release string `json:"era,omitempty"`
	// Unshared: it does not belong to the factory.
	Unshared bool `json:"unshared,omitempty"`
	// Shard is the part of the objects that it asks for, such as "1/2"; empty for all.
	Shard string `json:"shard,omitempty"`
}

// Lanes returns the informers that a selection begins with: for each resource one for each release, then the unshared ones.
func (s Selection) Lanes() []LaneOf {
	releases := s.Releases
	if len(releases) == 0 {
		releases = []string{""}
	}
	var out []LaneOf
	for _, t := range s.Targets() {
		for _, release := range releases {
			out = append(out, LaneOf{Target: t, Release: release})
		}
	}
	if s.Fork != "" {
		out = append(out, out...)
	}
	return append(out, s.Unshared...)
}

// WithoutFork returns the selection of one lane of a fork.
func (s Selection) WithoutFork() Selection {
	s.Fork, s.ForkMillis = "", 0
	return s
}

// AnyWatched returns the watched namespace; "" for all namespaces, or if no resource has any.
func (s Selection) AnyWatched() string {
	for _, t := range s.Targets() {
		if !t.ClusterScoped {
			return s.Namespace
		}
	}
	return ""
}

// WatchedNamespace returns the watched namespace; "" for all namespaces, or if the (first) resource has none.
func (s Selection) WatchedNamespace() string {
	if s.ClusterScoped {
		return ""
	}
	return s.Namespace
}
