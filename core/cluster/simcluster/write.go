package simcluster

import (
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation"
)

const conflictText = "the object has been modified; please apply your changes to the latest version and try again"

// stamp formats a time as the API does: in seconds, UTC.
func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

func (c *Cluster) newUID() string {
	hi, lo := c.rng.Uint64(), c.rng.Uint64()
	var raw [16]byte
	binary.BigEndian.PutUint64(raw[:8], hi&^0xf000|0x4000) // version 4
	binary.BigEndian.PutUint64(raw[8:], lo&^(3<<62)|1<<63) // of RFC 9562
	x := hex.EncodeToString(raw[:])
	return x[:8] + "-" + x[8:12] + "-" + x[12:16] + "-" + x[16:20] + "-" + x[20:]
}

// nameAlphabet has no vowels and look-alikes, as in k8s.io/apimachinery/pkg/util/rand (v0.37.2).
const nameAlphabet = "bcdfghjklmnpqrstvwxz2456789"

func (c *Cluster) suffix(n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = nameAlphabet[c.rng.IntN(len(nameAlphabet))]
	}
	return string(b)
}

func (req *request) dryRun() (bool, *apierrors.StatusError) {
	switch v := req.query.Get("dryRun"); v {
	case "":
		return false, nil
	case "All":
		return true, nil
	default:
		return false, invalidObject("meta.k8s.io", "CreateOptions", "", problem{"FieldValueNotSupported", "dryRun",
			fmt.Sprintf("Unsupported value: [%q]: supported values: \"All\"", v)})
	}
}

func (c *Cluster) serveCreate(req *request) *apierrors.StatusError {
	m, e := req.readObject()
	if e != nil {
		return e
	}
	dry, e := req.dryRun()
	if e != nil {
		return e
	}
	c.lock()
	defer c.mu.Unlock()
	o, e := c.create(req.res, req.namespace, m, req.author(), dry)
	if e != nil {
		return e
	}
	req.respond(c, http.StatusCreated, o)
	return nil
}

// create validates, completes and stores a new object.
func (c *Cluster) create(r *resource, namespace string, m map[string]any, writer author, dry bool) (*object, *apierrors.StatusError) {
	meta := ensureMap(m, "metadata")
	name, generate := getString(meta, "name"), getString(meta, "generateName")
	if ns := getString(meta, "namespace"); ns != "" && ns != namespace && r.namespaced {
		return nil, badRequest("the namespace of the provided object does not match the namespace sent on the request")
	}
	if getString(meta, "resourceVersion") != "" {
		return nil, statusError(http.StatusInternalServerError, "", "resourceVersion should not be set on objects to be created")
	}
	delete(meta, "namespace")
	if r.namespaced {
		meta["namespace"] = namespace
		ns := c.namespaces.byKey[namespace]
		if ns == nil {
			return nil, apierrors.NewNotFound(c.namespaces.schemaGR(), namespace)
		}
		if ns.cur.isDeleting {
			e := apierrors.NewForbidden(r.schemaGR(), name, fmt.Errorf("unable to create new content in namespace %s because it is being terminated", namespace))
			e.ErrStatus.Details.Causes = []metav1.StatusCause{{
				Type: "NamespaceTerminating", Message: "namespace " + namespace + " is being terminated", Field: "metadata.namespace"}}
			return nil, e
		}
	}
	if name == "" && generate != "" {
		for name == "" || r.byKey[joinKey(namespace, name)] != nil {
			name = generate[:min(len(generate), 58)] + c.suffix(5)
		}
		meta["name"] = name
	}
	if r.schema != nil {
		var e *apierrors.StatusError
		if m, e = r.write(nil, m, "", writer); e != nil {
			return nil, e
		}
		meta = ensureMap(m, "metadata")
	}
	if e := r.validate(m); e != nil {
		return nil, e
	}
	if r.byKey[joinKey(namespace, name)] != nil {
		return nil, apierrors.NewAlreadyExists(r.schemaGR(), name)
	}
	meta["uid"] = c.newUID()
	meta["creationTimestamp"] = stamp(c.now)
	delete(meta, "deletionTimestamp")
	delete(meta, "deletionGracePeriodSeconds")
	delete(meta, "selfLink")
	if r.generation || r == c.pods {
		meta["generation"] = 1
	} else {
		delete(meta, "generation")
	}
	if c.types != nil {
		c.setDefaults(r, m) // before their owner is named
	}
	if c.isSeeding {
		managed := []any{managedEntry(r, writer.manager, "", c.now, ownedFields(m))}
		if r.generation {
			ensureMap(meta, "annotations")[ObservedGeneration] = "1"
			managed = append(managed, managedEntry(r, observer, "", c.now, map[string]any{"f:metadata": map[string]any{"f:annotations": map[string]any{}}}))
		}
		meta["managedFields"] = managed
	} else {
		c.ownFields(r, nil, m, m, writer, "")
	}
	if c.types != nil && !c.isSeeding {
		r.schema.Admit(m, true)
	}
	c.complete(r, m)
	if dry {
		delete(meta, "resourceVersion")
		return answerDryRun(m)
	}
	o, e := c.encodeVersion(r, m)
	if e != nil {
		return nil, e
	}
	c.notifyControllers(c.put(r, o), nil)
	return o, nil
}

