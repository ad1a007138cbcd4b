package guard

import "strings"

// Resources other than Secrets whose objects are, or contain, credentials are refused unless the allow-list names them one by one. Nobody can
// list them all, so there is a rule: their names mostly say so. What it takes in besides can be named; what it misses is for --resources to
// leave out.

// carrierWords are what stands in the name of a resource that holds credentials: written as resources are, small and in one word.
var carrierWords = []string{
	"secret", "credential", "token", "password", "passwd", "kubeconfig", "certificaterequest", "certificatesigningrequest", "apikey", "accesskey",
	"authkey", "privatekey", "secretkey", "signingkey", "sshkey", "serviceaccountkey", "keypair", "keystore", "keytab", "oauthclient", "authconfig",
}

// carrierGroups are groups that are about credentials as a whole, whatever their resources are called.
var carrierGroups = map[string]bool{
	"acme.cert-manager.io":                true, // challenges with their tokens and keys
	"bootstrap.cluster.x-k8s.io":          true, // what machines are started with: bootstrap tokens, files, users
	"dex.coreos.com":                      true, // codes, sessions, signing keys
	"external-secrets.io":                 true,
	"generators.external-secrets.io":      true,
	"oauth.openshift.io":                  true,
	"redhatcop.redhat.io":                 true, // configuration of Vault
	"secrets-store.csi.x-k8s.io":          true,
	"secrets.hashicorp.com":               true,
	"secretsmanager.services.k8s.aws":     true,
	"secretmanager.cnrm.cloud.google.com": true,
}

// carriers are single resources whose names do not say it.
var carriers = map[string]bool{
	"controllerconfigs.machineconfiguration.openshift.io": true, // pull secrets
	"keycloakrealmimports.k8s.keycloak.org":               true, // users with their passwords
	"keycloakusers.keycloak.org":                          true,
	"keycloakclients.keycloak.org":                        true,
	"machineconfigs.machineconfiguration.openshift.io":    true, // files of machines, pull secrets among them
}

// carries says whether a resource is taken to hold credentials.
func carries(group, resource string) bool {
	if carrierGroups[group] || carriers[join(resource, group)] {
		return true
	}
	for _, word := range carrierWords {
		if strings.Contains(resource, word) {
			return true
		}
	}
	return false
}
