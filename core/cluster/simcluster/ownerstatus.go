package simcluster

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"
)

// deploymentPlan is a deployment's spec as the controller needs it. It is cached, because the spec is large and seldom changes, but every change of a
// pod needs the plan.
type deploymentPlan struct {
	spec                         []byte // the bytes it was read from
	replicas, surge, unavailable int
	paused, recreate             bool
	hash                         string // of the template
	replicaSet                   string // name of the replica set for the current template
}

// planOf returns the plan of a deployment's current spec.
func (c *Cluster) planOf(d *slot) *deploymentPlan {
	spec := d.cur.spec()
	if d.plan == nil || !bytes.Equal(d.plan.spec, spec) {
		d.plan = readPlan(d.cur.name, d.cur.mustMap())
	}
	d.plan.spec = spec // the current bytes, so that the old ones can be freed
	return d.plan
}

// readPlan reads the plan of a deployment from its map.
func readPlan(name string, m map[string]any) *deploymentPlan {
	p := &deploymentPlan{replicas: getInt(m, 1, "spec", "replicas"), hash: templateHash(getMap(m, "spec", "template"))}
	p.replicaSet = replicaSetName(name, p.hash)
	p.paused, _ = getMap(m, "spec")["paused"].(bool)
	p.recreate = getString(m, "spec", "strategy", "type") == "Recreate"
	rolling := getMap(m, "spec", "strategy", "rollingUpdate")
	p.surge = portion(rolling["maxSurge"], p.replicas, true, 1)
	p.unavailable = portion(rolling["maxUnavailable"], p.replicas, false, 0)
	return p
}

const statusKey = `,"status":`

// spec returns the bytes of spec, and of what is between it and status.
func (o *object) spec() []byte {
	if o.statusOff > o.specOff {
		return o.raw[o.specOff : o.statusOff-len(statusKey)]
	}
	return o.raw[o.specOff : len(o.raw)-1]
}

// statusWriter builds a status with its keys in the order in which encoding/json writes a map, so that both give the same bytes.
type statusWriter struct{ b []byte }

func (w *statusWriter) key(k string) {
	sep := byte(',')
	if len(w.b) == 0 {
		sep = '{'
	}
	w.b = append(append(append(w.b, sep, '"'), k...), '"', ':')
}

func (w *statusWriter) number(k string, n int) {
	w.key(k)
	w.b = strconv.AppendInt(w.b, int64(n), 10)
}

// positive writes a count, but not 0, as omitempty does.
func (w *statusWriter) positive(k string, n int) {
	if n > 0 {
		w.number(k, n)
	}
}

func (w *statusWriter) finish() []byte { return append(w.b, '}') }

// appendOwnerCondition appends a condition of a deployment. It keeps lastTransitionTime from conditions if the status did not change, and lastUpdateTime if
// the reason did not change either.
func (c *Cluster) appendOwnerCondition(b []byte, conditions gjson.Result, typ string, ok bool, reason, message string) []byte {
	state := "False"
	if ok {
		state = "True"
	}
	since := stamp(c.now)
	updated := since
	conditions.ForEach(func(_, old gjson.Result) bool {
		if old.Get("type").String() == typ && old.Get("status").String() == state {
			since = old.Get("lastTransitionTime").String()
			if old.Get("reason").String() == reason {
				updated = old.Get("lastUpdateTime").String()
			}
		}
		return true
	})
	sep := byte('{')
	for _, f := range [...][2]string{{"lastTransitionTime", since}, {"lastUpdateTime", updated}, {"message", message},
		{"reason", reason}, {"status", state}, {"type", typ}} {
		b = append(append(append(b, sep, '"'), f[0]...), '"', ':')
		b = append(b, mustText(f[1])...)
		sep = ','
	}
	return append(b, '}')
}

const statusManager = "kube-controller-manager"

// storeStatus stores a new version of an object with the given status. It returns false if the status is the same, or cannot be encoded.
func (c *Cluster) storeStatus(s *slot, status []byte) bool {
	old := s.cur
	if old.statusOff > 0 && bytes.Equal(old.raw[old.statusOff:old.statusEnd], status) {
		return false
	}
	o := c.spliceStatus(s.res, old, status)
	if o == nil {
		o = c.encodeStatus(s, status)
	}
	if o == nil {
		return false
	}
	c.put(s.res, o)
	return true
}

