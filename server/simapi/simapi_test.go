package simapi

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	goruntime "runtime"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"informerscope/server/internal/guard"
)

func start(t *testing.T) (*Server, *rest.Config) {
	t.Helper()
	log := slog.New(slog.NewTextHandler(io.Discard, nil))
	refusals := guard.NewTally(log, func(string) {})
	s, err := New(Options{Seed: 7, Objects: 20})
	if err != nil {
		t.Fatal(err)
	}
	s.Start(refusals, log)
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(s.Kubeconfig()); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("the kubeconfig is still there: %v", err)
		}
		refusals.Close()
	})
	config, err := clientcmd.BuildConfigFromFlags("", s.Kubeconfig())
	if err != nil {
		t.Fatal(err)
	}
	return s, config
}

// TestTypedClients writes, reads and watches with client-go's typed client, once with JSON and once with protobuf, as kubectl create does.
func TestTypedClients(t *testing.T) {
	for _, form := range []string{runtime.ContentTypeJSON, runtime.ContentTypeProtobuf} {
		t.Run(form, func(t *testing.T) {
			_, config := start(t)
			config.ContentType = form
			config.AcceptContentTypes = form + "," + runtime.ContentTypeJSON
			client, err := kubernetes.NewForConfig(config)
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			pods := client.CoreV1().Pods("default")
			watch, err := pods.Watch(ctx, metav1.ListOptions{LabelSelector: "app=web"})
			if err != nil {
				t.Fatal(err)
			}
			defer watch.Stop()
			replicas := int32(2)
			labels := map[string]string{"app": "web"}
			if _, err := client.AppsV1().Deployments("default").Create(ctx, &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: "web"},
				Spec: appsv1.DeploymentSpec{Replicas: &replicas, Selector: &metav1.LabelSelector{MatchLabels: labels},
					Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels},
						Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "web", Image: "nginx"}}}}}}, metav1.CreateOptions{}); err != nil {
				t.Fatal(err)
			}
			running := map[string]bool{}
			for len(running) < 2 {
				select {
				case e := <-watch.ResultChan():
					if pod, ok := e.Object.(*corev1.Pod); ok && pod.Status.Phase == corev1.PodRunning {
						running[pod.Name] = true
					}
				case <-ctx.Done():
					t.Fatalf("two pods were to run, and %v do", running)
				}
			}
			if _, err := client.AppsV1().Deployments("default").UpdateScale(ctx, "web", &autoscalingv1.Scale{ObjectMeta: metav1.ObjectMeta{Name: "web",
				Namespace: "default"}, Spec: autoscalingv1.ScaleSpec{Replicas: 1}}, metav1.UpdateOptions{}); err != nil {
				t.Error(err)
			}
			for name := range running {
				err := pods.EvictV1(ctx, &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default"},
					DeleteOptions: &metav1.DeleteOptions{DryRun: []string{metav1.DryRunAll}}})
				if err != nil && !apierrors.IsNotFound(err) { // scaling down has removed one of them
					t.Error(err)
				}
			}
			grace := int64(0)
			if err := client.AppsV1().Deployments("default").Delete(ctx, "web", metav1.DeleteOptions{GracePeriodSeconds: &grace}); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestRefusals sends what must not come in. Each answer is a Status that says why, and the cluster is unchanged.
