package guard

import "testing"

// TestCarriersOfCredentials: resources of well-known projects that are, or hold, credentials are refused under a list of all resources or of their
// group, and served once they are named. Other resources of Kubernetes and these projects are served.
func TestCarriersOfCredentials(t *testing.T) {
	for _, test := range []struct{ group, version, resource string }{
		{"authentication.k8s.io", "v1", "tokenreviews"},
		{"authentication.k8s.io", "v1", "tokenrequests"},
		{"certificates.k8s.io", "v1", "certificatesigningrequests"},
		{"certificates.k8s.io", "v1beta1", "podcertificaterequests"},
		{"external-secrets.io", "v1", "externalsecrets"},
		{"external-secrets.io", "v1", "clustersecretstores"},
		{"external-secrets.io", "v1alpha1", "pushsecrets"},
		{"generators.external-secrets.io", "v1alpha1", "fakes"},
		{"generators.external-secrets.io", "v1alpha1", "ecrauthorizationtokens"},
		{"bitnami.com", "v1alpha1", "sealedsecrets"},
		{"secrets-store.csi.x-k8s.io", "v1", "secretproviderclasses"},
		{"secrets-store.csi.x-k8s.io", "v1", "secretproviderclasspodstatuses"},
		{"secrets.hashicorp.com", "v1beta1", "vaultstaticsecrets"},
		{"secrets.hashicorp.com", "v1beta1", "vaultauths"},
		{"cert-manager.io", "v1", "certificaterequests"},
		{"acme.cert-manager.io", "v1", "challenges"},
		{"acme.cert-manager.io", "v1", "orders"},
		{"oauth.openshift.io", "v1", "oauthaccesstokens"},
		{"oauth.openshift.io", "v1", "oauthauthorizetokens"},
		{"oauth.openshift.io", "v1", "useroauthaccesstokens"},
		{"oauth.openshift.io", "v1", "oauthclients"},
		{"oauth.openshift.io", "v1", "oauthclientauthorizations"},
		{"cloudcredential.openshift.io", "v1", "credentialsrequests"},
		{"machineconfiguration.openshift.io", "v1", "machineconfigs"},
		{"machineconfiguration.openshift.io", "v1", "controllerconfigs"},
		{"management.cattle.io", "v3", "tokens"},
		{"management.cattle.io", "v3", "clusterregistrationtokens"},
		{"management.cattle.io", "v3", "cloudcredentials"},
		{"management.cattle.io", "v3", "authconfigs"},
		{"ext.cattle.io", "v1", "kubeconfigs"},
		{"dex.coreos.com", "v1", "authcodes"},
		{"dex.coreos.com", "v1", "offlinesessionses"},
		{"dex.coreos.com", "v1", "signingkeies"},
		{"dex.coreos.com", "v1", "passwords"},
		{"bootstrap.cluster.x-k8s.io", "v1beta1", "kubeadmconfigs"},
		{"core.gardener.cloud", "v1beta1", "internalsecrets"},
		{"security.gardener.cloud", "v1alpha1", "credentialsbindings"},
		{"isindir.github.com", "v1alpha3", "sopssecrets"},
		{"spv.no", "v2beta1", "azurekeyvaultsecrets"},
		{"secrets.doppler.com", "v1alpha1", "dopplersecrets"},
		{"secrets.infisical.com", "v1alpha1", "infisicalsecrets"},
		{"secretmanager.cnrm.cloud.google.com", "v1beta1", "secretmanagersecretversions"},
		{"iam.cnrm.cloud.google.com", "v1beta1", "iamserviceaccountkeys"},
		{"iam.aws.upbound.io", "v1beta1", "accesskeys"},
		{"ec2.aws.upbound.io", "v1beta1", "keypairs"},
		{"resources.teleport.dev", "v2", "teleportprovisiontokens"},
		{"k8s.keycloak.org", "v2alpha1", "keycloakrealmimports"},
		{"example.com", "v1", "apikeys"},
		{"example.com", "v1", "mysshkeys"},
	} {
		path := "/clusters/c/apis/" + test.group + "/" + test.version + "/" + test.resource
		named := test.resource + "." + test.group
		for list, ok := range map[string]bool{"*": false, "*." + test.group: false, "*,pods": false, named: true, "*," + named: true} {
			for _, suffix := range []string{"", "?watch=true", "/x"} {
				_, refusal := check(t, rules(t, list, true), path+suffix, nil)
				if (refusal == nil) != ok || refusal != nil && refusal.Rule != "resources" {
					t.Errorf("--resources %s, %s%s: %v", list, named, suffix, refusal)
				}
			}
		}
	}
	for _, path := range []string{
		"/api/v1/pods", "/api/v1/nodes", "/api/v1/namespaces", "/api/v1/services", "/api/v1/endpoints", "/api/v1/configmaps",
		"/api/v1/events", "/api/v1/serviceaccounts",
		"/api/v1/persistentvolumes", "/api/v1/persistentvolumeclaims", "/api/v1/replicationcontrollers", "/api/v1/resourcequotas",
		"/api/v1/limitranges", "/api/v1/podtemplates",
		"/apis/apps/v1/deployments", "/apis/apps/v1/replicasets", "/apis/apps/v1/statefulsets", "/apis/apps/v1/daemonsets", "/apis/apps/v1/controllerrevisions",
		"/apis/batch/v1/jobs", "/apis/batch/v1/cronjobs", "/apis/autoscaling/v2/horizontalpodautoscalers", "/apis/networking.k8s.io/v1/ingresses",
		"/apis/networking.k8s.io/v1/networkpolicies", "/apis/coordination.k8s.io/v1/leases", "/apis/rbac.authorization.k8s.io/v1/clusterroles",
		"/apis/storage.k8s.io/v1/storageclasses", "/apis/storage.k8s.io/v1/csinodes", "/apis/policy/v1/poddisruptionbudgets",
		"/apis/discovery.k8s.io/v1/endpointslices",
		"/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
		"/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas", "/apis/certificates.k8s.io/v1beta1/clustertrustbundles", "/apis/resource.k8s.io/v1/resourceclaims",
		"/apis/cert-manager.io/v1/certificates", "/apis/cert-manager.io/v1/issuers", "/apis/argoproj.io/v1alpha1/applications",
		"/apis/monitoring.coreos.com/v1/prometheuses",
		"/apis/gateway.networking.k8s.io/v1/httproutes", "/apis/tekton.dev/v1/pipelineruns", "/apis/cluster.x-k8s.io/v1beta1/machines",
		"/apis/keda.sh/v1alpha1/scaledobjects",
		"/apis/kustomize.toolkit.fluxcd.io/v1/kustomizations", "/apis/security.istio.io/v1/peerauthentications", "/apis/samplecontroller.k8s.io/v1alpha1/foos",
	} {
		if _, refusal := check(t, rules(t, "*", false), "/clusters/c"+path, nil); refusal != nil {
			t.Errorf("%s: %v", path, refusal)
		}
	}
}

// TestDescribeSaysWhatCarriesCredentials: a page can derive from the description alone what is refused.
func TestDescribeSaysWhatCarriesCredentials(t *testing.T) {
	d := rules(t, "*", false).Describe()
	if len(d.CarrierWords) == 0 || len(d.CarrierGroups) == 0 || len(d.Carriers) == 0 {
		t.Errorf("%+v", d)
	}
}