// validate checks the fields that other code here relies on. A schema has checked the metadata.
func (r *resource) validate(m map[string]any) *apierrors.StatusError {
	name := getString(m, "metadata", "name")
	var ps []problem
	if r.schema == nil {
		ps = r.validateMetadata(name, getMap(m, "metadata"))
	}
	if !r.custom && !r.hasStrategy() {
		switch r.plural {
		case "pods":
			ps = append(ps, validatePodSpec("spec", getMap(m, "spec"))...)
		case "deployments", "replicasets":
			ps = append(ps, validateWorkload(m)...)
		case "customresourcedefinitions":
			ps = append(ps, validateCRD(m)...)
		}
	}
	if len(ps) > 0 {
		return invalidObject(r.group, r.kind, name, ps...)
	}
	return nil
}

// maxAnnotations is how long the annotations of an object may be together, names and values, in bytes.
const maxAnnotations = 256 << 10

func (r *resource) validateMetadata(name string, meta map[string]any) (ps []problem) {
	if name == "" {
		ps = append(ps, requiredValue("metadata.name", "name or generateName is required"))
	} else {
		check := validation.IsDNS1123Subdomain
		if r.group == "" && (r.plural == "namespaces" || r.plural == "services") {
			check = validation.IsDNS1123Label
		}
		for _, msg := range check(name) {
			ps = append(ps, invalidValue("metadata.name", name, msg))
		}
	}
	labels := getMap(meta, "labels")
	for _, k := range slices.Sorted(maps.Keys(labels)) {
		for _, msg := range validation.IsQualifiedName(k) {
			ps = append(ps, invalidValue("metadata.labels", k, msg))
		}
		text, _ := labels[k].(string)
		for _, msg := range validation.IsValidLabelValue(text) {
			ps = append(ps, invalidValue("metadata.labels", text, msg))
		}
	}
	size := 0
	//maporder:free a sum
	for k, v := range getMap(meta, "annotations") {
		text, _ := v.(string)
		size += len(k) + len(text)
	}
	if size > maxAnnotations {
		ps = append(ps, problem{"FieldValueTooLong", "metadata.annotations", fmt.Sprintf("Too long: may not be more than %d bytes", maxAnnotations)})
	}
	return ps
}

// validateUpdate checks what may not change in an object, unless its schema does.
func (r *resource) validateUpdate(m map[string]any, old *object) *apierrors.StatusError {
	if !old.isDeleting || r.schema != nil {
		return nil
	}
	before := stringList(old.get("metadata.finalizers").Value())
	var more []string
	for _, f := range stringList(getMap(m, "metadata")["finalizers"]) {
		if !slices.Contains(before, f) {
			more = append(more, f)
		}
	}
	if len(more) == 0 {
		return nil
	}
	p := forbiddenValue("metadata.finalizers", fmt.Sprintf("no new finalizers can be added if the object is being deleted, found new finalizers %#v", more))
	return invalidObject(r.group, r.kind, old.name, p, p) // kube-apiserver says it twice
}

