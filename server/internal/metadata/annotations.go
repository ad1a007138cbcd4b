package metadata

// initialEventsEnd marks the bookmark that ends the first part of a watch with sendInitialEvents. It belongs to the protocol, not to a Secret, so its
// value passes if it is the protocol's.
const initialEventsEnd = "k8s.io/initial-events-end"

// knownKeys are the keys of a Secret's annotations that pass, without their values: those of tools, which show what manages the Secret. Other keys may
// contain anything, and are removed.
var knownKeys = map[string]bool{
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
