package guard

import (
	"fmt"
	"regexp"
	"strings"
)

// carriers are resources other than Secrets whose objects are, or contain, credentials. They are refused unless the
// allow-list names them one by one.
var carriers = map[string]bool{
	"tokenreviews.authentication.k8s.io":       true,
	"tokenrequests.authentication.k8s.io":      true,
	"oauthaccesstokens.oauth.openshift.io":     true,
	"oauthauthorizetokens.oauth.openshift.io":  true,
	"oauthclients.oauth.openshift.io":          true,
	"useroauthaccesstokens.oauth.openshift.io": true,
	"tokens.management.cattle.io":              true,
}

var (
	label   = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$`)
	version = regexp.MustCompile(`^v[0-9]+((alpha|beta)[0-9]+)?$`)
)

// Resources is the allow-list of resources. The zero value allows none.
type Resources struct {
	all    bool            // "*"
	groups map[string]bool // "*.group"
	names  map[string]bool // "resource" or "resource.group"
}

// ParseResources reads a comma-separated allow-list: "*" for all resources, "*.apps" for all of a group, "pods" for one of
// the core group, "deployments.apps" or "deployments.v1.apps" for one of another group (the version is not looked at).
// Secrets cannot be listed: they have a switch of their own.
func ParseResources(list string) (Resources, error) {
	r := Resources{groups: map[string]bool{}, names: map[string]bool{}}
	for entry := range strings.SplitSeq(list, ",") {
		entry = strings.TrimSpace(entry)
		if entry == "" {
			continue
		}
		resource, group, dotted := strings.Cut(entry, ".")
		if dotted && group == "" {
			return Resources{}, fmt.Errorf("%q ends in a dot; write for example pods, deployments.apps, *.apps or *", entry)
		}
		if first, rest, _ := strings.Cut(group, "."); version.MatchString(first) {
			group = rest
		}
		switch {
		case entry == "*":
			r.all = true
			continue
		case !validGroup(group) || resource != "*" && !label.MatchString(resource):
			return Resources{}, fmt.Errorf("%q is not a resource; write for example pods, deployments.apps, *.apps or *", entry)
		case resource == "secrets":
			return Resources{}, fmt.Errorf("%q cannot be in the list of resources: Secrets are not served; --allow-secrets-metadata serves their metadata", entry)
		case resource == "*":
			r.groups[group] = true
		default:
			r.names[join(resource, group)] = true
		}
	}
	if !r.all && len(r.groups) == 0 && len(r.names) == 0 {
		return Resources{}, fmt.Errorf("the list of resources is empty; write for example pods,deployments.apps, or * for all")
	}
	return r, nil
}

// allows says whether the list lets a resource through, Secrets aside.
func (r Resources) allows(group, resource string) bool {
	name := join(resource, group)
	return r.names[name] || !carriers[name] && (r.all || r.groups[group])
}

// join is kubectl's name of a resource: resource.group, or the resource alone in the core group.
func join(resource, group string) string {
	if group == "" {
		return resource
	}
	return resource + "." + group
}

func validGroup(group string) bool {
	if group == "" {
		return true
	}
	for part := range strings.SplitSeq(group, ".") {
		if !label.MatchString(part) {
			return false
		}
	}
	return len(group) <= 253
}