func validatePodSpec(path string, spec map[string]any) []problem {
	containers := anyList(spec["containers"])
	if len(containers) == 0 {
		return []problem{requiredValue(path+".containers", "")}
	}
	var ps []problem
	for i, x := range containers {
		container, _ := x.(map[string]any)
		for _, f := range [...]string{"name", "image"} {
			if getString(container, f) == "" {
				ps = append(ps, requiredValue(fmt.Sprintf("%s.containers[%d].%s", path, i, f), ""))
			}
		}
	}
	return ps
}

func validateWorkload(m map[string]any) []problem {
	var ps []problem
	spec := getMap(m, "spec")
	for _, f := range [...]string{"replicas", "minReadySeconds", "revisionHistoryLimit", "progressDeadlineSeconds"} {
		ps = append(ps, validateCount("spec."+f, spec[f])...)
	}
	if n := getInt(spec, 1, "replicas"); n > MaxObjects {
		ps = append(ps, invalidValue("spec.replicas", n, fmt.Sprintf("the simulated cluster holds at most %d", MaxObjects)))
	}
	ps = append(ps, validateRollingUpdate("spec.strategy.rollingUpdate", getMap(spec, "strategy", "rollingUpdate"))...)
	match := getMap(spec, "selector", "matchLabels")
	if len(match) == 0 {
		ps = append(ps, requiredValue("spec.selector", ""))
	}
	have := getMap(spec, "template", "metadata", "labels")
	//maporder:free the answer is the same whichever label does not match
	for k, v := range match {
		if have[k] != v {
			ps = append(ps, problem{metav1.CauseTypeFieldValueInvalid, "spec.template.metadata.labels",
				"Invalid value: " + mustJSON(have) + ": `selector` does not match template `labels`"})
			break
		}
	}
	for _, k := range slices.Sorted(maps.Keys(have)) {
		if _, ok := have[k].(string); !ok {
			ps = append(ps, invalidValue("spec.template.metadata.labels", have[k], "must be a string"))
		}
	}
	return append(ps, validatePodSpec("spec.template.spec", getMap(spec, "template", "spec"))...)
}

// validateCount checks a 32-bit number that is not negative, if it is there.
func validateCount(field string, v any) []problem {
	if v == nil {
		return nil
	}
	switch n, err := strconv.ParseInt(fmt.Sprint(v), 10, 32); {
	case err != nil:
		return []problem{invalidValue(field, v, "must be a number of 32 bits")}
	case n < 0:
		return []problem{invalidValue(field, n, "must be greater than or equal to 0")}
	}
	return nil
}

// validateRollingUpdate mirrors k8s.io/kubernetes/pkg/apis/apps/validation.ValidateRollingUpdateDeployment (v1.37.2).
func validateRollingUpdate(path string, rolling map[string]any) (ps []problem) {
	percent := map[string]int{}
	for _, f := range [...]string{"maxUnavailable", "maxSurge"} {
		text, isText := rolling[f].(string)
		if !isText {
			ps = append(ps, validateCount(path+"."+f, rolling[f])...)
			percent[f] = getInt(rolling, 1, f)
			continue
		}
		for _, msg := range validation.IsValidPercent(text) {
			ps = append(ps, invalidValue(path+"."+f, text, msg))
		}
		n, err := strconv.Atoi(strings.TrimSuffix(text, "%"))
		if percent[f] = n; err == nil && n > 100 && f == "maxUnavailable" {
			ps = append(ps, invalidValue(path+"."+f, text, "must not be greater than 100%"))
		}
	}
	if percent["maxUnavailable"] == 0 && percent["maxSurge"] == 0 {
		ps = append(ps, invalidValue(path+".maxUnavailable", rolling["maxUnavailable"], "may not be 0 when `maxSurge` is 0"))
	}
	return ps
}

