package simcluster

import (
	"errors"
	"fmt"
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilnet "k8s.io/apimachinery/pkg/util/net"
)

// show returns an object as this version shows it: kube-apiserver converts, prunes and sets defaults whenever it reads.
func (r *resource) show(o *object) *object {
	if r.schema == nil || o.schema == nil || o.schema == r.schema {
		return o
	}
	m := o.mustMap()
	m["kind"], m["apiVersion"] = r.kind, r.apiVersion()
	m, err := r.schema.Load(m, o.schema)
	if err != nil {
		return o // what is stored has been read by a schema before
	}
	shown, e := answerDryRun(m)
	if e != nil {
		return o
	}
	return shown
}

// maxStored is how large an object may be that a request stores, in bytes: etcd's limit for a request.
const maxStored = 3 << 19

// encodeVersion encodes an object of this version as it is stored.
func (c *Cluster) encodeVersion(r *resource, m map[string]any) (*object, *apierrors.StatusError) {
	storage := r.versions[r.storageVersion]
	if r.schema != nil && r != storage {
		m["kind"], m["apiVersion"] = r.kind, r.apiVersion()
		var err error
		if m, err = r.schema.Store(m); err != nil {
			return nil, apierrors.NewInternalError(err)
		}
	}
	o, err := c.encode(m)
	if err != nil {
		return nil, apierrors.NewInternalError(err)
	}
	if len(o.raw) > maxStored {
		return nil, statusError(http.StatusInternalServerError, "", "etcdserver: request is too large")
	}
	o.schema = storage.schema
	return o, nil
}

// write completes and validates an object, as Schema.Write says, by the schema of its version. live is nil for a new object.
func (r *resource) write(live, m map[string]any, sub string, writer author) (map[string]any, *apierrors.StatusError) {
	m["kind"], m["apiVersion"] = r.kind, r.apiVersion()
	if live != nil {
		live["kind"], live["apiVersion"] = r.kind, r.apiVersion()
		defer delete(live, "kind")
		defer delete(live, "apiVersion")
	}
	m, warnings, err := r.schema.Write(live, m, sub)
	if writer.warn != nil {
		writer.warn(warnings)
	}
	if status := (*apierrors.StatusError)(nil); errors.As(err, &status) {
		return nil, status
	}
	if err != nil {
		return nil, apierrors.NewInternalError(err)
	}
	return m, nil
}

// fieldValidation returns how the request wants unknown fields to be treated.
func (req *request) fieldValidation() (string, *apierrors.StatusError) {
	mode := req.query.Get("fieldValidation")
	switch mode {
	case "":
		return metav1.FieldValidationWarn, nil
	case metav1.FieldValidationIgnore, metav1.FieldValidationWarn, metav1.FieldValidationStrict:
		return mode, nil
	}
	options := map[string]string{http.MethodPost: "CreateOptions", http.MethodPut: "UpdateOptions", http.MethodPatch: "PatchOptions"}[req.r.Method]
	return "", invalidObject("meta.k8s.io", options, "", problem{metav1.CauseTypeFieldValueNotSupported, "fieldValidation",
		fmt.Sprintf(`Unsupported value: %q: supported values: "", "Ignore", "Strict", "Warn"`, mode)})
}

// read decodes an object by the schema of its kind. A reader's err is why the object cannot be decoded, or the problems of a strict reader.
func (req *request) read(body []byte) (m map[string]any, err error, e *apierrors.StatusError) {
	mode, e := req.fieldValidation()
	if e != nil {
		return nil, nil, e
	}
	m, problems, err := req.res.schema.Read(body)
	if err != nil {
		return nil, err, nil
	}
	switch {
	case mode == metav1.FieldValidationWarn:
		req.warn(problems)
	case mode == metav1.FieldValidationStrict && len(problems) > 0:
		text := problems[0]
		for _, p := range problems[1:] {
			text += ", " + p
		}
		return nil, fmt.Errorf("strict decoding error: %s", text), nil
	}
	return m, nil, nil
}

const (
	// maxWarnings and maxWarning are kube-apiserver's limits of all warnings of an answer and, if they are longer together, of each, in bytes here.
	maxWarnings = 4096
	maxWarning  = 256
)

// warn adds warnings to the answer.
func (req *request) warn(texts []string) {
	total := 0
	for _, text := range texts {
		total += len(text)
	}
	for _, text := range texts {
		if total > maxWarnings && len(text) > maxWarning {
			text = text[:maxWarning]
		}
		if req.warningBytes += len(text); req.warningBytes > maxWarnings {
			return
		}
		if header, err := utilnet.NewWarningHeader(299, "-", text); err == nil {
			req.w.Header().Add("Warning", header)
		}
	}
}
