package controlplane

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientapi "k8s.io/client-go/tools/clientcmd/api"
	"k8s.io/client-go/util/cert"
	"k8s.io/client-go/util/keyutil"
)

// Context is the name of the kubeconfig's context, cluster and user.
const Context = "informerscope-sim"

// The users of this launch. Each has a token of its own, so that the API server tells them apart.
const (
	administrator = "admin"
	// Levers is the user whose writes are the page's levers, the background and the profiles.
	Levers    = "informerscope"
	manager   = "system:kube-controller-manager"
	scheduler = "system:kube-scheduler"
	// Kubelet is the user of kwok's controllers, which do what kubelets do.
	Kubelet = "kubelet"
)

// groups has each user's group, "" for none: the RBAC rules of Kubernetes itself name the components.
var groups = map[string]string{administrator: "system:masters", Levers: "system:masters", manager: "", scheduler: "", Kubelet: "system:masters"}

// access is who may do what: tokens of this launch, and keys that live as long as the data.
type access struct {
	run               string // the directory of this launch; only its owner can open it.
	keys              string // the directory of the keys; empty where an API server has its own
	serviceAccountKey string // the file of the key that signs the tokens of service accounts
	tokens            map[string]string
}

// newAccess writes the tokens, and the keys if there are none yet.
func newAccess(data, run string) (*access, error) {
	keys := filepath.Join(data, "keys")
	a := &access{run: run, keys: keys, serviceAccountKey: filepath.Join(keys, "serviceaccounts.key")}
	return a, errors.Join(a.writeTokens(nil), a.makeKeys())
}

// writeTokens makes the tokens, and writes the file of all tokens: others are lines of it that users have of elsewhere.
func (a *access) writeTokens(others []byte) error {
	a.tokens = map[string]string{}
	var lines strings.Builder
	for user, group := range groups {
		a.tokens[user] = rand.Text()
		fmt.Fprintf(&lines, "%s,%s,%s,%q\n", a.tokens[user], user, user, group)
	}
	return os.WriteFile(a.tokenFile(), append([]byte(lines.String()), others...), 0o600)
}

func (a *access) tokenFile() string { return filepath.Join(a.run, "tokens.csv") }

// authority and authorityKey sign the certificates of clients.
func (a *access) authority() string    { return filepath.Join(a.keys, "ca.crt") }
func (a *access) authorityKey() string { return filepath.Join(a.keys, "ca.key") }

// root is the authority of the certificate that kube-apiserver makes for this launch.
func (a *access) root() string { return filepath.Join(a.run, "root.crt") }

// writeRoot writes the file root, from that in which kube-apiserver has its certificate and the authority. A certificate alone is its own authority.
func (a *access) writeRoot(file string) error {
	all, err := cert.CertsFromFile(file)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(all, isAuthority) {
		all = slices.DeleteFunc(all, func(c *x509.Certificate) bool { return !isAuthority(c) })
	}
	text, err := cert.EncodeCertificates(all...)
	if err != nil {
		return err
	}
	return cert.WriteCert(a.root(), text)
}

func isAuthority(c *x509.Certificate) bool { return c.IsCA }

// makeKeys writes the keys. The certificate comes last, so that a launch that was killed in between begins again.
func (a *access) makeKeys() error {
	if _, err := os.Stat(a.authority()); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	var key *rsa.PrivateKey
	for _, file := range []string{a.serviceAccountKey, a.authorityKey()} {
		var err error
		if key, err = rsa.GenerateKey(rand.Reader, 2048); err != nil {
			return err
		}
		if err = writeKey(file, key); err != nil {
			return err
		}
	}
	certificate, err := cert.NewSelfSignedCACert(cert.Config{CommonName: Context}, key)
	if err != nil {
		return err
	}
	text, err := cert.EncodeCertificates(certificate)
	if err != nil {
		return err
	}
	return cert.WriteCert(a.authority(), text)
}

func writeKey(file string, key crypto.PrivateKey) error {
	text, err := keyutil.MarshalPrivateKeyToPEM(key)
	if err != nil {
		return err
	}
	return keyutil.WriteKey(file, text)
}

// kubeconfig writes a user's kubeconfig for the API server at an address, and returns the file.
func (a *access) kubeconfig(user, address string) (file string, err error) {
	authority, err := os.ReadFile(a.root())
	if err != nil {
		return "", err
	}
	config := clientapi.NewConfig()
	config.Clusters[Context] = &clientapi.Cluster{Server: "https://" + address, CertificateAuthorityData: authority}
	config.AuthInfos[Context] = &clientapi.AuthInfo{Token: a.tokens[user]}
	config.Contexts[Context] = &clientapi.Context{Cluster: Context, AuthInfo: Context}
	config.CurrentContext = Context
	file = filepath.Join(a.run, "kubeconfig")
	if user != administrator {
		file += "-" + strings.TrimPrefix(user, "system:")
	}
	return file, clientcmd.WriteToFile(*config, file)
}

// config is a user's connection, without a limit of requests a second: API priority and fairness is the limit.
func (a *access) config(user, address string) (*rest.Config, error) {
	authority, err := os.ReadFile(a.root())
	if err != nil {
		return nil, err
	}
	return &rest.Config{Host: "https://" + address, BearerToken: a.tokens[user], TLSClientConfig: rest.TLSClientConfig{CAData: authority}, QPS: -1,
		UserAgent: user}, nil
}
