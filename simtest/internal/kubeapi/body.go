package kubeapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/yaml"
)

const (
	// maxBody is the limit of kube-apiserver for a request's body, in bytes.
	maxBody = 3 << 20
	// bodyTimeout is how long a body may take to come.
	bodyTimeout = 15 * time.Second
)

// readJSON replaces the body of a request by JSON. kubectl and controller-runtime send built-in types as protobuf. A body in another form than JSON,
// YAML or protobuf stays as it is. It must come within timeout. When readJSON returns, the whole body has been read.
func readJSON(w http.ResponseWriter, r *http.Request, timeout time.Duration) *apierrors.StatusError {
	if r.ContentLength == 0 {
		return nil
	}
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Now().Add(timeout)) // a connection without deadlines is a test's
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		w.Header().Set("Connection", "close") // else the answer waits for the rest of the body
	}
	_ = control.SetReadDeadline(time.Time{})
	if tooBig := (*http.MaxBytesError)(nil); errors.As(err, &tooBig) {
		return apierrors.NewRequestEntityTooLargeError(fmt.Sprintf("limit is %d", maxBody))
	}
	if err != nil {
		return apierrors.NewBadRequest("reading the request body: " + err.Error())
	}
	form, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err == nil {
		switch form {
		case runtime.ContentTypeProtobuf:
			body, err = protobufToJSON(body)
		case runtime.ContentTypeYAML:
			body, err = yaml.YAMLToJSONStrict(body)
		case string(types.ApplyYAMLPatchType):
			body, err = yaml.YAMLToJSONStrict(body)
			form = "" // says what the body is for
		default:
			form = ""
		}
		if err != nil {
			return apierrors.NewBadRequest("the object provided is unrecognized: " + err.Error())
		}
		if form != "" {
			r.Header.Set("Content-Type", runtime.ContentTypeJSON)
		}
	}
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	return nil
}

// protobufToJSON decodes an object of a built-in type, or the options of a request.
func protobufToJSON(body []byte) ([]byte, error) {
	object, kind, err := scheme.Codecs.UniversalDeserializer().Decode(body, nil, nil)
	if err != nil {
		return nil, err
	}
	object.GetObjectKind().SetGroupVersionKind(*kind)
	return json.Marshal(object)
}

// writeStatus answers with an error in the form of the API.
func writeStatus(w http.ResponseWriter, e *apierrors.StatusError) {
	w.Header().Set("Content-Type", runtime.ContentTypeJSON)
	w.WriteHeader(int(e.ErrStatus.Code))
	_, _ = w.Write(statusJSON(e))
}

func statusJSON(e *apierrors.StatusError) []byte {
	status := e.Status()
	status.Kind, status.APIVersion = "Status", metav1.SchemeGroupVersion.Version
	b, err := json.Marshal(status)
	if err != nil { // strings and numbers always marshal
		panic(err)
	}
	return b
}
