package kubeapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/munnerz/goautoneg"
	apidiscovery "k8s.io/api/apidiscovery/v2"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/kubernetes/scheme"
)

// known has the types that may leave as protobuf: those of client-go, discovery, and the metadata of any object.
var known = func() *runtime.Scheme {
	s := runtime.NewScheme()
	metav1.AddToGroupVersion(s, schema.GroupVersion{Version: "v1"})
	for _, add := range []func(*runtime.Scheme) error{scheme.AddToScheme, apidiscovery.AddToScheme, metav1.AddMetaToScheme} {
		utilruntime.Must(add(s))
	}
	return s
}()

// forms are JSON and protobuf. kube-apiserver has YAML between them, of which a list takes minutes and gigabytes, and which no client asks for.
var forms = slices.DeleteFunc(serializer.NewCodecFactory(known).SupportedMediaTypes(), func(f runtime.SerializerInfo) bool { return f.StreamSerializer == nil })

// target is what a request is about.
type target struct {
	group, resource   string // resource is empty for discovery
	isRoot            bool   // of discovery: /api or /apis
	isWatch, onlyJSON bool
}

// targetOf reads the path of a request; ok is false outside of the API's groups.
func targetOf(r *http.Request) (t target, ok bool) {
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	switch parts[0] {
	case "api":
		parts = append([]string{"apis", ""}, parts[1:]...)
	case "apis":
	default:
		return t, false
	}
	t.isRoot = len(parts) == 1 || len(parts) == 2 && parts[1] == ""
	if len(parts) < 4 {
		return t, true
	}
	t.group, parts = parts[1], parts[3:]
	if parts[0] == "namespaces" && len(parts) > 2 && !(len(parts) == 3 && (parts[2] == "status" || parts[2] == "finalize")) {
		parts = parts[2:]
	}
	t.resource = parts[0]
	watch := r.URL.Query()["watch"]
	t.isWatch = r.Method == http.MethodGet && len(parts) < 3 && len(watch) > 0 && !slices.Contains([]string{"false", "0"}, strings.ToLower(watch[0]))
	t.onlyJSON = !scheme.Scheme.IsGroupRegistered(t.group) // of CustomResourceDefinitions, and what they describe
	return t, true
}

// negotiate chooses the form of an answer by the Accept header, and says which of its clauses the cluster is to serve as JSON.
//
// Mirrors k8s.io/apiserver/pkg/endpoints/handlers/negotiation.NegotiateMediaTypeOptions and RequestScope.AllowsMediaTypeTransform (v0.36.3), but meta.k8s.io
// is served as v1 only.
func negotiate(header string, t target) (form runtime.SerializerInfo, accept string, e *apierrors.StatusError) {
	found := header == ""
	form, accept = forms[0], runtime.ContentTypeJSON
	clauses := goautoneg.ParseAccept(header)
	for i := 0; i < len(clauses) && !found; i++ {
		for _, f := range forms {
			c := &clauses[i]
			matches := c.Type == f.MediaTypeType && (c.SubType == f.MediaTypeSubType || c.SubType == "*") || c.Type == "*" && c.SubType == "*"
			if matches && t.allows(c.Params, f) {
				found, form = true, f
				if kind := c.Params["as"]; kind != "" {
					accept += ";as=" + kind + ";g=" + c.Params["g"] + ";v=" + c.Params["v"]
				}
				break
			}
		}
	}
	if found {
		return form, accept, nil
	}
	var all []string
	for _, f := range forms {
		name := f.MediaType
		if t.isWatch {
			name += ";stream=watch"
		}
		if t.allows(nil, f) {
			all = append(all, name)
		}
	}
	return form, "", &apierrors.StatusError{ErrStatus: metav1.Status{Status: metav1.StatusFailure, Code: http.StatusNotAcceptable,
		Reason: metav1.StatusReasonNotAcceptable, Message: "only the following media types are accepted: " + strings.Join(all, ", ")}}
}

