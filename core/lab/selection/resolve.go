package selection

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"informerscope/core/client/restwatch"
	"informerscope/core/words/event"
)

// Resolve sets the versions of the resources of a selection, and whether they have namespaces, from what a survey found. err is why the survey found less
// than all, if it did.
func Resolve(sel event.Selection, found []restwatch.Resource, err error) (event.Selection, error) {
	if len(sel.Resources) == 0 {
		return choose(sel, found, err)
	}
	all := slices.Clone(sel.Resources)
	for i := range all {
		one, wrong := choose(sel.ForTarget(all[i]), found, err)
		if wrong == nil && err == nil {
			wrong = explainUnserved(found, all[i])
		}
		if wrong != nil {
			return sel, fmt.Errorf("%w; take it out of %s, or choose among those that it has", wrong, joinNames(all))
		}
		all[i] = one.Targets()[0]
	}
	sel = sel.ForTarget(all[0])
	sel.Resources = all
	return sel, nil
}

// joinNames returns the names of resources, as a user writes several.
func joinNames(all []event.Target) string {
	list := make([]string, len(all))
	for i, t := range all {
		list[i] = t.Name()
	}
	return strings.Join(list, ",")
}

// explainUnserved returns why a resource cannot be watched in any version, by what a survey found; nil if it can.
func explainUnserved(found []restwatch.Resource, t event.Target) error {
	why := "the cluster has no resource " + t.Name() + " that can be listed and watched"
	for _, r := range found {
		switch {
		case r.Group != t.Group || r.Resource != t.Resource && r.Resource != "":
		case r.Unwatchable == "":
			return nil
		default:
			why = t.Name() + " cannot be watched: " + r.Unwatchable
		}
	}
	return errors.New(why)
}

// choose sets the version of a resource, and whether it has namespaces, from what a survey found.
func choose(sel event.Selection, found []restwatch.Resource, err error) (event.Selection, error) {
	why := ""
	for _, preferred := range []bool{true, false} {
		for _, r := range found {
			if r.Group != sel.Group || r.Resource != sel.Resource && r.Resource != "" || sel.Version != "" && r.Version != sel.Version {
				continue
			}
			if r.Unwatchable != "" {
				why = r.Unwatchable
			} else if r.Preferred || !preferred || sel.Version != "" {
				sel.Version, sel.Kind, sel.ClusterScoped = r.Version, r.Kind, !r.Namespaced
				return sel, nil
			}
		}
	}
	name := strings.TrimSuffix(sel.Resource+"."+sel.Group, ".")
	if sel.Version != "" {
		// The question was only whether it has namespaces; the informer will show what the cluster answers.
		return sel, nil
	}
	if why != "" {
		return sel, fmt.Errorf("%s cannot be watched: %s", name, why)
	}
	if err != nil {
		return sel, fmt.Errorf("cannot find out the version of %s: %w", name, err)
	}
	return sel, fmt.Errorf("the cluster has no resource %s that can be listed and watched", name)
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
