package simcluster

import (
	"net/url"
	"slices"
	"strconv"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
	"k8s.io/apimachinery/pkg/sharding"
	"k8s.io/apimachinery/pkg/types"
)

// selector is the part of a list or watch that selects objects.
type selector struct {
	namespace string
	name      string // watch of a single object
	labels    labels.Selector
	fields    fields.Requirements
	shard     sharding.Selector // nil without one
}

func (r *resource) parseSelector(namespace, name string, q url.Values) (selector, *apierrors.StatusError) {
	s := selector{namespace: namespace, name: name}
	if text := q.Get("labelSelector"); text != "" {
		sel, err := labels.Parse(text)
		if err != nil {
			return s, badRequest("%v", err)
		}
		if !sel.Empty() {
			s.labels = sel
		}
	}
	if text := q.Get("fieldSelector"); text != "" {
		sel, err := fields.ParseSelector(text)
		if err != nil {
			return s, badRequest("%v", err)
		}
		s.fields = sel.Requirements()
		for _, req := range s.fields {
			known := req.Field == "metadata.name" || req.Field == "metadata.namespace" && (r.namespaced || !r.custom) || slices.Contains(r.fields, req.Field)
			if known {
				continue
			}
			if len(r.fields) > 0 && r.group == "" || r.custom {
				return s, badRequest("field label not supported: %s", req.Field)
			}
			return s, badRequest("%q is not a known field selector: only \"metadata.name\", \"metadata.namespace\"", req.Field)
		}
	}
	if text := q.Get("shardSelector"); text != "" {
		var e *apierrors.StatusError
		if s.shard, e = parseShard(text); e != nil {
			return s, e
		}
	}
	return s, nil
}

// matchesAll reports whether a list with the selector has everything in its namespace.
func (s *selector) matchesAll() bool { return s.labels == nil && len(s.fields) == 0 && s.shard == nil }

func (s *selector) matches(o *object) bool {
	if s.namespace != "" && o.namespace != s.namespace || s.name != "" && o.name != s.name {
		return false
	}
	if s.labels != nil && !s.labels.Matches(o.labels) {
		return false
	}
	for _, req := range s.fields {
		var v string
		switch req.Field {
		case "metadata.name":
			v = o.name
		case "metadata.namespace":
			v = o.namespace
		case "spec.nodeName":
			v = o.nodeName
		case "status.phase":
			v = o.phase
		case "spec.unschedulable", "spec.hostNetwork": // false is not encoded
			v = strconv.FormatBool(o.get(req.Field).Bool())
		case "status.replicas":
			v = strconv.FormatInt(o.get(req.Field).Int(), 10)
		case "status.podIPs":
			v = o.get("status.podIPs.0.ip").String()
		default:
			v = o.get(req.Field).String()
		}
		if (v == req.Value) == (req.Operator == selection.NotEquals) {
			return false
		}
	}
	if s.shard == nil {
		return true
	}
	// Neither field that a shard can hash ever changes, so no object moves to another shard.
	in, err := s.shard.Matches(&metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{UID: types.UID(o.uid), Namespace: o.namespace}})
	return in && err == nil
}
