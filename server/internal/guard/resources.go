package guard

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

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

// ParseResources parses a comma-separated allow-list. "*" stands for all resources, "*.apps" for all of a group, "pods" for one of the core group.
// "deployments.apps" and "deployments.v1.apps" are one of another group; the version is ignored. Secrets cannot be listed: they have a switch of
// their own.
func ParseResources(list string) (Resources, error) {
	r := Resources{groups: map[string]bool{}, names: map[string]bool{}}
	for entry := range strings.SplitSeq(list, ",") {
		entry = strings.TrimSpace(entry)
		if entry == "" {
			continue
		}
		resource, group, dotted := split(entry)
		if dotted && group == "" && strings.HasSuffix(entry, ".") {
			return Resources{}, fmt.Errorf("%q ends in a dot; write for example pods, deployments.apps, *.apps or *", entry)
		}
		switch {
		case entry == "*":
			r.all = true
			continue
		case !isGroup(group) || resource != "*" && !label.MatchString(resource):
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

// split splits a resource's name into resource and group, without the version.
func split(entry string) (resource, group string, dotted bool) {
	resource, group, dotted = strings.Cut(entry, ".")
	if first, rest, _ := strings.Cut(group, "."); version.MatchString(first) {
		group = rest
	}
	return resource, group, dotted
}

// ParseResource parses the name of one resource: "pods", "deployments.apps" or "deployments.v1.apps".
func ParseResource(name string) (group, resource string, err error) {
	resource, group, _ = split(name)
	if !isGroup(group) || !label.MatchString(resource) || strings.HasSuffix(name, ".") {
		return "", "", fmt.Errorf("%q is not a resource; write for example pods, deployments.apps or foos.v1.example.com", name)
	}
	return group, resource, nil
}

// IsNamespace reports whether a namespace can have this name.
func IsNamespace(name string) bool { return label.MatchString(name) }

// allows reports whether the list allows a resource; Secrets are decided elsewhere.
func (r Resources) allows(group, resource string) bool {
	name := join(resource, group)
	return r.names[name] || !isCarrier(group, resource) && (r.all || r.groups[group])
}

// join returns kubectl's name of a resource: resource.group, or the resource alone in the core group.
func join(resource, group string) string {
	if group == "" {
		return resource
	}
	return resource + "." + group
}

func isGroup(group string) bool {
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

// Description describes Rules, so that the page can mark what it cannot watch. A resource is served if Names has it. It is also served if it is no
// carrier of credentials, and All is true or Groups has its group. It is a carrier if Carriers has it, CarrierGroups has its group, or its own name
// contains one of CarrierWords. Secrets are served if Secrets is true, as metadata.
type Description struct {
	All           bool     `json:"all"`
	Groups        []string `json:"groups"`
	Names         []string `json:"names"`
	Carriers      []string `json:"carriers"`
	CarrierGroups []string `json:"carrierGroups"`
	CarrierWords  []string `json:"carrierWords"`
	Secrets       bool     `json:"secrets"`
}

// Describe returns what the rules allow.
func (rules Rules) Describe() Description {
	d := Description{All: rules.Resources.all, Secrets: rules.SecretsMetadata, Groups: []string{}, Names: []string{}}
	d.Groups = append(d.Groups, slices.Sorted(maps.Keys(rules.Resources.groups))...)
	d.Names = append(d.Names, slices.Sorted(maps.Keys(rules.Resources.names))...)
	d.Carriers = slices.Sorted(maps.Keys(carriers))
	d.CarrierGroups = slices.Sorted(maps.Keys(carrierGroups))
	d.CarrierWords = slices.Clone(carrierWords)
	return d
}

// CheckResource refuses requests for a resource that is not served; nil allows it.
func (rules Rules) CheckResource(group, resource string) *Refusal {
	switch {
	case resource == "secrets" && !rules.SecretsMetadata:
		return refuse("secrets", "Secrets are not served in any form; start the server with --allow-secrets-metadata to see their metadata (never their data)")
	case resource != "secrets" && !rules.Resources.allows(group, resource) && isCarrier(group, resource):
		name := join(resource, group)
		return refuse("resources", fmt.Sprintf("%s may hold credentials, and is served only if --resources names it, as in --resources '*,%s'", name, name))
	case resource != "secrets" && !rules.Resources.allows(group, resource):
		return refuse("resources", fmt.Sprintf("%s is not in the server's list of resources; see --resources", join(resource, group)))
	}
	return nil
}
