package simcluster

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
)

// kubeVersion is the version of Kubernetes that the cluster reports.
const kubeVersion = "1.36.3"

var versionJSON = []byte(`{"major":"1","minor":"36","gitVersion":"v` + kubeVersion + `+informerscope","gitCommit":"","gitTreeState":"clean",` +
	`"buildDate":"","goVersion":"","compiler":"gc","platform":"simulated/wasm"}`)

// tree is a JSON object under construction.
type tree = map[string]any

// groupVersions returns the served group versions, the core group first, and the resources of each.
func (c *Cluster) groupVersions() (gvs [][2]string, byGV map[[2]string][]*resource) {
	byGV = map[[2]string][]*resource{}
	for _, r := range c.order {
		if !r.served {
			continue
		}
		gv := [2]string{r.group, r.version}
		if byGV[gv] == nil {
			gvs = append(gvs, gv)
		}
		byGV[gv] = append(byGV[gv], r)
	}
	return gvs, byGV
}

var (
	allVerbs    = []string{"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"}
	customVerbs = []string{"delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"}
)

func (r *resource) verbs() []string {
	switch {
	case r.custom:
		return customVerbs
	case r.kind == "Namespace":
		return []string{"create", "delete", "get", "list", "patch", "update", "watch"}
	}
	return allVerbs
}

func (c *Cluster) serveDiscovery(w http.ResponseWriter, parts []string, sh shape) {
	c.mu.Lock()
	gvs, byGV := c.groupVersions()
	var answer any
	contentType := "application/json"
	switch {
	case len(parts) == 1 && sh == shapeDiscovery:
		answer = c.aggregatedDocument(parts[0] == "api", gvs, byGV)
		contentType = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
	case len(parts) == 1 && parts[0] == "api":
		answer = tree{"kind": "APIVersions", "versions": []string{"v1"}, "serverAddressByClientCIDRs": []any{}}
	case len(parts) == 1:
		groups := []any{}
		for _, g := range groupNames(gvs) {
			groups = append(groups, apiGroup(g, gvs))
		}
		answer = tree{"kind": "APIGroupList", "apiVersion": "v1", "groups": groups}
	case parts[0] == "apis" && len(parts) == 2:
		if slices.Contains(groupNames(gvs), parts[1]) {
			g := apiGroup(parts[1], gvs)
			g["kind"], g["apiVersion"] = "APIGroup", "v1"
			answer = g
		}
	default:
		gv := [2]string{"", parts[1]}
		if parts[0] == "apis" {
			gv = [2]string{parts[1], parts[2]}
		}
		if rs := byGV[gv]; rs != nil && (gv[0] == "") == (parts[0] == "api") {
			answer = resourceList(gv, rs)
		}
	}
	var body []byte
	var err error
	if answer != nil {
		body, err = json.Marshal(answer)
	}
	c.mu.Unlock()
	if answer == nil || err != nil {
		http.Error(w, "404 page not found", http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("Vary", "Accept")
	w.WriteHeader(http.StatusOK)
	_, _ = w.Write(body) // the client may have gone; there is nothing else to do
}

func groupNames(gvs [][2]string) []string {
	var names []string
	for _, gv := range gvs {
		if gv[0] != "" && !slices.Contains(names, gv[0]) {
			names = append(names, gv[0])
		}
	}
	return names
}

func apiGroup(name string, gvs [][2]string) tree {
	var versions []any
	for _, gv := range gvs {
		if gv[0] == name {
			versions = append(versions, tree{"groupVersion": gv[0] + "/" + gv[1], "version": gv[1]})
		}
	}
	return tree{"name": name, "versions": versions, "preferredVersion": versions[0]}
}

func resourceList(gv [2]string, rs []*resource) tree {
	list := []any{}
	for _, r := range rs {
		e := tree{"name": r.plural, "singularName": r.singular, "namespaced": r.namespaced, "kind": r.kind, "verbs": r.verbs()}
		if len(r.shortNames) > 0 {
			e["shortNames"] = r.shortNames
		}
		if len(r.categories) > 0 {
			e["categories"] = r.categories
		}
		list = append(list, e)
		for _, sub := range r.subresources() {
			e := tree{"name": r.plural + "/" + sub.name, "singularName": "", "namespaced": r.namespaced, "kind": sub.kind, "verbs": sub.verbs}
			if sub.group != r.group || sub.version != r.version {
				e["group"], e["version"] = sub.group, sub.version
			}
			list = append(list, e)
		}
	}
	groupVersion := strings.TrimPrefix(gv[0]+"/"+gv[1], "/")
	return tree{"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": groupVersion, "resources": list}
}

type subresource struct {
	name, group, version, kind string
	verbs                      []string
}

func (r *resource) subresources() []subresource {
	var subs []subresource
	if r.plural == "pods" && r.group == "" {
		subs = append(subs, subresource{"binding", "", "v1", "Binding", []string{"create"}},
			subresource{"eviction", "policy", "v1", "Eviction", []string{"create"}})
	}
	if r.plural == "namespaces" && r.group == "" {
		subs = append(subs, subresource{"finalize", "", "v1", "Namespace", []string{"update"}})
	}
	if r.scale != nil {
		subs = append(subs, subresource{"scale", "autoscaling", "v1", "Scale", []string{"get", "patch", "update"}})
	}
	if r.status {
		subs = append(subs, subresource{"status", r.group, r.version, r.kind, []string{"get", "patch", "update"}})
	}
	if r.custom {
		slices.Reverse(subs) // as kube-apiserver lists them
	}
	return subs
}

// aggregatedDocument returns the apidiscovery.k8s.io/v2 document: everything under /api or /apis in one answer.
func (c *Cluster) aggregatedDocument(core bool, gvs [][2]string, byGV map[[2]string][]*resource) tree {
	items := []any{}
	scope := func(r *resource) string {
		if r.namespaced {
			return "Namespaced"
		}
		return "Cluster"
	}
	names := []string{""}
	if !core {
		names = groupNames(gvs)
	}
	for _, g := range names {
		versions := []any{}
		for _, gv := range gvs {
			if gv[0] != g {
				continue
			}
			resources := []any{}
			for _, r := range byGV[gv] {
				e := tree{"resource": r.plural, "scope": scope(r), "singularResource": r.singular, "verbs": r.verbs(),
					"responseKind": tree{"group": r.group, "version": r.version, "kind": r.kind}}
				if len(r.shortNames) > 0 {
					e["shortNames"] = r.shortNames
				}
				if len(r.categories) > 0 {
					e["categories"] = r.categories
				}
				var subs []any
				for _, s := range r.subresources() {
					subs = append(subs, tree{"subresource": s.name, "verbs": s.verbs,
						"responseKind": tree{"group": s.group, "version": s.version, "kind": s.kind}})
				}
				if len(subs) > 0 {
					e["subresources"] = subs
				}
				resources = append(resources, e)
			}
			versions = append(versions, tree{"version": gv[1], "freshness": "Current", "resources": resources})
		}
		meta := tree{}
		if g != "" {
			meta["name"] = g
		}
		items = append(items, tree{"metadata": meta, "versions": versions})
	}
	return tree{"kind": "APIGroupDiscoveryList", "apiVersion": "apidiscovery.k8s.io/v2", "metadata": tree{}, "items": items}
}