func TestRefusals(t *testing.T) {
	s, config := start(t)
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(config.CAData)
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}}}
	defer client.CloseIdleConnections()
	const configMaps = "/api/v1/namespaces/default/configmaps"
	before := s.cluster.Stats().Objects["configmaps"]
	for _, x := range []struct {
		name, method, path, token, host, form string
		body                                  string
		code                                  int
		says                                  string
	}{
		{"no token", "GET", "/api", "", "", "", "", 401, "token of the kubeconfig"},
		{"another token", "GET", "/api", config.BearerToken + "x", "", "", "", 401, "token of the kubeconfig"},
		{"another host", "GET", "/api", config.BearerToken, "rebound.example", "", "", 400, "names another host"},
		{"a body without a token", "POST", configMaps, "", "", "application/json", `{"metadata":{"name":"a"}}`, 401, "token"},
		{"a body over the limit", "POST", configMaps, config.BearerToken, "", "application/json", strings.Repeat(" ", maxBody+1), 413, "limit is 3145728"},
		{"no JSON", "POST", configMaps, config.BearerToken, "", "application/json", "{", 400, "unrecognized"},
		{"no protobuf", "POST", configMaps, config.BearerToken, "", "application/vnd.kubernetes.protobuf", "k8s\x00\xff\xff", 400, "unrecognized"},
		{"no YAML", "POST", configMaps, config.BearerToken, "", "application/yaml", "a: [", 400, "unrecognized"},
		{"deep JSON", "POST", configMaps, config.BearerToken, "", "application/json", strings.Repeat("[", 1<<20), 400, "unrecognized"},
		{"another form", "POST", configMaps, config.BearerToken, "", "text/plain", "a", 415, "application/json"},
	} {
		t.Run(x.name, func(t *testing.T) {
			r, err := http.NewRequestWithContext(t.Context(), x.method, config.Host+x.path, strings.NewReader(x.body))
			if err != nil {
				t.Fatal(err)
			}
			r.Host = x.host
			if x.token != "" {
				r.Header.Set("Authorization", "Bearer "+x.token)
			}
			if x.form != "" {
				r.Header.Set("Content-Type", x.form)
			}
			answer, err := client.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(answer.Body)
			_ = answer.Body.Close()
			if err != nil || answer.StatusCode != x.code || !bytes.Contains(body, []byte(`"kind":"Status"`)) || !bytes.Contains(body, []byte(x.says)) {
				t.Errorf("got %d, %s, %v; want %d with %q", answer.StatusCode, body, err, x.code, x.says)
			}
		})
	}
	if now := s.cluster.Stats().Objects["configmaps"]; now != before {
		t.Errorf("%d config maps became %d", before, now)
	}
}

// TestKubeconfigIsPrivate: only its owner can read the kubeconfig, which has the token.
func TestKubeconfigIsPrivate(t *testing.T) {
	if goruntime.GOOS == "windows" {
		t.Skip("Windows has no such modes")
	}
	s, _ := start(t)
	for path, want := range map[string]fs.FileMode{s.Kubeconfig(): 0o600, filepath.Dir(s.Kubeconfig()): fs.ModeDir | 0o700} {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode() != want {
			t.Errorf("%s has the mode %v, want %v", path, info.Mode(), want)
		}
	}
}

// TestCloseEndsWatches closes the server while a client watches.
func TestCloseEndsWatches(t *testing.T) {
	log := slog.New(slog.NewTextHandler(io.Discard, nil))
	refusals := guard.NewTally(log, func(string) {})
	defer refusals.Close()
	s, err := New(Options{Objects: 20})
	if err != nil {
		t.Fatal(err)
	}
	s.Start(refusals, log)
	config, err := clientcmd.BuildConfigFromFlags("", s.Kubeconfig())
	if err != nil {
		t.Fatal(err)
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	watch, err := client.CoreV1().Pods("").Watch(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer watch.Stop()
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	for e := range watch.ResultChan() {
		if e.Object == nil {
			t.Fatal("an event without an object")
		}
	}
}

// TestASlowBodyIsRefused sends the headers of a request and then nothing of its body.
func TestASlowBodyIsRefused(t *testing.T) {
	s, config := start(t)
	s.bodyTimeout = 50 * time.Millisecond
	conn, err := tls.Dial("tcp", strings.TrimPrefix(config.Host, "https://"), &tls.Config{InsecureSkipVerify: true}) // the server under test
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	if _, err := io.WriteString(conn, "POST /api/v1/namespaces/default/configmaps HTTP/1.1\r\nHost: "+conn.RemoteAddr().String()+
		"\r\nAuthorization: Bearer "+config.BearerToken+"\r\nContent-Length: 100\r\n\r\n{"); err != nil {
		t.Fatal(err)
	}
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode != http.StatusBadRequest {
		t.Errorf("got %s", answer.Status)
	}
}