func validateCRD(m map[string]any) []problem {
	var ps []problem
	spec := getMap(m, "spec")
	group, plural := getString(spec, "group"), getString(spec, "names", "plural")
	for _, f := range [...][]string{{"group"}, {"names", "plural"}, {"names", "kind"}, {"scope"}} {
		if getString(spec, f...) == "" {
			ps = append(ps, requiredValue("spec."+strings.Join(f, "."), ""))
		}
	}
	if want := plural + "." + group; len(ps) == 0 && getString(m, "metadata", "name") != want {
		ps = append(ps, invalidValue("metadata.name", getString(m, "metadata", "name"), `must be spec.names.plural+"."+spec.group`))
	}
	if len(ps) == 0 {
		for _, msg := range validation.IsDNS1123Subdomain(group) {
			ps = append(ps, invalidValue("spec.group", group, msg))
		}
		for _, msg := range validation.IsDNS1035Label(plural) {
			ps = append(ps, invalidValue("spec.names.plural", plural, msg))
		}
		if kind := getString(spec, "names", "kind"); len(validation.IsDNS1035Label(strings.ToLower(kind))) > 0 {
			ps = append(ps, invalidValue("spec.names.kind", kind, "may have mixed case, but should otherwise match a DNS label"))
		}
		if lk := getString(spec, "names", "listKind"); lk != "" && len(validation.IsDNS1035Label(strings.ToLower(lk))) > 0 {
			ps = append(ps, invalidValue("spec.names.listKind", lk, "may have mixed case, but should otherwise match a DNS label"))
		}
		if s := getString(spec, "scope"); s != "Namespaced" && s != "Cluster" {
			ps = append(ps, problem{"FieldValueNotSupported", "spec.scope",
				fmt.Sprintf("Unsupported value: %q: supported values: \"Cluster\", \"Namespaced\"", s)})
		}
	}
	storage := 0
	for _, v := range anyList(spec["versions"]) {
		version, _ := v.(map[string]any)
		if len(validation.IsDNS1035Label(getString(version, "name"))) > 0 {
			ps = append(ps, invalidValue("spec.versions", getString(version, "name"), "each version needs a name that is a DNS label"))
		}
		if s, _ := version["storage"].(bool); s {
			storage++
		}
	}
	if storage != 1 {
		ps = append(ps, problem{metav1.CauseTypeFieldValueInvalid, "spec.versions",
			"Invalid value: must have exactly one version marked as storage version"})
	}
	return ps
}

// complete sets what the server decides for a new object: defaults, and a first status.
func (c *Cluster) complete(r *resource, m map[string]any) {
	meta := ensureMap(m, "metadata")
	switch r {
	case c.pods:
		maps.DeleteFunc(m, func(k string, _ any) bool { // as a real API server prunes unknown fields
			return k != "kind" && k != "apiVersion" && k != "metadata" && k != "spec" && k != "status"
		})
		spec := ensureMap(m, "spec")
		setPodDefaults(spec)
		m["status"] = map[string]any{"phase": "Pending", "qosClass": "BestEffort"}
	case c.deployments, c.replicaSets:
		ensureMap(m, "spec")
		c.setDefaults(r, m)
		m["status"] = map[string]any{}
		if r == c.replicaSets {
			m["status"] = map[string]any{"replicas": 0}
		}
	case c.namespaces:
		m["spec"] = map[string]any{"finalizers": []any{"kubernetes"}}
		m["status"] = map[string]any{"phase": "Active"}
		ensureMap(meta, "labels")["kubernetes.io/metadata.name"] = meta["name"]
	case c.nodes:
	case c.crds:
		if r.hasStrategy() {
			break
		}
		spec := ensureMap(m, "spec")
		names := ensureMap(spec, "names")
		kind := getString(names, "kind")
		setDefault(names, "singular", strings.ToLower(kind))
		setDefault(names, "listKind", kind+"List")
		setDefault(spec, "conversion", map[string]any{"strategy": "None"})
		m["status"] = map[string]any{"conditions": nil, "acceptedNames": map[string]any{"plural": "", "kind": ""}, "storedVersions": []any{storageVersion(spec)}}
	default:
		if r.group == "" && r.plural == "services" {
			spec := ensureMap(m, "spec")
			setDefault(spec, "type", "ClusterIP")
			if spec["type"] != "ExternalName" {
				c.ipSeq++
				setDefault(spec, "clusterIP", fmt.Sprintf("10.96.%d.%d", c.ipSeq>>8&0xff, c.ipSeq&0xff))
				setDefault(spec, "clusterIPs", []any{spec["clusterIP"]})
			}
			setDefault(spec, "sessionAffinity", "None")
			m["status"] = map[string]any{"loadBalancer": map[string]any{}}
		} else if r.status {
			delete(m, "status")
		}
	}
}

