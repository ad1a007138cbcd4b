package simcluster

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"
	"k8s.io/apimachinery/pkg/labels"
)

// containerRef is a container's name and image, each as a quoted JSON string.
type containerRef struct{ name, image string }

// podTemplate is what the pods of one replica set share, as it is written into their JSON.
type podTemplate struct {
	generateName string
	labels       labels.Set
	labelsJSON   string
	annotations  string // a JSON object, or empty
	ownerRef     string // one ownerReference
	ownerUID     string
	spec         string // a JSON object with at least one field
	containers   []containerRef
	crashes      bool // has the annotation Crashes
}

type podStage uint8

const (
	stageUnscheduled podStage = iota
	stageScheduled            // bound to a node whose kubelet has not seen it yet
	stageCreating
	stageRunning
	stageTerminating
	stageDone // succeeded, failed, or another client wrote its status: the kubelet does not touch it
)

// podSim is the scheduler's and the kubelet's state for a pod. Times are Unix seconds.
type podSim struct {
	containers []containerRef
	stage      podStage
	ready      bool
	crashes    bool // background events make its container exit
	exits      bool // its container exits again and again: see Crashes
	inBackoff  bool // in back-off between two exits
	runsOnce   bool // runs to completion
	restarts   int
	ip         uint32
	host       string
	qos        string

	createdAt, scheduledAt, startedAt, changedAt, exitedAt int64
	probedAt                                               int64 // Unix milliseconds
}

func podIP(n uint32) string {
	b := strconv.AppendUint(append(make([]byte, 0, 16), "10.244."...), uint64(n/254%256), 10)
	return string(strconv.AppendUint(append(b, '.'), uint64(n%254+1), 10))
}

// appendPod appends the JSON of a new pod: as the replica set controller creates it or, in the initial state, as it has been running for a while.
func (c *Cluster) appendPod(b []byte, namespace, name string, t *podTemplate, p *podSim, node string, rev uint64) ([]byte, *object) {
	o := &object{namespace: namespace, name: name, uid: c.newUID(), rev: rev, labels: t.labels, nodeName: node}
	if t.ownerUID != "" {
		o.owners = []string{t.ownerUID}
	}
	created := stamp(time.Unix(p.createdAt, 0))
	b = append(b, `{"metadata":{"name":"`...)
	b = append(append(b, name...), `","generateName":"`...)
	b = append(append(b, t.generateName...), `","namespace":"`...)
	b = append(append(b, namespace...), `","uid":"`...)
	b = append(append(b, o.uid...), `","resourceVersion":"`...)
	o.rvOff = len(b)
	b = strconv.AppendUint(b, rev, 10)
	o.rvEnd = len(b)
	b = append(append(b, `","generation":1,"creationTimestamp":"`...), created...)
	b = append(append(b, `","labels":`...), t.labelsJSON...)
	switch {
	case c.isSeeding:
		b = append(b, `,"annotations":{"`+ObservedPhase+`":"Running"`...)
		if rest := strings.TrimPrefix(t.annotations, "{"); len(rest) > 1 {
			b = append(append(b, ','), rest...)
		} else {
			b = append(b, '}')
		}
	case t.annotations != "":
		b = append(append(b, `,"annotations":`...), t.annotations...)
	}
	if t.ownerRef != "" {
		b = append(append(append(b, `,"ownerReferences":[`...), t.ownerRef...), ']')
	}
	b = append(b, `,"managedFields":[{"manager":"kube-controller-manager","operation":"Update","apiVersion":"v1","time":"`...)
	b = append(b, created...)
	b = append(b, `","fieldsType":"FieldsV1","fieldsV1":{"f:metadata":{"f:generateName":{},"f:labels":{".":{},"f:app":{},"f:pod-template-hash":{},"f:tier":{}},"f:ownerReferences":{}},"f:spec":{"f:containers":{},"f:restartPolicy":{}}}},{"manager":"kubelet","operation":"Update","apiVersion":"v1","time":"`...)
	b = append(b, created...)
	b = append(b, `","fieldsType":"FieldsV1","fieldsV1":{"f:status":{"f:conditions":{},"f:containerStatuses":{},"f:phase":{},"f:podIP":{}}},"subresource":"status"}`...)
	if c.isSeeding {
		b = append(append(b, `,{"manager":"`+observer+`","operation":"Update","apiVersion":"v1","time":"`...), created...)
		b = append(b, `","fieldsType":"FieldsV1","fieldsV1":{"f:metadata":{"f:annotations":{}}}}`...)
	}
	b = append(b, `]},"spec":`...)
	o.specOff = len(b)
	if node != "" {
		b = append(append(append(b, `{"nodeName":"`...), node...), `",`...)
		b = append(b, t.spec[1:]...)
	} else {
		b = append(b, t.spec...)
	}
	b = append(b, `,"status":`...)
	o.statusOff = len(b)
	b, o.phase = appendPodStatus(b, p, o.uid)
	o.statusEnd = len(b)
	b = append(b, '}')
	o.raw = b
	return b, o
}

