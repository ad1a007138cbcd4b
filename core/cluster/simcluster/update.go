package simcluster

import (
	"bytes"
	"fmt"
	"maps"
	"strconv"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// change is a write over an object that exists.
type change struct {
	r      *resource // the version in which next is
	slot   *slot
	next   map[string]any // what the object shall be; the cluster takes it over
	input  map[string]any // what the request contained: a patch, or next itself
	sub    string         // the subresource: "status", "scale", "finalize", or ""
	writer author
	dry    bool
}

// rewrite replaces an object, or its status, on the cluster's own account.
func (c *Cluster) rewrite(s *slot, next map[string]any, sub, manager string) *apierrors.StatusError {
	_, e := c.update(change{r: s.res, slot: s, next: next, input: next, sub: sub, writer: author{manager: manager}})
	return e
}

// update replaces an object, or its status, but keeps the fields that only the server may change. A write that changes nothing makes no new version, as in a
// real API server.
func (c *Cluster) update(x change) (*object, *apierrors.StatusError) {
	old := x.slot.cur
	if e := x.checkPreconditions(); e != nil {
		return nil, e
	}
	shown := x.r.show(old)
	live := shown.mustMap()
	version := ensureMap(live, "metadata")["resourceVersion"]
	switch x.sub {
	case "status":
		x.takeStatus(shown.mustMap())
	case "finalize":
		next := old.mustMap()
		next["spec"] = x.next["spec"]
		x.next = next
	default:
		if e := c.takeMain(&x, live); e != nil {
			return nil, e
		}
	}
	if x.r.schema != nil && x.writer.isClient() { // what the cluster itself writes is valid
		ensureMap(x.next, "metadata")["resourceVersion"] = version
		sub := x.sub
		if sub == "scale" { // its objects are those of the resource
			sub = ""
		}
		var e *apierrors.StatusError
		if x.next, e = x.r.write(live, x.next, sub, x.writer); e != nil {
			return nil, e
		}
	}
	meta := ensureMap(x.next, "metadata")
	delete(x.next, "kind")
	delete(x.next, "apiVersion")
	meta["resourceVersion"] = version
	if same, e := encodeAlike(x.next, live); e != nil {
		return nil, e
	} else if same {
		return old, nil
	}
	if !x.r.hasStrategy() && (x.sub == "" || x.sub == "scale") && c.counts(x.r, x.next, live) {
		meta["generation"] = getInt(ensureMap(live, "metadata"), 1, "generation") + 1
	}
	c.ownFields(x.r, live, x.next, x.input, x.writer, x.sub)
	if x.dry {
		return answerDryRun(x.next)
	}
	o, e := c.encodeVersion(x.r, x.next)
	if e != nil {
		return nil, e
	}
	if o.isDeleting && !o.hasFinalizers && x.r != c.namespaces && (x.r != c.pods || o.get("metadata.deletionGracePeriodSeconds").Int() == 0) {
		c.remove(x.slot) // at once: as in a real API server, there is no version without the last finalizer
		return o, nil
	}
	c.put(x.r, o)
	c.notifyControllers(x.slot, old)
	return o, nil
}

// checkPreconditions compares the UID, resourceVersion and namespace that the change names with those of the object.
func (x *change) checkPreconditions() *apierrors.StatusError {
	r, old, meta := x.r, x.slot.cur, ensureMap(x.next, "metadata")
	if uid := getString(meta, "uid"); uid != "" && uid != old.uid {
		return apierrors.NewConflict(r.schemaGR(), old.name, fmt.Errorf("StorageError: invalid object, Code: 4, Key: %s, ResourceVersion: 0, "+
			"AdditionalErrorMsg: Precondition failed: UID in precondition: %v, UID in object meta: %v", r.storageKey(old), uid, old.uid))
	}
	if rv := getString(meta, "resourceVersion"); rv == "" && r.conditionalUpdate && x.sub == "" {
		return invalidObject(r.group, r.plural, old.name, problem{metav1.CauseTypeFieldValueInvalid, "metadata.resourceVersion",
			"Invalid value: 0: must be specified for an update"})
	} else if rv != "" && rv != strconv.FormatUint(old.rev, 10) {
		return apierrors.NewConflict(r.schemaGR(), old.name, fmt.Errorf("%s", conflictText))
	}
	if ns := getString(meta, "namespace"); ns != "" && ns != old.namespace {
		return badRequest("the namespace of the provided object does not match the namespace sent on the request")
	}
	return nil
}

// takeStatus makes next of a copy of the live object: only the status changes and, of a built-in resource, the annotations.
func (x *change) takeStatus(live map[string]any) {
	meta := ensureMap(x.next, "metadata")
	live["status"] = x.next["status"]
	if x.writer.isApply {
		ensureMap(live, "metadata")["managedFields"] = meta["managedFields"]
	}
	if x.next["status"] == nil {
		delete(live, "status")
	}
	if annotations := meta["annotations"]; !x.r.custom && annotations != nil {
		ensureMap(live, "metadata")["annotations"] = annotations
	}
	x.next = live
}

// takeMain keeps in next what only the server may change, completes it, and validates it.
func (c *Cluster) takeMain(x *change, live map[string]any) *apierrors.StatusError {
	r, m, old := x.r, x.next, x.slot.cur
	meta, liveMeta := ensureMap(m, "metadata"), ensureMap(live, "metadata")
	if r.status && r != c.nodes {
		m["status"] = live["status"]
		if live["status"] == nil {
			delete(m, "status")
		}
	}
	for _, f := range [...]string{"uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "generation",
		"namespace", "name", "generateName", "managedFields"} {
		if f == "managedFields" && (x.writer.isApply || c.types != nil && meta[f] != nil) { // a client may change who owns what
			continue
		}
		if v, ok := liveMeta[f]; ok {
			meta[f] = v
		} else {
			delete(meta, f)
		}
	}
	if r == c.pods {
		maps.DeleteFunc(m, func(k string, _ any) bool { return k != "metadata" && k != "spec" && k != "status" })
		if node := getString(live, "spec", "nodeName"); node != getString(m, "spec", "nodeName") {
			return invalidObject("", "Pod", old.name, forbiddenValue("spec",
				"pod updates may not change fields other than "+
					"`spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations)"))
		}
	}
	if c.types != nil && !r.hasStrategy() {
		c.setDefaults(r, m)
		r.schema.Admit(m, false)
	}
	if e := r.validate(m); e != nil {
		return e
	}
	return r.validateUpdate(m, old)
}

// encodeAlike reports whether two objects have the same JSON, in which json.Number and int are the same.
func encodeAlike(a, b map[string]any) (bool, *apierrors.StatusError) {
	first, err := appendJSON(nil, a, false)
	if err != nil {
		return false, badRequest("the object cannot be encoded: %v", err)
	}
	second, err := appendJSON(nil, b, false)
	if err != nil {
		return false, badRequest("the stored object cannot be encoded: %v", err)
	}
	return bytes.Equal(first, second), nil
}

// counts reports whether a change of an object counts in its generation.
func (c *Cluster) counts(r *resource, m, live map[string]any) bool {
	if !r.generation && r != c.pods {
		return false
	}
	if normalize(m["spec"]) != normalize(live["spec"]) {
		return true
	}
	// Mirrors k8s.io/kubernetes/pkg/registry/apps/deployment.deploymentStrategy.PrepareForUpdate (v1.36).
	return r == c.deployments && c.types != nil && normalize(getMap(m, "metadata")["annotations"]) != normalize(getMap(live, "metadata")["annotations"])
}
