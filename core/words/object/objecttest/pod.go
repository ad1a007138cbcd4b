package objecttest

import (
	"bytes"
	"fmt"
	"strconv"
	"time"
)

// An Option changes what Pod makes.
type Option func(*settings)

type settings struct {
	resourceVersion string
	bare            bool
	nodeName        *string
	labels          [][2]string
}

// ResourceVersion sets metadata.resourceVersion, which is otherwise 1000+i.
func ResourceVersion(rv string) Option { return func(s *settings) { s.resourceVersion = rv } }

// WithoutType leaves out apiVersion and kind, as an API server does for the items of a list.
func WithoutType() Option { return func(s *settings) { s.bare = true } }

// NodeName sets spec.nodeName, which is otherwise one of a hundred nodes.
func NodeName(name string) Option { return func(s *settings) { s.nodeName = &name } }

// Label adds a label. Key and value must be valid for a label, and the key none of those that Pod sets.
func Label(key, value string) Option {
	return func(s *settings) { s.labels = append(s.labels, [2]string{key, value}) }
}

// Namespace returns the namespace of pod i: ns-0 to ns-49.
func Namespace(i int) string { return "ns-" + strconv.Itoa(i%50) }

// Name returns the name of pod i, as a ReplicaSet would have made it.
func Name(i int) string {
	return fmt.Sprintf("web-%d-%s-%s", i/10, suffix(uint64(i/10)+7919, 9), suffix(uint64(i)+1, 5))
}

// UID returns the uid of pod i.
func UID(i int) string {
	a, b := mix(uint64(i)*2+1), mix(uint64(i)*2+2)
	return fmt.Sprintf("%08x-%04x-4%03x-%04x-%012x", uint32(a), uint16(a>>32), a>>48&0xfff, b&0x3fff|0x8000, b>>16)
}

// mix spreads the bits of n (the finalizer of splitmix64), so that names and uids look random and are not.
func mix(n uint64) uint64 {
	n += 0x9e3779b97f4a7c15
	n = (n ^ n>>30) * 0xbf58476d1ce4e5b9
	n = (n ^ n>>27) * 0x94d049bb133111eb
	return n ^ n>>31
}

// suffix returns n characters of the alphabet that Kubernetes makes generated names from.
func suffix(seed uint64, n int) string {
	const alphabet = "bcdfghjklmnpqrstvwxz2456789"
	out := make([]byte, n)
	for i, h := 0, mix(seed); i < n; i++ {
		out[i] = alphabet[h%uint64(len(alphabet))]
		h /= uint64(len(alphabet))
	}
	return string(out)
}

