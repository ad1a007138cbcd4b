package simcluster

import (
	"net/http"
	"strings"
)

// serveOpenAPI serves OpenAPI: see there.
func (c *Cluster) serveOpenAPI(w http.ResponseWriter, method string, parts []string) {
	if method != http.MethodGet {
		writeStatus(w, methodNotAllowed(method))
		return
	}
	if len(parts) < 2 || parts[1] != "v3" {
		writeStatus(w, pathNotFound())
		return
	}
	documents := c.OpenAPI()
	if len(parts) == 2 {
		paths := tree{}
		//maporder:free copied into a map
		for root := range documents {
			paths[root] = tree{"serverRelativeURL": "/openapi/v3/" + root}
		}
		writeJSON(w, http.StatusOK, []byte(mustJSON(tree{"paths": paths})))
	} else if document, ok := documents[strings.Join(parts[2:], "/")]; ok {
		writeJSON(w, http.StatusOK, document)
	} else {
		writeStatus(w, pathNotFound())
	}
}

// OpenAPI returns the part of the OpenAPI v3 documents that kubectl reads before it writes, by root, such as "apis/apps/v1": the patch of each kind accepts the
// fieldValidation parameter. kubectl then leaves validation to the server. There are no schemas, and no v2.
func (c *Cluster) OpenAPI() map[string][]byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	gvs, byGV := c.groupVersions()
	documents := map[string][]byte{}
	for _, gv := range gvs {
		root := "apis/" + gv[0] + "/" + gv[1]
		if gv[0] == "" {
			root = "api/" + gv[1]
		}
		paths := tree{}
		for _, r := range byGV[gv] {
			path := "/" + root + "/" + r.plural
			if r.namespaced {
				path = "/" + root + "/namespaces/{namespace}/" + r.plural
			}
			param := func(name string) tree {
				return tree{"name": name, "in": "query", "schema": tree{"type": "string", "uniqueItems": true}}
			}
			verb := "post"
			if r.answer == nil {
				verb, path = "patch", path+"/{name}"
			}
			paths[path] = tree{verb: tree{
				"x-kubernetes-action":             verb,
				"x-kubernetes-group-version-kind": tree{"group": r.group, "version": r.version, "kind": r.kind},
				"parameters":                      []any{param("dryRun"), param("fieldManager"), param("fieldValidation")},
				"responses":                       tree{"200": tree{"description": "OK"}},
			}}
		}
		documents[root] = []byte(mustJSON(tree{"openapi": "3.0.0", "info": tree{"title": "Kubernetes", "version": "v" + kubeVersion}, "paths": paths}))
	}
	return documents
}
