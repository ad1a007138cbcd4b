package take

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	corev1lister "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

// server holds one pod, or none. Like an API server, it deletes the pod only if the preconditions are true of it.
type server struct {
	pod     *corev1.Pod
	deletes int
}

func (s *server) RoundTrip(req *http.Request) (*http.Response, error) {
	answer := func(code int, text string) (*http.Response, error) {
		return &http.Response{StatusCode: code, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(text)),
			Request: req}, nil
	}
	s.deletes++
	var o metav1.DeleteOptions
	if err := json.NewDecoder(req.Body).Decode(&o); err != nil || req.Method != http.MethodDelete {
		return nil, err
	}
	switch p := o.Preconditions; {
	case s.pod == nil:
		return answer(http.StatusNotFound, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"NotFound","code":404}`)
	case p == nil || *p.UID != s.pod.UID || *p.ResourceVersion != s.pod.ResourceVersion:
		return answer(http.StatusConflict, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Conflict","code":409}`)
	}
	s.pod = nil
	return answer(http.StatusOK, `{"kind":"Status","apiVersion":"v1","status":"Success"}`)
}

// TestDeleteAsRead: what the lister gave is deleted. A pod that has changed since then, and another one of the same name, stay.
func TestDeleteAsRead(t *testing.T) {
	pod := func(uid, version string) *corev1.Pod {
		p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "web-0", ResourceVersion: version}}
		p.UID = "1"
		if uid != "" {
			p.UID = "2"
		}
		return p
	}
	for _, x := range []struct {
		what           string
		cached, stored *corev1.Pod
		stays, refused bool
		deletes        int
	}{
		{"it is as it was", pod("", "5"), pod("", "5"), false, false, 1},
		{"it has changed", pod("", "5"), pod("", "6"), true, true, 1},
		{"it was made again", pod("", "5"), pod("again", "9"), true, true, 1},
		{"it is gone", pod("", "5"), nil, false, false, 1},
		{"the lister has none", nil, pod("", "5"), true, false, 0},
	} {
		s := &server{pod: x.stored}
		client, err := kubernetes.NewForConfigAndClient(&rest.Config{Host: "http://cluster.example", ContentConfig: rest.ContentConfig{
			ContentType: "application/json"}}, &http.Client{Transport: s})
		if err != nil {
			t.Fatal(err)
		}
		indexer := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{})
		if x.cached != nil {
			if err := indexer.Add(x.cached); err != nil {
				t.Fatal(err)
			}
		}
		err = deleteAsRead(t.Context(), corev1lister.NewPodLister(indexer), client.CoreV1(), "ns", "web-0")
		if (s.pod != nil) != x.stays || apierrors.IsConflict(err) != x.refused || (err != nil) != x.refused || s.deletes != x.deletes {
			t.Errorf("%s: stays %v after %d deletes, %v", x.what, s.pod != nil, s.deletes, err)
		}
	}
}