func storageVersion(spec map[string]any) string {
	for _, v := range anyList(spec["versions"]) {
		version, _ := v.(map[string]any)
		if s, _ := version["storage"].(bool); s {
			return getString(version, "name")
		}
	}
	return ""
}

func (c *Cluster) serveUpdate(req *request) *apierrors.StatusError {
	m, e := req.readObject()
	if e != nil {
		return e
	}
	dry, e := req.dryRun()
	if e != nil {
		return e
	}
	if name := getString(m, "metadata", "name"); name != req.name {
		if name == "" && req.sub == "" {
			return invalidObject(req.res.group, req.res.kind, req.name, requiredValue("metadata.name", "name must be provided"))
		}
		return badRequest("the name of the object (%s) does not match the name on the URL (%s)", name, req.name)
	}
	c.lock()
	defer c.mu.Unlock()
	s := req.res.byKey[joinKey(req.namespace, req.name)]
	if s == nil && req.res.createOnUpdate && req.sub == "" {
		o, e := c.create(req.res, req.namespace, m, req.author(), dry)
		if e != nil {
			return e
		}
		req.respond(c, http.StatusCreated, o)
		return nil
	}
	if s == nil {
		return apierrors.NewNotFound(req.res.schemaGR(), req.name)
	}
	if req.res.hasStrategy() && getString(m, "metadata", "resourceVersion") == "" {
		return invalidObject(req.res.group, req.res.plural, req.name, invalidValue("metadata.resourceVersion", 0, "must be specified for an update"))
	}
	o, e := c.update(change{r: req.res, slot: s, next: m, input: m, sub: req.sub, writer: req.author(), dry: dry})
	if e != nil {
		return e
	}
	req.respond(c, http.StatusOK, o)
	return nil
}

// respond writes the answer to a write. It releases the lock while it writes.
func (req *request) respond(c *Cluster, code int, o *object) {
	c.mu.Unlock()
	defer c.mu.Lock()
	req.writeObject(code, o)
}

// answerDryRun returns what a write would have made, without a version of its own: a new object has none, a changed one keeps its version.
func answerDryRun(m map[string]any) (*object, *apierrors.StatusError) {
	o, err := encodeAsIs(m)
	if err != nil {
		return nil, apierrors.NewInternalError(err)
	}
	return o, nil
}

// deleteOptions is the part of metav1.DeleteOptions that is supported.
type deleteOptions struct {
	GracePeriodSeconds *int64  `json:"gracePeriodSeconds"`
	PropagationPolicy  *string `json:"propagationPolicy"`
	OrphanDependents   *bool   `json:"orphanDependents"`
	Preconditions      *struct {
		UID             *string `json:"uid"`
		ResourceVersion *string `json:"resourceVersion"`
	} `json:"preconditions"`
	DryRun []string `json:"dryRun"`
}

func (req *request) readDeleteOptions() (o deleteOptions, e *apierrors.StatusError) {
	b, e := req.readBody()
	if e != nil {
		return o, e
	}
	return req.parseDeleteOptions(b)
}