// Pod returns the JSON of a running pod with owner, volumes, two kinds of environment, probes, conditions, container status and managedFields. It has
// about 3.7 KB, in the order and without the white space of an API server's answer. The same arguments always give the same bytes, which are the
// caller's. i must not be negative.
func Pod(i int, opts ...Option) []byte {
	s := settings{resourceVersion: strconv.Itoa(1000 + i)}
	for _, opt := range opts {
		opt(&s)
	}
	node := fmt.Sprintf("node-%d", i%100)
	if s.nodeName != nil {
		node = *s.nodeName
	}
	var (
		app     = fmt.Sprintf("web-%d", i/10)
		hash    = suffix(uint64(i/10)+7919, 9)
		created = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC).Add(time.Duration(i) * time.Second)
		at      = func(d int) string { return created.Add(time.Duration(d) * time.Second).Format(time.RFC3339) }
		ip      = fmt.Sprintf("10.%d.%d.%d", i>>16&0xff, i>>8&0xff, i&0xff)
		host    = fmt.Sprintf("192.168.%d.%d", i%100/250, i%100+1)
		token   = "kube-api-access-" + suffix(uint64(i)+104729, 5)
		image   = fmt.Sprintf("%016x%016x%016x%016x", mix(1), mix(2), mix(3), mix(4))
		b       bytes.Buffer
	)
	b.Grow(4096)
	w := func(format string, args ...any) { fmt.Fprintf(&b, format, args...) }
	b.WriteByte('{')
	if !s.bare {
		w(`"kind":"Pod","apiVersion":"v1",`)
	}
	w(`"metadata":{"name":%q,"generateName":"%s-%s-","namespace":%q,"uid":%q,"resourceVersion":%q,"generation":1,"creationTimestamp":%q,`,
		Name(i), app, hash, Namespace(i), UID(i), s.resourceVersion, at(0))
	w(`"labels":{"app":%q,"pod-template-hash":%q,"tier":"frontend"`, app, hash)
	for _, l := range s.labels {
		w(`,%q:%q`, l[0], l[1])
	}
	w(`},"annotations":{"example.com/config-checksum":"%016x%016x"},`, mix(uint64(i/10)), mix(uint64(i/10)+1))
	w(`"ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"%s-%s","uid":%q,"controller":true,"blockOwnerDeletion":true}],`, app, hash,
		UID(i/10+1<<20))
	w(`"managedFields":[{"manager":"kube-controller-manager","operation":"Update","apiVersion":"v1","time":%q,"fieldsType":"FieldsV1","fieldsV1":`, at(0))
	w(`{"f:metadata":{"f:annotations":{".":{},"f:example.com/config-checksum":{}},"f:generateName":{},"f:labels":{".":{},"f:app":{},"f:pod-template-hash":{},"f:tier":{}},`)
	w(`"f:ownerReferences":{".":{},"k:{\"uid\":\"%s\"}":{}}},"f:spec":{"f:containers":{"k:{\"name\":\"web\"}":{".":{},"f:env":{".":{},`, UID(i/10+1<<20))
	w(`"k:{\"name\":\"GREETING\"}":{".":{},"f:name":{},"f:value":{}},"k:{\"name\":\"POD_IP\"}":{".":{},"f:name":{},"f:valueFrom":{".":{},"f:fieldRef":{}}}},`)
	w(`"f:image":{},"f:imagePullPolicy":{},"f:name":{},"f:resources":{}}},`)
	w(`"f:restartPolicy":{},"f:schedulerName":{}}}},`)
	w(`{"manager":"kubelet","operation":"Update","apiVersion":"v1","time":%q,"fieldsType":"FieldsV1","fieldsV1":{"f:status":{"f:conditions":{"k:{\"type\":\"Ready\"}":{".":{},"f:status":{},"f:type":{}}},`, at(4))
	w(`"f:containerStatuses":{},"f:hostIP":{},"f:phase":{},"f:podIP":{},"f:startTime":{}}},"subresource":"status"}]},`)

	w(`"spec":{"volumes":[{"name":"config","configMap":{"name":"%s-config","defaultMode":420}},`, app)
	w(`{"name":%q,"projected":{"sources":[{"serviceAccountToken":{"expirationSeconds":3607,"path":"token"}}],"defaultMode":420}}],`, token)
	w(`"containers":[{"name":"web","image":"example.com/team/web:1.%d.0","ports":[{"containerPort":8080,"protocol":"TCP"}],`, i/10%20)
	w(`"env":[{"name":"GREETING","value":"hello \"world\""},{"name":"POD_IP","valueFrom":{"fieldRef":{"apiVersion":"v1","fieldPath":"status.podIP"}}}],`)
	w(`"resources":{"limits":{"memory":"256Mi"},"requests":{"cpu":"100m","memory":"128Mi"}},`)
	w(`"volumeMounts":[{"name":"config","mountPath":"/etc/web"},{"name":%q,"readOnly":true,"mountPath":"/var/run/secrets/kubernetes.io/serviceaccount"}],`, token)
	w(`"readinessProbe":{"httpGet":{"path":"/healthz","port":8080,"scheme":"HTTP"},"periodSeconds":10},`)
	w(`"imagePullPolicy":"IfNotPresent"}],`)
	w(`"restartPolicy":"Always","terminationGracePeriodSeconds":30,"dnsPolicy":"ClusterFirst","serviceAccountName":"default","nodeName":%q,"securityContext":{},`,
		node)
	w(`"schedulerName":"default-scheduler","priority":0,"enableServiceLinks":true},`)

	w(`"status":{"phase":"Running","conditions":[`)
	for k, condition := range []string{"Initialized", "Ready", "ContainersReady", "PodScheduled"} {
		if k > 0 {
			b.WriteByte(',')
		}
		w(`{"type":%q,"status":"True","lastProbeTime":null,"lastTransitionTime":%q}`, condition, at(k))
	}
	w(`],"hostIP":%q,"podIP":%q,"podIPs":[{"ip":%q}],"startTime":%q,`, host, ip, ip, at(1))
	w(`"containerStatuses":[{"name":"web","state":{"running":{"startedAt":%q}},"lastState":{},"ready":true,"restartCount":%d,`, at(3), i%3)
	w(`"image":"example.com/team/web:1.%d.0","imageID":"example.com/team/web@sha256:%s","containerID":"containerd://%016x%016x%016x%016x","started":true}],"qosClass":"Burstable"}}`,
		i/10%20, image, mix(uint64(i)), mix(uint64(i)+1), mix(uint64(i)+2), mix(uint64(i)+3))
	return b.Bytes()
}

// PodList returns the JSON of a PodList with pods 0 to n-1, as an API server answers a LIST: the items say nothing about their type.
func PodList(n int, opts ...Option) []byte {
	var b bytes.Buffer
	b.Grow(n*4096 + 128)
	fmt.Fprintf(&b, `{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"%d"},"items":[`, 1000+n)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(Pod(i, append([]Option{WithoutType()}, opts...)...))
	}
	b.WriteString("]}\n")
	return b.Bytes()
}

// WatchEvent returns a frame of a watch stream: an event of type typ with object in it, and the newline that ends a frame.
func WatchEvent(typ string, object []byte) []byte {
	b := make([]byte, 0, len(object)+len(typ)+32)
	b = append(b, `{"type":`...)
	b = strconv.AppendQuote(b, typ)
	b = append(b, `,"object":`...)
	b = append(b, object...)
	return append(b, '}', '\n')
}
