package cluster

import (
	"context"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// KillAPIServer ends the API server as a crash does, without closing its connections properly. [ControlPlane.StartAPIServer] starts it again.
func (cp *ControlPlane) KillAPIServer() {
	cp.mu.Lock()
	defer cp.mu.Unlock()
	if cp.api != nil {
		cp.api.Stop(0)
		cp.api = nil
	}
}

// SignalAPIServer sends the API server a signal, such as SIGSTOP. The caller must send SIGCONT after it.
func (cp *ControlPlane) SignalAPIServer(sig os.Signal) error {
	cp.mu.Lock()
	defer cp.mu.Unlock()
	if cp.api == nil {
		return errors.New("the API server is not running")
	}
	return cp.api.Signal(sig)
}

// UseAPIServerArgs replaces the further flags that the API server is started with from now on. A running one has its own until it is restarted.
func (cp *ControlPlane) UseAPIServerArgs(args ...string) {
	cp.mu.Lock()
	defer cp.mu.Unlock()
	cp.opts.APIServerArgs = args
}

// KillEtcd ends etcd as a crash does. What it has written is kept.
func (cp *ControlPlane) KillEtcd() {
	cp.mu.Lock()
	defer cp.mu.Unlock()
	if cp.etcd != nil {
		cp.etcd.Stop(0)
		cp.etcd = nil
	}
}

// SignalEtcd sends etcd a signal, such as SIGSTOP. The caller must send SIGCONT after it.
func (cp *ControlPlane) SignalEtcd(sig os.Signal) error {
	cp.mu.Lock()
	defer cp.mu.Unlock()
	if cp.etcd == nil {
		return errors.New("etcd is not running")
	}
	return cp.etcd.Signal(sig)
}

// StartEtcd starts etcd again, with its data and on its ports, and waits until it is ready.
func (cp *ControlPlane) StartEtcd(ctx context.Context) error {
	cp.mu.Lock()
	defer cp.mu.Unlock()
	if cp.closed {
		return errors.New("the control plane is closed")
	}
	if cp.etcd != nil {
		return errors.New("etcd is running already: kill it first")
	}
	ctx, cancel := context.WithTimeoutCause(ctx, readyTimeout, fmt.Errorf("etcd was not ready within %s", readyTimeout))
	defer cancel()
	return cp.runEtcd(ctx)
}

// ServiceAccountToken signs a token for a service account with the API server's own key. It may end at any time, while a TokenRequest gives none for
// less than ten minutes. The API server accepts a token for a minute beyond its end, and may cache that for ten seconds more.
func (cp *ControlPlane) ServiceAccountToken(namespace, name, uid string, ends time.Time) (string, error) {
	text, err := os.ReadFile(filepath.Join(cp.state, "sa.key"))
	if err != nil {
		return "", err
	}
	block, _ := pem.Decode(text)
	if block == nil {
		return "", errors.New("the service accounts' key is not PEM")
	}
	key, err := x509.ParsePKCS1PrivateKey(block.Bytes)
	if err != nil {
		return "", err
	}
	type m = map[string]any
	const issuer = "https://kubernetes.default.svc"
	begins := min(time.Now().Unix(), ends.Unix()) - 3600
	head, err := json.Marshal(m{"alg": "RS256", "typ": "JWT"})
	if err != nil {
		return "", err
	}
	claims, err := json.Marshal(m{
		"iss": issuer, "aud": []string{issuer}, "sub": "system:serviceaccount:" + namespace + ":" + name,
		"iat": begins, "nbf": begins, "exp": ends.Unix(),
		"kubernetes.io": m{"namespace": namespace, "serviceaccount": m{"name": name, "uid": uid}},
	})
	if err != nil {
		return "", err
	}
	said := base64.RawURLEncoding.EncodeToString(head) + "." + base64.RawURLEncoding.EncodeToString(claims)
	sum := sha256.Sum256([]byte(said))
	signature, err := rsa.SignPKCS1v15(rand.Reader, key, crypto.SHA256, sum[:])
	if err != nil {
		return "", err
	}
	return said + "." + base64.RawURLEncoding.EncodeToString(signature), nil
}
