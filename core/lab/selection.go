package lab

import (
	"fmt"
	"strings"
	"time"

	"informerscope/core/informer"
	"informerscope/core/trace"
)

// Change is a change of the selection; nil fields stay as they are.
type Change struct {
	Source  *string `json:"source"`
	Context *string `json:"context"`
	Group   *string `json:"group"`
	Version *string `json:"version"`
	// Resource is the plural name; "deployments.apps" and
	// "foos.v1.samplecontroller.k8s.io" say group and version too.
	Resource  *string `json:"resource"`
	Kind      *string `json:"kind"`
	Namespace *string `json:"namespace"`
	// Era is one era, or two with a comma between them.
	Era     *string  `json:"era"`
	Seed    *uint64  `json:"seed"`
	Objects *int     `json:"objects"`
	Rate    *float64 `json:"rate"`

	// Do, From and At ask for a Story on a cluster that begins anew: what was done by hand, when the experiment began, and the
	// event to play to as fast as can be, where time then stands still; 0 for none.
	Do   *string `json:"do"`
	From int64   `json:"from"`
	At   uint64  `json:"at"`
}

// replay is the story that a change asks for, nil for none.
func (c Change) replay() (*encore, error) {
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
	return &encore{from: from, steps: steps, at: c.At}, nil
}

func (c Change) apply(sel trace.Selection) (trace.Selection, error) {
	if c.Source != nil {
		sel.Source = *c.Source
		if sel.Source != "sim" && sel.Source != "live" {
			return sel, fmt.Errorf("unknown source %q: choose sim or live", sel.Source)
		}
	}
	if sel.Source == "file" {
		sel.Source = "sim" // something is to run again
	}
	if c.Context != nil {
		sel.Context = *c.Context
	}
	switch {
	case sel.Source == "sim":
		sel.Context = ""
	case sel.Context == "":
		return sel, fmt.Errorf("say which context of the kubeconfig to watch")
	}
	if c.Resource != nil {
		group, version := deref(c.Group), deref(c.Version)
		resource, kind := *c.Resource, deref(c.Kind)
		if name, rest, dotted := strings.Cut(resource, "."); dotted && group == "" {
			resource = name
			if v, g, ok := strings.Cut(rest, "."); ok && isVersion(v) {
				version, group = v, g
			} else {
				group = rest
			}
		}
		if resource == "" || strings.ContainsAny(resource+group+version, "/?#% \\") {
			return sel, fmt.Errorf("%q is not the name of a resource; it looks like pods, deployments.apps or foos.v1.example.com", *c.Resource)
		}
		if version == "" {
			version = builtinVersions[group] // "" for a group we do not know: discovery finds it
		}
		sel.Group, sel.Version, sel.Resource, sel.Kind = group, version, resource, kind
	}
	if c.Namespace != nil {
		if strings.ContainsAny(*c.Namespace, "/?#% \\") {
			return sel, fmt.Errorf("%q is not the name of a namespace", *c.Namespace)
		}
		sel.Namespace = *c.Namespace
	}
	if c.Era != nil {
		var eras []string
		for s := range strings.SplitSeq(*c.Era, ",") {
			era, err := informer.ParseEra(strings.TrimSpace(s))
			if err != nil {
				return sel, err
			}
			eras = append(eras, era.String())
		}
		if len(eras) > 2 {
			return sel, fmt.Errorf("at most two eras can run side by side")
		}
		sel.Eras = eras
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

// builtinVersions are the versions of groups that every cluster serves, so
// that selecting one of their resources needs no discovery.
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
