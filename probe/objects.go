package probe

import (
	"bytes"
	"encoding/json"
	"hash/fnv"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"example.org/informerscope/probe/manifests"
)

// Bounds of what is recorded of objects' bodies.
const (
	// maxPins is how many changed objects are kept for readers. An older one is read from the store if it still has that version.
	maxPins = 1024
	// maxBody bounds the JSON of one recorded object in bytes, maxBaseline that of a whole baseline.
	maxBody     = 1 << 20
	maxBaseline = 16 << 20
)

const (
	bodiesNotAsked = "the recording has no bodies: Options.Objects does not name this informer"
	bodiesSecret   = "bodies of Secrets are never recorded, and this informer's name says that it has Secrets"
)

// A `pin` keeps a changed object as the store has it.
type pin struct {
	lane    uint8
	key, rv string
	obj     interface{}
}

// explainNoBodies returns why bodies of an informer's objects are not recorded, "" if they are.
func (l *lane) explainNoBodies() (why string) {
	for _, resource := range l.p.opts.Objects {
		if l.isCalled(target(resource)) {
			if isSecretName(l.name) {
				return bodiesSecret
			}
			return ""
		}
	}
	return bodiesNotAsked
}

// unmatchedObjects returns the names in Options.Objects that no informer has.
func (p *Probe) unmatchedObjects() (names []string) {
	lanes := p.informers()
	for _, resource := range p.opts.Objects {
		if !slices.ContainsFunc(lanes, func(l *lane) bool { return l.isCalled(target(resource)) }) {
			names = append(names, target(resource).name())
		}
	}
	return names
}

// isSecretName reports whether a resource, a kind or a type may hold what Secrets hold, by its name.
func isSecretName(name string) bool { return strings.Contains(strings.ToLower(name), "secret") }

// emitObject is emit for an event with an object, which it keeps for readers.
func (p *Probe) emitObject(e event, obj interface{}) {
	p.mu.Lock()
	if p.ring != nil {
		if p.pins == nil {
			p.pins = make([]pin, 0, maxPins)
		}
		x := pin{e.lane, e.key, e.rv, obj}
		if len(p.pins) < maxPins {
			p.pins = append(p.pins, x)
		} else {
			p.pins[p.nextPin%maxPins] = x
		}
		p.nextPin++
	}
	p.mu.Unlock()
	p.emit(e)
}

// bodies are the objects that a viewer may record for the events that it has just read.
type bodies struct {
	pins  map[pin]interface{} // the obj of the keys is nil
	room  int                 // bytes left for the baseline
	types map[reflect.Type]typeClass
}

// takePins copies the objects of recent changes.
func (v *viewer) takePins() {
	if len(v.p.opts.Objects) == 0 {
		return
	}
	v.p.mu.Lock()
	pins := append([]pin(nil), v.p.pins...)
	v.p.mu.Unlock()
	v.bodies.pins = make(map[pin]interface{}, len(pins))
	for _, x := range pins {
		v.bodies.pins[pin{x.lane, x.key, x.rv, nil}] = x.obj
	}
}

// checksum returns a number that changes with the object, 0 if its JSON cannot be made.
func checksum(obj interface{}) (sum uint64) {
	defer func() {
		if recover() != nil { // a method of the object failed
			sum = 0
		}
	}()
	h := fnv.New64a()
	if json.NewEncoder(h).Encode(obj) != nil {
		return 0
	}
	return h.Sum64()
}

// body returns the redacted JSON of a version of an object, nil if that version no longer exists.
func (lv *laneView) body(key, rv string) []byte {
	if lv.l.noBodies != "" {
		return nil
	}
	obj := lv.v.bodies.pins[pin{lv.l.id, key, rv, nil}]
	if obj == nil {
		held, ok, err := lv.l.inf.GetStore().GetByKey(key)
		if !ok || err != nil {
			return nil
		}
		if _, current := ident(held); current != rv {
			return nil
		}
		obj = held
	}
	return lv.json(obj)
}

// addBody adds the body to one object of a list, if there is room.
func (lv *laneView) addBody(item *lineItem) {
	if lv.v.bodies.room <= 0 {
		return
	}
	item.Body = lv.body(item.Key, item.RV)
	lv.v.bodies.room -= len(item.Body)
}

// json returns an object's JSON as it may be recorded, nil if it may not. If encoding panics, the layer is switched off.
func (lv *laneView) json(obj interface{}) (raw []byte) {
	if lv.l.isOff("objects") {
		return nil
	}
	defer lv.l.contain("objects", &lv.l.bodiesBroken)
	if lv.v.bodies.types == nil {
		lv.v.bodies.types = map[reflect.Type]typeClass{}
	}
	resource := lv.l.target()
	apiVersion := resource.Version
	if resource.Group != "" {
		apiVersion = resource.Group + "/" + resource.Version
	}
	return encodeBody(obj, apiVersion, lv.v.bodies.types)
}