// podChange is what a rewrite of a pod changes besides its status.
type podChange struct {
	base      *object // what the pod is without the change; nil for its latest version
	bind      string  // node to put into spec
	deletion  string  // deletionTimestamp to put into metadata, with gracePart
	gracePart int64
}

// rewritePod stores a new version of a pod by splicing its bytes: the next resourceVersion, the change, and the status from its podSim. The stored
// bytes of a pod always begin with metadata and end with status; see complete and appendPod.
func (c *Cluster) rewritePod(s *slot, ch podChange) {
	old, p := cmp.Or(ch.base, s.cur), s.pod
	o := *old
	o.rev = c.rev + 1
	b := make([]byte, 0, len(old.raw)+64) // sized closely, because the bytes are kept
	const opening = len(`{"metadata":{`)
	b = append(b, old.raw[:opening]...)
	if ch.deletion != "" {
		b = append(append(b, `"deletionTimestamp":"`...), ch.deletion...)
		b = strconv.AppendInt(append(b, `","deletionGracePeriodSeconds":`...), ch.gracePart, 10)
		b = append(b, ',')
		o.isDeleting = true
	}
	b = append(b, old.raw[opening:old.rvOff]...)
	o.rvOff = len(b)
	b = strconv.AppendUint(b, o.rev, 10)
	o.rvEnd = len(b)
	b = append(b, old.raw[old.rvEnd:old.specOff]...)
	o.specOff = len(b)
	if ch.bind != "" {
		b = append(append(append(b, `{"nodeName":"`...), ch.bind...), `",`...)
		b = append(b, old.raw[old.specOff+1:old.statusOff]...)
		o.nodeName = ch.bind
	} else {
		b = append(b, old.raw[old.specOff:old.statusOff]...)
	}
	o.statusOff = len(b)
	b, o.phase = appendPodStatus(b, p, old.uid)
	o.statusEnd = len(b)
	o.raw = append(b, '}')
	c.put(c.pods, &o)
}

// appendPodStatus appends the status that the kubelet would report, and returns the phase.
func appendPodStatus(b []byte, p *podSim, uid string) ([]byte, string) {
	phase := "Pending"
	switch p.stage {
	case stageRunning, stageTerminating:
		phase = "Running"
	case stageDone:
		phase = "Succeeded"
	}
	b = append(append(append(b, `{"phase":"`...), phase...), `","qosClass":"`...)
	b = append(append(b, p.qos...), '"')
	if p.stage == stageUnscheduled {
		return append(b, '}'), phase
	}
	running := p.stage == stageRunning
	ready := running && p.ready
	b = append(b, `,"conditions":[`...)
	if p.stage > stageScheduled {
		b = appendCondition(b, "PodReadyToStartContainers", running || p.stage == stageTerminating, p.startedAt, 0, "")
		b = append(b, ',')
		why := "ContainersNotReady"
		if p.stage == stageDone {
			why = "PodCompleted"
		}
		b = append(appendCondition(b, "Initialized", true, p.scheduledAt, 0, ""), ',')
		b = append(appendCondition(b, "Ready", ready, p.changedAt, p.probedAt, why), ',')
		b = append(appendCondition(b, "ContainersReady", ready, p.changedAt, 0, why), ',')
	}
	b = append(appendCondition(b, "PodScheduled", true, p.scheduledAt, 0, ""), ']')
	if p.stage == stageScheduled {
		return append(b, '}'), phase
	}
	b = append(append(append(b, `,"hostIP":"`...), p.host...), `","hostIPs":[{"ip":"`...)
	b = append(append(b, p.host...), `"}],"startTime":"`...)
	b = appendTime(b, p.scheduledAt)
	b = append(b, '"')
	if p.stage != stageCreating {
		ip := podIP(p.ip)
		b = append(append(append(b, `,"podIP":"`...), ip...), `","podIPs":[{"ip":"`...)
		b = append(append(b, ip...), `"}]`...)
	}
	b = append(b, `,"containerStatuses":[`...)
	for i, ct := range p.containers {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(b, `{"name":`...), ct.name...)
		crashed := i == 0 && p.restarts > 0
		up := running && !(i == 0 && p.inBackoff)
		b = append(b, `,"state":`...)
		switch {
		case p.stage == stageCreating:
			b = append(b, `{"waiting":{"reason":"ContainerCreating"}}`...)
		case p.stage == stageDone:
			b = appendTerminated(b, "Completed", 0, p.startedAt, p.exitedAt, uid, p.restarts)
		case p.stage == stageTerminating:
			b = appendTerminated(b, "Completed", 0, p.startedAt, p.exitedAt, uid, p.restarts)
		case !up:
			b = append(b, `{"waiting":{"reason":"CrashLoopBackOff","message":"back-off 10s restarting failed container"}}`...)
		default:
			since := p.startedAt
			if crashed {
				since = p.exitedAt
			}
			b = append(appendTime(append(b, `{"running":{"startedAt":"`...), since), `"}}`...)
		}
		b = append(b, `,"lastState":`...)
		if crashed && p.stage == stageRunning {
			b = appendTerminated(b, "Error", 1, p.startedAt, p.exitedAt, uid, p.restarts-1)
		} else {
			b = append(b, "{}"...)
		}
		restarts := 0
		if i == 0 {
			restarts = p.restarts
		}
		b = append(b, `,"ready":`...)
		b = strconv.AppendBool(b, up && (p.ready || i > 0))
		b = append(b, `,"restartCount":`...)
		b = strconv.AppendInt(b, int64(restarts), 10)
		b = append(append(b, `,"image":`...), ct.image...)
		b = append(b, `,"imageID":"`...)
		if p.stage != stageCreating {
			b = append(b, "registry.example.com/mirror@sha256:"...)
			b = appendHash(b, ct.image, 0)
			b = append(b, `","containerID":"containerd://`...)
			b = appendHash(b, uid, restarts+i*1000)
		}
		b = append(b, `","started":`...)
		b = append(strconv.AppendBool(b, up), '}')
	}
	return append(b, `]}`...), phase
}

