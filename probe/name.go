package probe

import (
	"fmt"
	"reflect"
	"regexp"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
)

var (
	// versionPart is what an API version looks like. The part of a group that stands behind a resource never does.
	versionPart  = regexp.MustCompile(`^v[1-9][0-9]*((alpha|beta)[1-9][0-9]*)?$`)
	resourcePart = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`)
	groupPart    = regexp.MustCompile(`^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$`)
)

// parseName returns the resource that a name means, without a version if the name has none: "pods", "deployments.apps", "deployments.v1.apps" as kubectl has
// it, or "apps/v1, Resource=deployments", the text of a schema.GroupVersionResource.
func parseName(name string) (t target, err error) {
	if groupVersion, resource, ok := strings.Cut(name, ", Resource="); ok {
		t.Resource = resource
		if t.Group, t.Version, ok = strings.Cut(groupVersion, "/"); !ok {
			t.Resource = "" // it is none of a GroupVersionResource
		}
	} else if t.Resource, t.Group, _ = strings.Cut(name, "."); t.Group != "" {
		if first, rest, _ := strings.Cut(t.Group, "."); versionPart.MatchString(first) {
			t.Version, t.Group = first, rest
		}
	}
	if !resourcePart.MatchString(t.Resource) || t.Group != "" && !groupPart.MatchString(t.Group) || t.Version != "" && !versionPart.MatchString(t.Version) {
		return target{}, fmt.Errorf(`%q is not the name of a resource: write "pods", or with the group "deployments.apps", or a GroupVersionResource's String`, name)
	}
	return t, nil
}

// matchesType returns an error if the informer's objects are of a type of Kubernetes' own that is certainly of another resource.
func (t target) matchesType(example runtime.Object) error {
	if example == nil {
		return nil
	}
	typ := elem(reflect.TypeOf(example))
	if !hasGroup(typ) {
		return nil
	}
	if is := resourceOfType(typ); is.Resource != t.Resource || t.Group != "" && is.Group != t.Group {
		return fmt.Errorf("the informer has objects of the type %s, which are called %s, not %s", typ, is.name(), t.name())
	}
	return nil
}

// isCalled reports whether a user means this informer by a name: its own, or one with a group that an informer of a type lacks.
func (l *lane) isCalled(name string) bool {
	if name == l.name {
		return true
	}
	t, err := parseName(name)
	return err == nil && (t.name() == l.name || l.hasNoGroup && t.Resource == l.name && l.mayHaveGroup(t.Group))
}

// mayHaveGroup reports whether the requests of an informer that was named by a type leave its group open, or show this one.
func (l *lane) mayHaveGroup(group string) bool {
	t, isKnown := l.p.wire.find(l.name)
	return !isKnown || t.Group == group
}

// target returns the informer's resource, as its requests show it or else as it was named.
func (l *lane) target() target {
	t, isKnown := l.p.wire.find(l.name)
	if !isKnown {
		t.Resource, t.Group, _ = strings.Cut(l.name, ".")
		if t.Version = l.version; t.Version == "" {
			t.Version = "v1"
		}
	}
	return t
}