// encodeStatus returns the next version of an object with the given status. It decodes and encodes the object, which is slow, but works for any.
func (c *Cluster) encodeStatus(s *slot, status []byte) *object {
	m := s.cur.mustMap()
	next, err := decodeMap(status)
	if err != nil {
		return nil
	}
	m["status"] = next
	touchManaged(s.res, ensureMap(m, "metadata"), statusManager, "status", c.now, m)
	o, err := c.encode(m)
	if err != nil {
		return nil
	}
	return o
}

// spliceStatus returns the next version of an object by splicing three things into its bytes: the time of the last status write, the resourceVersion,
// and the status. It returns nil if they are not in the order in which encode writes them.
func (c *Cluster) spliceStatus(r *resource, old *object, status []byte) *object {
	end := len(old.raw) - 1 // end of the part before the status
	if old.statusOff > 0 {
		end = old.statusOff
	}
	if old.specOff < old.rvEnd || end < old.specOff {
		return nil
	}
	now := stamp(c.now)
	text := now
	from, to, entries := 0, 0, 0
	managed := old.get("metadata.managedFields")
	managed.ForEach(func(_, e gjson.Result) bool {
		entries++
		if e.Get("manager").Str == statusManager && e.Get("subresource").Str == "status" {
			if t := e.Get("time"); t.Index > 0 {
				from, to = t.Index+1, t.Index+len(t.Raw)-1
			}
			return false
		}
		return true
	})
	if from == 0 && entries > 0 && entries < maxManaged {
		from = managed.Index + len(managed.Raw) - 1
		to = from
		text = `,{"apiVersion":"` + r.apiVersion() + `","fieldsType":"FieldsV1","fieldsV1":{"f:status":{}},"manager":"` + statusManager +
			`","operation":"Update","subresource":"status","time":"` + now + `"}`
	} else if to-from != len(now) {
		return nil
	}
	if from > old.rvOff {
		return nil
	}
	o := *old
	o.rev = c.rev + 1
	var digits [20]byte
	rv := strconv.AppendUint(digits[:0], o.rev, 10)
	b := make([]byte, 0, len(old.raw)+len(text)+len(rv)-(old.rvEnd-old.rvOff)+len(status)-(old.statusEnd-old.statusOff)+len(statusKey))
	b = append(append(b, old.raw[:from]...), text...)
	b = append(b, old.raw[to:old.rvOff]...)
	o.rvOff = len(b)
	b = append(b, rv...)
	o.rvEnd = len(b)
	o.specOff += o.rvEnd - old.rvEnd
	b = append(b, old.raw[old.rvEnd:end]...)
	tail := old.raw[end:]
	if old.statusOff > 0 {
		tail = old.raw[old.statusEnd:]
	} else {
		b = append(b, statusKey...)
	}
	o.statusOff = len(b)
	b = append(b, status...)
	o.statusEnd = len(b)
	o.raw = slices.Clip(append(b, tail...))
	return &o
}

// replicaSetStatus returns the status that the replica set controller reports.
func replicaSetStatus(total, ready, generation int) []byte {
	var w statusWriter
	w.positive("availableReplicas", ready)
	w.positive("fullyLabeledReplicas", total)
	w.number("observedGeneration", generation)
	w.positive("readyReplicas", ready)
	w.number("replicas", total)
	return w.finish()
}

func (o *object) generation() int {
	if g := o.get("metadata.generation"); g.Exists() {
		return int(g.Int())
	}
	return 1
}

// replicas returns spec.replicas, 0 if there is none.
func (o *object) replicas() int { return int(o.get("spec.replicas").Int()) }

// get reads a path from the stored bytes. The result's Index is its offset in raw if the path begins with metadata.
func (o *object) get(path string) gjson.Result {
	if rest, ok := strings.CutPrefix(path, "spec."); ok && o.specOff > 0 {
		return gjson.GetBytes(o.raw[o.specOff:], rest)
	}
	if rest, ok := strings.CutPrefix(path, "status."); ok && o.statusOff > 0 {
		return gjson.GetBytes(o.raw[o.statusOff:], rest)
	}
	if path == "status" && o.statusOff > 0 {
		return gjson.ParseBytes(o.raw[o.statusOff:o.statusEnd])
	}
	return gjson.GetBytes(o.raw, path)
}
