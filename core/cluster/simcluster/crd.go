package simcluster

import (
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
)

// syncCRD does to a CustomResourceDefinition what the controllers of kube-apiserver do: it accepts the names, serves the resource, and says that it is
// established. Each is a version of the object.
//
// Mirrors k8s.io/apiextensions-apiserver/pkg/controller/status and controller/establish (v0.37.2).
func (c *Cluster) syncCRD(s *slot) {
	m := s.cur.mustMap()
	names, condition := c.acceptNames(s, m)
	isNew := condition["status"] != conditionOf(m, "NamesAccepted")["status"] || condition["message"] != conditionOf(m, "NamesAccepted")["message"]
	if isNew || normalize(names) != normalize(getMap(m, "status", "acceptedNames")) {
		status := ensureMap(m, "status")
		status["acceptedNames"] = names
		c.setCondition(status, condition)
		if conditionOf(m, "Established")["status"] != "True" {
			established := map[string]any{"type": "Established", "status": "False", "reason": "Installing", "message": "the initial names have been accepted"}
			if condition["status"] != "True" {
				established["reason"], established["message"] = "NotAccepted", "not all names are accepted"
			}
			c.setCondition(status, established)
		}
		if c.updateCRD(s, m) == nil { // which syncs it again
			c.syncGroup(s) // it may have released a name
		}
		return
	}
	if condition["status"] != "True" {
		return
	}
	c.serveCRD(m)
	if conditionOf(m, "Established")["status"] != "True" {
		c.setCondition(ensureMap(m, "status"), map[string]any{"type": "Established", "status": "True", "reason": "InitialNamesAccepted",
			"message": "the initial names have been accepted"})
		_ = c.updateCRD(s, m)
	}
}

func (c *Cluster) updateCRD(s *slot, m map[string]any) *apierrors.StatusError {
	return c.rewrite(s, m, "status", "kube-apiserver")
}

// syncGroup looks again at the other CustomResourceDefinitions of a group, whose names may have become free.
func (c *Cluster) syncGroup(s *slot) {
	_, group, _ := strings.Cut(s.cur.name, ".")
	for _, other := range slices.Clone(c.crds.slots()) {
		if _, g, _ := strings.Cut(other.cur.name, "."); g == group && other != s && !other.isDead &&
			other.cur.get(`status.conditions.#(type=="NamesAccepted").status`).String() != "True" {
			c.syncCRD(other)
		}
	}
}

// acceptNames returns the names that a CustomResourceDefinition may have beside the others of its group, and the condition that says so.
func (c *Cluster) acceptNames(s *slot, m map[string]any) (names, condition map[string]any) {
	spec, group := getMap(m, "spec", "names"), getString(m, "spec", "group")
	names = map[string]any{}
	if accepted := getMap(m, "status", "acceptedNames"); accepted != nil {
		names, _ = runtime.DeepCopyJSONValue(accepted).(map[string]any)
	}
	inUse := map[string]bool{} // plurals, singulars and short names as they are, kinds behind a slash
	for _, other := range c.crds.slots() {
		if other == s || other.cur.get("spec.group").String() != group {
			continue
		}
		accepted := other.cur.get("status.acceptedNames")
		for _, f := range [...]string{"plural", "singular"} {
			inUse[accepted.Get(f).String()] = true
		}
		for _, short := range accepted.Get("shortNames").Array() {
			inUse[short.String()] = true
		}
		for _, f := range [...]string{"kind", "listKind"} {
			inUse["/"+accepted.Get(f).String()] = true
		}
	}
	condition = map[string]any{"type": "NamesAccepted", "status": "True", "reason": "NoConflicts", "message": "no conflicts found"}
	refuse := func(reason, text string) {
		condition["status"], condition["reason"], condition["message"] = "False", reason, text
	}
	check := func(f, reason, prefix string) {
		name := getString(spec, f)
		if name != getString(names, f) && inUse[prefix+name] {
			refuse(reason, fmt.Sprintf("%q is already in use", name))
		} else {
			names[f] = name
		}
	}
	check("plural", "PluralConflict", "")
	check("singular", "SingularConflict", "")
	var taken []string
	for _, name := range stringList(spec["shortNames"]) {
		if inUse[name] && !slices.Contains(stringList(names["shortNames"]), name) {
			taken = append(taken, fmt.Sprintf("%q is already in use", name))
		}
	}
	if text := strings.Join(taken, ", "); len(taken) > 1 {
		refuse("ShortNamesConflict", "["+text+"]")
	} else if len(taken) == 1 {
		refuse("ShortNamesConflict", text)
	} else {
		copyField(names, spec, "shortNames")
	}
	check("kind", "KindConflict", "/")
	check("listKind", "ListKindConflict", "/")
	copyField(names, spec, "categories")
	return names, condition
}

