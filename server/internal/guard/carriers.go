package guard

import "strings"

// Resources other than Secrets whose objects are, or contain, credentials are refused unless the allow-list names each of them. No list of them can
// be complete, so a rule goes by their names. Users can name resources that it refuses by mistake, and leave out with --resources those that it
// misses.

// carrierWords are parts of the names of resources that hold credentials, in lower case, as in the URLs of resources.
var carrierWords = []string{
	"secret", "credential", "token", "password", "passwd", "kubeconfig", "certificaterequest", "certificatesigningrequest", "apikey", "accesskey",
	"authkey", "privatekey", "secretkey", "signingkey", "sshkey", "serviceaccountkey", "keypair", "keystore", "keytab", "oauthclient", "authconfig",
}

// carrierGroups are API groups all of whose resources hold credentials.
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

// carriers are single resources whose names do not show it.
var carriers = map[string]bool{
	"controllerconfigs.machineconfiguration.openshift.io": true, // pull secrets
	"keycloakrealmimports.k8s.keycloak.org":               true, // users with their passwords
	"keycloakusers.keycloak.org":                          true,
	"keycloakclients.keycloak.org":                        true,
	"machineconfigs.machineconfiguration.openshift.io":    true, // files of machines, pull secrets among them
}

// isCarrier reports whether a resource is assumed to hold credentials.
func isCarrier(group, resource string) bool {
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