// allows reports whether the target has a form with the parameters of a clause.
func (t target) allows(params map[string]string, f runtime.SerializerInfo) bool {
	if params["stream"] != "" && params["stream"] != "watch" || params["sv"] != "" && params["sv"] != "v1" {
		return false
	}
	kind := schema.GroupVersionKind{Group: params["g"], Version: params["v"], Kind: params["as"]}
	isProtobuf := f.MediaType == runtime.ContentTypeProtobuf
	switch {
	case kind.Empty():
		return !isProtobuf || !t.onlyJSON
	case t.resource == "":
		return t.isRoot && kind == apidiscovery.SchemeGroupVersion.WithKind("APIGroupDiscoveryList")
	case kind.GroupVersion() != metav1.SchemeGroupVersion:
		return false
	}
	return kind.Kind == "PartialObjectMetadata" || kind.Kind == "PartialObjectMetadataList"
}

// answer is the ResponseWriter with which the cluster writes JSON, and a client gets another form. Each event of a watch is converted when it is written; other
// answers are converted by close.
type answer struct {
	http.ResponseWriter
	form    runtime.SerializerInfo
	isWatch bool

	code   int
	frames io.Writer // of an accepted watch
	body   []byte    // JSON, which close converts
}

// Unwrap lets http.ResponseController reach the connection.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// WriteHeader implements http.ResponseWriter.
func (a *answer) WriteHeader(code int) {
	a.code = code
	if a.isWatch && code == http.StatusOK {
		a.begin(";stream=watch")
		a.frames = a.form.StreamSerializer.Framer.NewFrameWriter(a.ResponseWriter)
	}
}

// begin writes the headers of the form.
func (a *answer) begin(suffix string) {
	h := a.Header()
	h.Set("Content-Type", strings.Replace(h.Get("Content-Type"), runtime.ContentTypeJSON, a.form.MediaType, 1)+suffix)
	a.ResponseWriter.WriteHeader(a.code)
}

// Write implements http.ResponseWriter.
func (a *answer) Write(p []byte) (int, error) {
	if a.code == 0 {
		a.WriteHeader(http.StatusOK)
	}
	if a.frames == nil {
		a.body = append(a.body, p...)
		return len(p), nil
	}
	for line := range bytes.Lines(p) { // the cluster writes whole events
		if err := a.writeEvent(line); err != nil {
			return 0, err
		}
	}
	return len(p), nil
}

// writeEvent writes an event of a watch.
func (a *answer) writeEvent(line []byte) error {
	var event metav1.WatchEvent
	if err := json.Unmarshal(line, &event); err != nil {
		return err
	}
	object, cause := a.convert(event.Object.Raw)
	if cause != nil { // as kube-apiserver does, say so and end the watch
		event.Type = "ERROR"
		var err error
		if object, err = a.convert(statusJSON(apierrors.NewInternalError(cause))); err != nil {
			return err
		}
	}
	event.Object.Raw = object
	return errors.Join(a.form.StreamSerializer.Serializer.Encode(&event, a.frames), cause)
}

// convert returns an object of the cluster in the answer's form.
func (a *answer) convert(text []byte) ([]byte, error) {
	object, _, err := forms[0].Serializer.Decode(text, &schema.GroupVersionKind{Version: "v1"}, nil)
	if err != nil {
		return nil, fmt.Errorf("the object does not fit its type: %w", err)
	}
	var b bytes.Buffer
	err = a.form.Serializer.Encode(object, &b)
	return b.Bytes(), err
}

// close writes the answer, unless it was a watch's or there is none.
func (a *answer) close() {
	if a.frames != nil || a.code == 0 {
		return
	}
	if a.Header().Get("Content-Type") != runtime.ContentTypeJSON { // the text of a path that is not served
		a.begin("")
		_, _ = a.ResponseWriter.Write(a.body)
		return
	}
	body, err := a.convert(a.body)
	if err != nil {
		writeStatus(a.ResponseWriter, apierrors.NewInternalError(err))
		return
	}
	a.begin("")
	_, _ = a.ResponseWriter.Write(body) // the client may have gone
}