func copyField(names, spec map[string]any, f string) {
	delete(names, f)
	if v, ok := spec[f]; ok {
		names[f] = v
	}
}

func conditionOf(m map[string]any, typ string) map[string]any {
	for _, x := range anyList(getMap(m, "status")["conditions"]) {
		if condition, _ := x.(map[string]any); condition["type"] == typ {
			return condition
		}
	}
	return nil
}

// setCondition replaces a condition of a status, or adds it.
func (c *Cluster) setCondition(status, condition map[string]any) {
	condition["lastTransitionTime"] = stamp(c.now)
	list := anyList(status["conditions"])
	for i, x := range list {
		if old, _ := x.(map[string]any); old["type"] == condition["type"] {
			if old["status"] == condition["status"] {
				condition["lastTransitionTime"] = old["lastTransitionTime"]
			}
			list[i] = condition
			return
		}
	}
	status["conditions"] = append(list, condition)
}

// serveCRD serves the versions that a CustomResourceDefinition describes. They share their objects: there is no conversion but of apiVersion and, where
// there are schemas, of what they know.
func (c *Cluster) serveCRD(m map[string]any) {
	spec := getMap(m, "spec")
	names := getMap(m, "status", "acceptedNames")
	k := kindInfo{
		group: getString(spec, "group"), kind: getString(names, "kind"), listKind: getString(names, "listKind"),
		plural: getString(names, "plural"), singular: getString(names, "singular"),
		namespaced: getString(spec, "scope") == "Namespaced", custom: true, generation: true, crd: getString(m, "metadata", "name"),
		shortNames: stringList(names["shortNames"]), categories: stringList(names["categories"]),
	}
	definition := mustJSON([]any{spec, names})
	shared := c.newStorage()
	if old, ok := c.resources[groupResource{k.group, k.plural}]; ok {
		if !old.custom || old.crd != k.crd || old.definition == definition {
			return
		}
		shared = old.storage
	}
	var schemas map[string]Schema
	if c.types != nil {
		var err error
		if schemas, err = c.types.Custom(m); err != nil {
			return // a CustomResourceDefinition that has been validated has schemas
		}
	}
	c.unregister(shared)
	shared.definition, shared.storageVersion = definition, k.group+"/"+storageVersion(spec)
	for _, v := range anyList(spec["versions"]) {
		version, _ := v.(map[string]any)
		k := k
		k.version = getString(version, "name")
		k.served, _ = version["served"].(bool)
		k.schema = schemas[k.version]
		sub := getMap(version, "subresources")
		_, k.status = sub["status"]
		if scale := getMap(sub, "scale"); scale != nil {
			k.scale = &scalePaths{getString(scale, "specReplicasPath"), getString(scale, "statusReplicasPath"), getString(scale, "labelSelectorPath")}
		}
		for _, f := range anyList(version["selectableFields"]) {
			field, _ := f.(map[string]any)
			k.fields = append(k.fields, strings.TrimPrefix(getString(field, "jsonPath"), "."))
		}
		c.registerVersion(k, shared)
	}
	stored := shared.versions[shared.storageVersion]
	for _, s := range shared.slots() {
		s.res = stored
	}
}

// removeCRD stops serving what a CustomResourceDefinition that is gone described, and deletes its objects.
func (c *Cluster) removeCRD(s *slot, m map[string]any) {
	if r := c.resources[groupResource{getString(m, "spec", "group"), getString(m, "spec", "names", "plural")}]; r != nil && r.crd == s.cur.name {
		for _, s := range slices.Clone(r.slots()) {
			c.drop(s)
		}
		c.unregister(r.storage)
	}
	c.syncGroup(s)
}