// encodeBody returns the JSON of an object without the parts that must not be recorded. It returns nil for an object that must not be recorded at all,
// that is too large, or that has no JSON. It sets apiVersion in an object without one, as objects of typed clients are. It reads the informer's objects
// without a copy, which client-go's rules allow: nothing may change them. A program that breaks these rules may crash here, as with any other reader.
func encodeBody(obj interface{}, apiVersion string, classes map[reflect.Type]typeClass) []byte {
	if obj == nil || holdsSecret(reflect.ValueOf(obj), classes, 0) {
		return nil
	}
	raw, err := json.Marshal(obj)
	if err != nil || len(raw) > maxBody || len(raw) < 2 || raw[0] != '{' {
		return nil
	}
	if bytes.HasPrefix(raw, []byte(`{"metadata":`)) {
		kind := elem(reflect.TypeOf(obj)).Name()
		if kind == partialKind {
			apiVersion = "meta.k8s.io/v1"
		}
		named := []byte(`{"kind":` + quoteJSON(kind) + `,`)
		if apiVersion != "" {
			named = append(named, `"apiVersion":`+quoteJSON(apiVersion)+`,`...)
		}
		raw = append(named, raw[1:]...)
	}
	if !mayHaveSecrets(raw) {
		return raw
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var tree map[string]interface{}
	if d.Decode(&tree) != nil || isSecret(tree) {
		return nil
	}
	switch kind, _ := tree["kind"].(string); {
	case isSecretName(kind):
		return nil
	case kind == partialKind: // it does not name the kind of its object
		if m, ok := tree["metadata"].(map[string]interface{}); ok {
			delete(m, "annotations")
			delete(m, "managedFields")
		}
	}
	if hasSecret(tree) {
		return nil
	}
	manifests.Redact(tree)
	raw, err = json.Marshal(tree)
	if err != nil || len(raw) > maxBody {
		return nil
	}
	return raw
}

func quoteJSON(s string) string {
	b, _ := json.Marshal(s) // a string has always a JSON
	return string(b)
}

// partialKind is the kind of objects with metadata only.
const partialKind = "PartialObjectMetadata"

// mayHaveSecrets reports whether JSON must be examined. If not, it has neither annotations nor a Secret.
func mayHaveSecrets(raw []byte) bool {
	for _, x := range [...]string{`annotations"`, `ecret`, manifests.AppliedKey, partialKind, `\u00`} {
		if bytes.Contains(raw, []byte(x)) {
			return true
		}
	}
	return false
}

// isSecret reports whether an object names the kind Secret and has a Secret's fields. (A reference to a Secret has only its kind and a name.)
func isSecret(m map[string]interface{}) bool {
	kind, _ := m["kind"].(string)
	if kind != "Secret" && kind != "SecretList" {
		return false
	}
	for _, field := range [...]string{"data", "stringData", "metadata", "items"} {
		if _, ok := m[field]; ok {
			return true
		}
	}
	return false
}

func hasSecret(v interface{}) bool {
	switch x := v.(type) {
	case map[string]interface{}:
		if isSecret(x) {
			return true
		}
		for _, e := range x {
			if hasSecret(e) {
				return true
			}
		}
	case []interface{}:
		for _, e := range x {
			if hasSecret(e) {
				return true
			}
		}
	}
	return false
}

// typeClass is what a Go type alone guarantees about its values.
type typeClass uint8

const (
	unknownType typeClass = iota
	cleanType             // no value contains a Secret
	secretType            // each value contains a Secret, or may
	openType              // values have an interface, which may hold anything
)

// holdsSecret reports whether a value is or contains a Secret. It descends only where the types require it.
func holdsSecret(v reflect.Value, classes map[reflect.Type]typeClass, depth int) bool {
	if !v.IsValid() {
		return false
	}
	if depth > 16 {
		return true // too deep for any reader
	}
	t := v.Type()
	says := classes[t]
	if says == unknownType {
		says = classify(t, map[reflect.Type]bool{})
		if depth == 0 && isSecretName(elem(t).Name()) {
			says = secretType
		}
		classes[t] = says
	}
	switch says {
	case secretType:
		return true
	case cleanType:
		return false
	}
	switch v.Kind() {
	case reflect.Interface, reflect.Pointer:
		return !v.IsNil() && holdsSecret(v.Elem(), classes, depth+1)
	case reflect.Struct:
		for i := 0; i < v.NumField(); i++ {
			if holdsSecret(v.Field(i), classes, depth+1) {
				return true
			}
		}
	case reflect.Slice, reflect.Array:
		for i := 0; i < v.Len(); i++ {
			if holdsSecret(v.Index(i), classes, depth+1) {
				return true
			}
		}
	case reflect.Map:
		for iter := v.MapRange(); iter.Next(); {
			if holdsSecret(iter.Value(), classes, depth+1) {
				return true
			}
		}
	}
	return false
}

func elem(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t
}

var unstructuredType = reflect.TypeOf(unstructured.Unstructured{})

// classify returns the class of a type, from all types in it.
func classify(t reflect.Type, seen map[reflect.Type]bool) typeClass {
	if seen[t] {
		return cleanType // a recursive type, already being examined
	}
	seen[t] = true
	if t == unstructuredType {
		return cleanType // its plain JSON is examined elsewhere
	}
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		return classify(t.Elem(), seen)
	case reflect.Interface:
		return openType
	case reflect.Struct:
		if t.Name() == "Secret" && strings.HasSuffix(t.PkgPath(), "k8s.io/api/core/v1") {
			return secretType
		}
		says := cleanType
		for i := 0; i < t.NumField(); i++ {
			if class := classify(t.Field(i).Type, seen); class > says {
				if says = class; says == secretType {
					return says
				}
			}
		}
		return says
	}
	return cleanType
}
