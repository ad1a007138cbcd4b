package probe

import (
	"fmt"
	"reflect"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation"
)

// checkResource returns an error if no resource can have this name.
func checkResource(gvr schema.GroupVersionResource) error {
	all := validation.IsDNS1123Label(gvr.Resource)
	if gvr.Group != "" {
		all = append(all, validation.IsDNS1123Subdomain(gvr.Group)...)
	}
	if gvr.Version != "" {
		all = append(all, validation.IsDNS1035Label(gvr.Version)...)
	}
	if len(all) > 0 {
		return fmt.Errorf(`%q is not a resource: write its plural name and its group, as in {Group: "apps", Version: "v1", Resource: "deployments"}`, gvr)
	}
	return nil
}

// checkType returns an error if the informer's objects are of a type of Kubernetes' own that is certainly of another resource.
func (t target) checkType(example runtime.Object) error {
	if example == nil {
		return nil
	}
	typ := elem(reflect.TypeOf(example))
	if !hasGroup(typ) {
		return nil
	}
	if resource := resourceOfType(typ); resource.name() != t.name() {
		return fmt.Errorf("the informer has objects of the type %s, which are called %s, not %s", typ, resource.name(), t.name())
	}
	return nil
}

// isOf reports whether a request for a resource may be the informer's, which may have its name from a type that does not tell the group.
func (l *lane) isOf(t target) bool { return l.name == t.name() || l.hasNoGroup && l.name == t.Resource }

// isCalled reports whether a user means this informer by a resource. If its type does not tell the group, its requests do.
func (l *lane) isCalled(t target) bool {
	if l.name == t.name() {
		return true
	}
	found, isKnown := l.p.wire.find(l)
	return l.isOf(t) && (!isKnown || found.Group == t.Group)
}

// target returns the informer's resource, as its requests show it or else as it was named.
func (l *lane) target() target {
	t, isKnown := l.p.wire.find(l)
	if !isKnown {
		t.Resource, t.Group, _ = strings.Cut(l.name, ".")
		if t.Version = l.version; t.Version == "" {
			t.Version = "v1"
		}
	}
	return t
}
