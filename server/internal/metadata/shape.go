package metadata

// form is the kind of JSON that a field has.
type form uint8

const (
	text        form = iota // a string
	number                  // a number
	flag                    // true or false
	exact                   // the string want only
	object                  // an object with fields of the shape's own, and no others
	list                    // an array of elements of one shape
	labels                  // an object of strings
	annotations             // an object of strings, whose values are removed
	leftOut                 // any value, which is removed
)

// shape describes the allowed values. A value may also be null, unless the shape says otherwise.
type shape struct {
	form     form
	want     string            // exact
	fields   map[string]*shape // object
	required []string          // object
	present  bool              // it may not be null
	element  *shape            // list
}

var (
	aText   = &shape{form: text}
	aNumber = &shape{form: number}
	aFlag   = &shape{form: flag}

	// objectMeta and the others mirror the types of the same names in apimachinery's pkg/apis/meta/v1 (v0.37.2). An unknown field is refused, and a
	// test compares these lists with the types.
	objectMeta = &shape{form: object, fields: map[string]*shape{
		"name": aText, "generateName": aText, "namespace": aText, "selfLink": aText, "uid": aText, "resourceVersion": aText,
		"generation": aNumber, "creationTimestamp": aText, "deletionTimestamp": aText, "deletionGracePeriodSeconds": aNumber,
		"labels":          {form: labels},
		"annotations":     {form: annotations},
		"ownerReferences": {form: list, element: ownerReference},
		"finalizers":      {form: list, element: aText},
		"managedFields":   {form: leftOut},
	}}
	ownerReference = &shape{form: object, fields: map[string]*shape{
		"apiVersion": aText, "kind": aText, "name": aText, "uid": aText, "controller": aFlag, "blockOwnerDeletion": aFlag,
	}}
	listMeta = &shape{form: object, fields: map[string]*shape{
		"selfLink": aText, "resourceVersion": aText, "continue": aText, "remainingItemCount": aNumber,
		"shardInfo": {form: object, fields: map[string]*shape{"selector": aText}},
	}}
	apiVersion = &shape{form: exact, want: "meta.k8s.io/v1"}

	// anObject is a single object, also in an event of a watch.
	anObject = &shape{form: object, present: true, required: []string{"kind", "apiVersion"}, fields: map[string]*shape{
		"kind": {form: exact, want: "PartialObjectMetadata"}, "apiVersion": apiVersion, "metadata": objectMeta,
	}}
	// anItem is an item of a list, whose kind may be given by the list.
	anItem = &shape{form: object, present: true, fields: anObject.fields}
	// aList also has items, which are read one by one.
	aList = &shape{form: object, fields: map[string]*shape{
		"kind": {form: exact, want: "PartialObjectMetadataList"}, "apiVersion": apiVersion, "metadata": listMeta,
	}}
)

// aStatus is the object of a watch's ERROR event.
var aStatus = &shape{form: object, present: true, required: []string{"kind"}, fields: map[string]*shape{
	"kind": {form: exact, want: "Status"}, "apiVersion": {form: exact, want: "v1"}, "metadata": listMeta,
	"status": aText, "message": aText, "reason": aText, "code": aNumber,
	"details": {form: object, fields: map[string]*shape{
		"name": aText, "group": aText, "kind": aText, "uid": aText, "retryAfterSeconds": aNumber,
		"causes": {form: list, element: &shape{form: object, fields: map[string]*shape{"reason": aText, "message": aText, "field": aText}}},
	}},
}}

// initialEventsEnd marks the bookmark that ends the first part of a watch with sendInitialEvents. It belongs to the protocol, not to a Secret, so its
// value passes if it is the protocol's.
const initialEventsEnd = "k8s.io/initial-events-end"

// known are the keys of a Secret's annotations that pass, without their values: those of tools, which show what manages the Secret. Other keys may
// contain anything, and are removed.
var known = map[string]bool{
	initialEventsEnd: true,
	"kubectl.kubernetes.io/last-applied-configuration": true,
	"kubernetes.io/service-account.name":               true,
	"kubernetes.io/service-account.uid":                true,
	"openshift.io/token-secret.name":                   true,
	"openshift.io/token-secret.value":                  true,

	"meta.helm.sh/release-name":      true,
	"meta.helm.sh/release-namespace": true,
	"helm.sh/hook":                   true,
	"helm.sh/hook-delete-policy":     true,
	"helm.sh/hook-weight":            true,
	"helm.sh/resource-policy":        true,

	"cert-manager.io/allow-direct-injection": true,
	"cert-manager.io/alt-names":              true,
	"cert-manager.io/certificate-name":       true,
	"cert-manager.io/common-name":            true,
	"cert-manager.io/ip-sans":                true,
	"cert-manager.io/issuer-group":           true,
	"cert-manager.io/issuer-kind":            true,
	"cert-manager.io/issuer-name":            true,
	"cert-manager.io/uri-sans":               true,

	"reconcile.external-secrets.io/data-hash": true,
	"sealedsecrets.bitnami.com/cluster-wide":  true,
	"sealedsecrets.bitnami.com/managed":       true,
	"sealedsecrets.bitnami.com/patch":         true,

	"argocd.argoproj.io/compare-options": true,
	"argocd.argoproj.io/sync-options":    true,
	"argocd.argoproj.io/sync-wave":       true,
	"argocd.argoproj.io/tracking-id":     true,
	"kustomize.toolkit.fluxcd.io/prune":  true,
	"kustomize.toolkit.fluxcd.io/ssa":    true,

	"kapp.k14s.io/identity":                   true,
	"kapp.k14s.io/original":                   true,
	"kapp.k14s.io/original-diff-md5":          true,
	"objectset.rio.cattle.io/applied":         true,
	"objectset.rio.cattle.io/id":              true,
	"objectset.rio.cattle.io/owner-gvk":       true,
	"objectset.rio.cattle.io/owner-name":      true,
	"objectset.rio.cattle.io/owner-namespace": true,
	"banzaicloud.com/last-applied":            true,

	"reloader.stakater.com/match":                             true,
	"replicator.v1.mittwald.de/replicate-from":                true,
	"replicator.v1.mittwald.de/replicate-to":                  true,
	"reflector.v1.k8s.emberstack.com/reflects":                true,
	"reflector.v1.k8s.emberstack.com/reflection-allowed":      true,
	"reflector.v1.k8s.emberstack.com/reflection-auto-enabled": true,
	"service.beta.openshift.io/expiry":                        true,
	"service.beta.openshift.io/originating-service-name":      true,
	"service.beta.openshift.io/originating-service-uid":       true,
	"service.alpha.openshift.io/expiry":                       true,
	"service.alpha.openshift.io/originating-service-name":     true,
	"service.alpha.openshift.io/originating-service-uid":      true,
}
