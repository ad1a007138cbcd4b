package simcluster

import (
	"cmp"
	"strings"
	"time"
)

// author is who writes an object.
type author struct {
	manager string
	isApply bool                 // the managedFields are set already
	warn    func(texts []string) // adds to the answer; nil for the cluster itself
}

// isClient reports whether the author is not the cluster itself.
func (a author) isClient() bool { return a.warn != nil }

// author returns who sends the request: its fieldManager, or else its program.
func (req *request) author() author {
	agent, _, _ := strings.Cut(req.r.UserAgent(), "/")
	return author{manager: cmp.Or(req.query.Get("fieldManager"), agent, "unknown"), warn: req.warn}
}

// ownFields sets the managedFields of an object that has been written over live, nil for a new one. input is what the request contained.
func (c *Cluster) ownFields(r *resource, live, m, input map[string]any, writer author, sub string) {
	if writer.isApply {
		return
	}
	meta := ensureMap(m, "metadata")
	if live == nil {
		delete(meta, "managedFields")
	}
	if r.schema != nil {
		if live != nil {
			live["kind"], live["apiVersion"] = r.kind, r.apiVersion()
		}
		m["kind"], m["apiVersion"] = r.kind, r.apiVersion()
		next, err := r.schema.Own(live, m, writer.manager, sub)
		delete(m, "kind")
		delete(m, "apiVersion")
		if err == nil {
			if list := anyList(ensureMap(next, "metadata")["managedFields"]); len(list) > 0 {
				meta["managedFields"] = list
				return
			}
		}
		delete(meta, "managedFields") // as kube-apiserver does when the fields of another version are not those of this one
		return
	}
	touchManaged(r, meta, writer.manager, sub, c.now, input)
}

// maxManaged is the greatest number of entries in metadata.managedFields.
const maxManaged = 10

func touchManaged(r *resource, meta map[string]any, manager, sub string, now time.Time, m map[string]any) {
	fields := map[string]any{"f:status": map[string]any{}}
	if sub == "" {
		fields = ownedFields(m)
	}
	list := anyList(meta["managedFields"])
	entry := managedEntry(r, manager, sub, now, fields)
	for i, x := range list {
		if old, ok := x.(map[string]any); ok && old["manager"] == manager && getString(old, "subresource") == sub {
			list[i] = entry
			return
		}
	}
	if len(list) < maxManaged {
		meta["managedFields"] = append(list, entry)
	}
}

func managedEntry(r *resource, manager, sub string, now time.Time, fields map[string]any) map[string]any {
	e := map[string]any{
		"manager": manager, "operation": "Update", "apiVersion": r.apiVersion(), "time": stamp(now),
		"fieldsType": "FieldsV1", "fieldsV1": fields,
	}
	if sub != "" {
		e["subresource"] = sub
	}
	return e
}

// ownedFields returns a coarse FieldsV1: the fields of the first two levels.
func ownedFields(m map[string]any) map[string]any {
	out := map[string]any{}
	//maporder:free copied into a map
	for k, v := range m {
		switch k {
		case "kind", "apiVersion", "status":
			continue
		}
		inner := map[string]any{}
		if sub, ok := v.(map[string]any); ok {
			//maporder:free copied into a map
			for f := range sub {
				switch f {
				case "name", "namespace", "uid", "resourceVersion", "creationTimestamp", "generation", "managedFields":
				default:
					inner["f:"+f] = map[string]any{}
				}
			}
		}
		if k != "metadata" || len(inner) > 0 {
			out["f:"+k] = inner
		}
	}
	return out
}