// parseDeleteOptions reads the options of a deletion from JSON, which may be empty, and from the query.
func (req *request) parseDeleteOptions(b []byte) (o deleteOptions, e *apierrors.StatusError) {
	if len(b) > 0 {
		if err := json.Unmarshal(b, &o); err != nil {
			return o, badRequest("the delete options are malformed: %v", err)
		}
	}
	if t := req.query.Get("gracePeriodSeconds"); t != "" {
		n, err := strconv.ParseInt(t, 10, 64)
		if err != nil {
			return o, badRequest("strconv.ParseInt: parsing %q: invalid syntax", t)
		}
		o.GracePeriodSeconds = &n
	}
	if t := req.query.Get("propagationPolicy"); t != "" {
		o.PropagationPolicy = &t
	}
	if t := req.query.Get("orphanDependents"); t != "" {
		orphans, e := boolParam(req.query, "orphanDependents")
		if e != nil {
			return o, e
		}
		o.OrphanDependents = &orphans
	}
	if o.PropagationPolicy != nil && o.OrphanDependents != nil {
		return o, invalidObject("meta.k8s.io", "DeleteOptions", "",
			invalidValue("propagationPolicy", *o.PropagationPolicy, "orphanDependents and deletionPropagation cannot be both set"))
	}
	if o.PropagationPolicy != nil {
		switch *o.PropagationPolicy {
		case background, foreground, orphaned:
		default:
			return o, invalidObject("meta.k8s.io", "DeleteOptions", "", problem{"FieldValueNotSupported", "propagationPolicy",
				fmt.Sprintf("Unsupported value: %q: supported values: \"Foreground\", \"Background\", \"Orphan\", \"nil\"", *o.PropagationPolicy)})
		}
	} else if o.OrphanDependents != nil {
		policy := background
		if *o.OrphanDependents {
			policy = orphaned
		}
		o.PropagationPolicy = &policy
	}
	if dry, e := req.dryRun(); e != nil {
		return o, e
	} else if dry {
		o.DryRun = []string{"All"}
	}
	return o, nil
}

func (c *Cluster) serveDelete(req *request) *apierrors.StatusError {
	opts, e := req.readDeleteOptions()
	if e != nil {
		return e
	}
	c.lock()
	s := req.res.byKey[joinKey(req.namespace, req.name)]
	if s == nil {
		c.mu.Unlock()
		return apierrors.NewNotFound(req.res.schemaGR(), req.name)
	}
	uid := s.cur.uid
	o, gone, e := c.delete(s, opts)
	c.mu.Unlock()
	if e != nil {
		return e
	}
	if !gone || req.res.answersDeleted {
		code := http.StatusOK
		if !gone && opts.OrphanDependents != nil && !*opts.OrphanDependents {
			code = http.StatusAccepted // as a real API server does for this old option alone
		}
		req.writeObject(code, o)
		return nil
	}
	status := metav1.Status{Status: metav1.StatusSuccess, Details: &metav1.StatusDetails{
		Name: req.name, Group: req.res.group, Kind: req.res.plural, UID: metav1UID(uid)}}
	status.Kind, status.APIVersion = "Status", "v1"
	b, err := json.Marshal(status)
	if err != nil {
		return apierrors.NewInternalError(err)
	}
	writeJSON(req.w, http.StatusOK, b)
	return nil
}

func (c *Cluster) serveDeleteCollection(req *request) *apierrors.StatusError {
	if req.res.namespaced && req.namespace == "" || req.res == c.namespaces {
		return methodNotAllowed(http.MethodDelete)
	}
	sel, e := req.res.parseSelector(req.namespace, "", req.query)
	if e != nil {
		return e
	}
	opts, e := req.readDeleteOptions()
	if e != nil {
		return e
	}
	l := listing{remaining: -1, shard: sel.shard}
	c.lock()
	l.rev = c.rev
	for _, o := range req.res.objects(sel.namespace) {
		if !sel.matches(o) {
			continue
		}
		if s := req.res.byKey[o.key()]; s != nil {
			if _, _, e := c.delete(s, opts); e != nil {
				c.mu.Unlock()
				return e
			}
		}
		l.objects = append(l.objects, o)
	}
	c.mu.Unlock()
	req.writeList(l)
	return nil
}

// immortalNamespaces cannot be deleted.
// Mirrors apiserver pkg/admission/plugin/namespace/lifecycle (v0.37.2).
var immortalNamespaces = []string{metav1.NamespaceDefault, metav1.NamespaceSystem, metav1.NamespacePublic}

var errImmortal = errors.New("this namespace may not be deleted")

