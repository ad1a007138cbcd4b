package kubeapi

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
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

	"informerscope/core/cluster/simcluster"
)

// start serves a live cluster of 20 pods until the test ends.
func start(t *testing.T) (*API, *rest.Config) {
	t.Helper()
	api := New(simcluster.Options{Seed: 7, Objects: 20})
	ctx, stop := context.WithCancel(context.Background())
	server := httptest.NewUnstartedServer(api)
	server.Config.BaseContext = func(net.Listener) context.Context { return ctx }
	server.Start()
	done := make(chan struct{})
	go func() {
		defer close(done)
		api.Cluster().Run(ctx)
	}()
	t.Cleanup(func() {
		stop() // also the watches
		server.Close()
		<-done
	})
	return api, &rest.Config{Host: server.URL}
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
	const configMaps = "/api/v1/namespaces/default/configmaps"
	before := s.cluster.Stats().Objects["configmaps"]
	for _, x := range []struct {
		name, form, body string
		code             int
		says             string
	}{
		{"a body over the limit", "application/json", strings.Repeat(" ", maxBody+1), 413, "limit is 3145728"},
		{"no JSON", "application/json", "{", 400, "unrecognized"},
		{"no protobuf", "application/vnd.kubernetes.protobuf", "k8s\x00\xff\xff", 400, "unrecognized"},
		{"no YAML", "application/yaml", "a: [", 400, "unrecognized"},
		{"deep JSON", "application/json", strings.Repeat("[", 1<<20), 400, "unrecognized"},
		{"another form", "text/plain", "a", 415, "application/json"},
	} {
		t.Run(x.name, func(t *testing.T) {
			answer, body := ask(t, config, "POST", configMaps, x.body, "Content-Type", x.form)
			if answer.StatusCode != x.code || !bytes.Contains(body, []byte(`"kind":"Status"`)) || !bytes.Contains(body, []byte(x.says)) {
				t.Errorf("got %d, %s; want %d with %q", answer.StatusCode, body, x.code, x.says)
			}
		})
	}
	if now := s.cluster.Stats().Objects["configmaps"]; now != before {
		t.Errorf("%d config maps became %d", before, now)
	}
}

// TestASlowBodyIsRefused sends the headers of a request and then nothing of its body.
func TestASlowBodyIsRefused(t *testing.T) {
	s, config := start(t)
	s.bodyTimeout = 50 * time.Millisecond
	conn, err := net.Dial("tcp", strings.TrimPrefix(config.Host, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	if _, err := io.WriteString(conn, "POST /api/v1/namespaces/default/configmaps HTTP/1.1\r\nHost: "+conn.RemoteAddr().String()+
		"\r\nContent-Length: 100\r\n\r\n{"); err != nil {
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