func appendTime(b []byte, unix int64) []byte {
	return time.Unix(unix, 0).UTC().AppendFormat(b, time.RFC3339)
}

func appendCondition(b []byte, typ string, ok bool, since, probed int64, why string) []byte {
	b = append(append(append(b, `{"type":"`...), typ...), `","status":"`...)
	if ok {
		b = append(b, `True"`...)
	} else {
		b = append(b, `False"`...)
	}
	if probed > 0 {
		b = append(b, `,"lastProbeTime":"`...)
		b = append(time.UnixMilli(probed).UTC().AppendFormat(b, "2006-01-02T15:04:05.000Z07:00"), '"')
	} else {
		b = append(b, `,"lastProbeTime":null`...)
	}
	b = append(appendTime(append(b, `,"lastTransitionTime":"`...), since), '"')
	if !ok && why != "" {
		b = append(append(append(b, `,"reason":"`...), why...), '"')
	}
	return append(b, '}')
}

func appendTerminated(b []byte, reason string, code int, from, to int64, uid string, n int) []byte {
	b = append(b, `{"terminated":{"exitCode":`...)
	b = strconv.AppendInt(b, int64(code), 10)
	b = append(append(append(b, `,"reason":"`...), reason...), `","startedAt":"`...)
	b = append(appendTime(b, from), `","finishedAt":"`...)
	b = append(appendTime(b, to), `","containerID":"containerd://`...)
	return append(appendHash(b, uid, n), `"}}`...)
}

// appendHash appends 64 hex digits that depend only on text and n.
func appendHash(b []byte, text string, n int) []byte {
	h := uint64(14695981039346656037) ^ uint64(n)
	for i := 0; i < len(text); i++ {
		h = (h ^ uint64(text[i])) * 1099511628211
	}
	const hex = "0123456789abcdef"
	for i := 0; i < 64; i++ {
		h ^= h << 13
		h ^= h >> 7
		h ^= h << 17
		b = append(b, hex[h>>60])
	}
	return b
}

func containersOf(spec gjson.Result) []containerRef {
	var refs []containerRef
	spec.Get("containers").ForEach(func(_, ct gjson.Result) bool {
		ref := containerRef{`""`, `""`}
		if n := ct.Get("name"); n.Type == gjson.String {
			ref.name = n.Raw
		}
		if im := ct.Get("image"); im.Type == gjson.String {
			ref.image = im.Raw
		}
		refs = append(refs, ref)
		return true
	})
	return refs
}

func qosOf(spec gjson.Result) string {
	if spec.Get("containers.0.resources.requests").Exists() || spec.Get("containers.0.resources.limits").Exists() {
		return "Burstable"
	}
	return "BestEffort"
}

// simOf returns the simulation of a pod that was created through the API.
func (c *Cluster) simOf(o *object) *podSim {
	spec := o.get("spec")
	p := &podSim{containers: containersOf(spec), qos: qosOf(spec), createdAt: c.now.Unix(), changedAt: c.now.Unix(), startedAt: c.now.Unix()}
	policy := spec.Get("restartPolicy").String()
	p.runsOnce = policy == "Never" || policy == "OnFailure"
	if o.nodeName != "" {
		p.stage, p.scheduledAt, p.host = stageScheduled, c.now.Unix(), c.hostIP(o.nodeName)
	}
	return p
}

// unknownIP is the address of a node that has none, or that does not exist.
const unknownIP = "172.18.0.1"

func (c *Cluster) hostIP(node string) string {
	if s := c.nodes.byKey[node]; s != nil {
		return s.nodeFacts().ip
	}
	return unknownIP
}