// delete begins a deletion or completes it, and reports whether the object is gone.
func (c *Cluster) delete(s *slot, opts deleteOptions) (o *object, gone bool, e *apierrors.StatusError) {
	r, cur := s.res, s.cur
	if p := opts.Preconditions; p != nil {
		kind := schema.GroupResource{Group: r.group, Resource: r.kind} // as kube-apiserver says it
		if p.UID != nil && *p.UID != cur.uid {
			return nil, false, apierrors.NewConflict(kind, cur.name, fmt.Errorf("the UID in the precondition (%s) does not match the UID in record (%s). "+
				"The object might have been deleted and then recreated", *p.UID, cur.uid))
		}
		if p.ResourceVersion != nil && *p.ResourceVersion != strconv.FormatUint(cur.rev, 10) {
			return nil, false, apierrors.NewConflict(kind, cur.name, fmt.Errorf("the ResourceVersion in the precondition (%s) does not match the "+
				"ResourceVersion in record (%d). The object might have been modified", *p.ResourceVersion, cur.rev))
		}
	}
	if r == c.namespaces && slices.Contains(immortalNamespaces, cur.name) {
		return nil, false, apierrors.NewForbidden(r.schemaGR(), cur.name, errImmortal)
	}
	if len(opts.DryRun) > 0 {
		return cur, true, nil
	}
	base, changed, err := cur.withPolicy(opts.PropagationPolicy)
	if err != nil {
		return nil, false, apierrors.NewInternalError(err)
	}
	switch {
	case r == c.pods:
		grace := int64(30)
		if g := cur.get("spec.terminationGracePeriodSeconds"); g.Exists() {
			if grace = g.Int(); grace < 0 {
				grace = 1 // as kube-apiserver does
			}
		}
		if opts.GracePeriodSeconds != nil {
			grace = max(0, *opts.GracePeriodSeconds)
		}
		grace = min(grace, math.MaxInt32)
		if c.isStill || cur.nodeName == "" || cur.phase == "Succeeded" || cur.phase == "Failed" {
			grace = 0
		}
		if cur.isDeleting && grace >= cur.get("metadata.deletionGracePeriodSeconds").Int() && grace > 0 {
			return cur, false, nil
		}
		if grace == 0 && !base.hasFinalizers {
			return c.remove(s), true, nil
		}
		if !cur.isDeleting {
			c.terminatePod(s, base, grace)
			c.collectSoon(s)
		}
		return s.cur, false, nil
	case r == c.namespaces:
		if !cur.isDeleting {
			m := cur.mustMap()
			meta := ensureMap(m, "metadata")
			meta["deletionTimestamp"] = stamp(c.now)
			ensureMap(m, "status")["phase"] = "Terminating"
			if o, err := c.encode(m); err == nil {
				c.put(r, o)
			}
			name := cur.name
			if c.isStill {
				return c.finishNamespace(name), true, nil
			}
			c.enqueue("ns/"+name, c.randomBetween(100*time.Millisecond, 300*time.Millisecond), func() { c.finishNamespace(name) })
		}
		return s.cur, false, nil
	case base.hasFinalizers:
		if cur.isDeleting && !changed {
			return cur, false, nil
		}
		m := base.mustMap()
		if meta := ensureMap(m, "metadata"); !cur.isDeleting {
			meta["deletionTimestamp"] = stamp(c.now)
			meta["deletionGracePeriodSeconds"] = 0
			if r.generation {
				meta["generation"] = getInt(meta, 1, "generation") + 1
			}
		}
		o, err := c.encode(m)
		if err != nil {
			return nil, false, apierrors.NewInternalError(err)
		}
		c.put(r, o)
		c.collectSoon(s)
		return s.cur, false, nil
	}
	return c.remove(s), true, nil
}

// remove removes an object for good and notifies the controllers.
func (c *Cluster) remove(s *slot) *object {
	owner := s.ownerUID
	last := c.drop(s)
	switch s.res {
	case c.crds:
		c.removeCRD(s, last.mustMap())
	case c.nodes:
		c.refreshNodes()
	}
	if uid := last.uid; len(c.slotsByOwner[uid]) > 0 || c.secondOwners[uid] > 0 {
		c.deleteDependentsSoon(uid)
	}
	c.enqueueOwner(owner)
	return last
}
