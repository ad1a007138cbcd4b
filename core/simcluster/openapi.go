package simcluster

import (
	"net/http"
	"strings"
)

// serveOpenAPI serves the part of OpenAPI v3 that kubectl reads before it writes: the patch of each kind accepts the fieldValidation parameter. kubectl
// then leaves validation to the server. There are no schemas, and no v2.
func (c *Cluster) serveOpenAPI(w http.ResponseWriter, method string, parts []string) {
	if method != http.MethodGet {
		writeStatus(w, methodNotAllowed(method))
		return
	}
	if len(parts) < 2 || parts[1] != "v3" {
		writeStatus(w, pathNotFound())
		return
	}
	c.mu.Lock()
	gvs, byGV := c.groupVersions()
	paths := tree{}
	found := len(parts) == 2
	for _, gv := range gvs {
		root := "apis/" + gv[0] + "/" + gv[1]
		if gv[0] == "" {
			root = "api/" + gv[1]
		}
		if len(parts) == 2 {
			paths[root] = tree{"serverRelativeURL": "/openapi/v3/" + root}
			continue
		}
		if strings.Join(parts[2:], "/") != root {
			continue
		}
		found = true
		for _, r := range byGV[gv] {
			path := "/" + root + "/" + r.plural + "/{name}"
			if r.namespaced {
				path = "/" + root + "/namespaces/{namespace}/" + r.plural + "/{name}"
			}
			param := func(name string) tree {
				return tree{"name": name, "in": "query", "schema": tree{"type": "string", "uniqueItems": true}}
			}
			paths[path] = tree{"patch": tree{
				"x-kubernetes-action":             "patch",
				"x-kubernetes-group-version-kind": tree{"group": r.group, "version": r.version, "kind": r.kind},
				"parameters":                      []any{param("dryRun"), param("fieldManager"), param("fieldValidation")},
				"responses":                       tree{"200": tree{"description": "OK"}},
			}}
		}
	}
	c.mu.Unlock()
	switch {
	case !found:
		writeStatus(w, pathNotFound())
	case len(parts) == 2:
		writeJSON(w, http.StatusOK, []byte(mustJSON(tree{"paths": paths})))
	default:
		writeJSON(w, http.StatusOK, []byte(mustJSON(tree{"openapi": "3.0.0",
			"info": tree{"title": "Kubernetes", "version": "v" + kubeVersion}, "paths": paths})))
	}
}
