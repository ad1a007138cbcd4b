package simcluster

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

func (k *kindInfo) schemaGR() schema.GroupResource {
	return schema.GroupResource{Group: k.group, Resource: k.plural}
}

func statusJSON(e *apierrors.StatusError) []byte {
	s := e.ErrStatus
	s.Kind, s.APIVersion = "Status", "v1"
	b, err := json.Marshal(s)
	if err != nil {
		return []byte(`{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","reason":"InternalError","code":500}`)
	}
	return b
}

func writeStatus(w http.ResponseWriter, e *apierrors.StatusError) {
	if d := e.ErrStatus.Details; d != nil && d.RetryAfterSeconds > 0 {
		w.Header().Set("Retry-After", fmt.Sprint(d.RetryAfterSeconds))
	}
	writeJSON(w, int(e.ErrStatus.Code), statusJSON(e))
}

func writeJSON(w http.ResponseWriter, code int, body []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-cache, private")
	w.WriteHeader(code)
	// There is nothing else to do if the client has gone.
	_, _ = w.Write(body)
}

func statusError(code int, reason metav1.StatusReason, format string, args ...any) *apierrors.StatusError {
	return &apierrors.StatusError{ErrStatus: metav1.Status{
		Status: metav1.StatusFailure, Code: int32(code), Reason: reason, Message: fmt.Sprintf(format, args...),
	}}
}

func badRequest(format string, args ...any) *apierrors.StatusError {
	return statusError(http.StatusBadRequest, metav1.StatusReasonBadRequest, format, args...)
}

func pathNotFound() *apierrors.StatusError {
	e := statusError(http.StatusNotFound, metav1.StatusReasonNotFound, "the server could not find the requested resource")
	e.ErrStatus.Details = &metav1.StatusDetails{}
	return e
}

// tooLarge mirrors k8s.io/apiserver/pkg/storage.NewTooLargeResourceVersionError (v0.36.3). Unlike a real API server, this one does not wait first
// whether its cache catches up.
func tooLarge(asked, current uint64) *apierrors.StatusError {
	e := apierrors.NewTimeoutError(fmt.Sprintf("Too large resource version: %d, current: %d", asked, current), 1)
	e.ErrStatus.Details.Causes = []metav1.StatusCause{{
		Type: metav1.CauseTypeResourceVersionTooLarge, Message: "Too large resource version",
	}}
	return e
}

func tooOld(asked, oldest uint64) *apierrors.StatusError {
	return apierrors.NewResourceExpired(fmt.Sprintf("too old resource version: %d (%d)", asked, oldest))
}

// problem is one invalid field, as the server lists it in a 422.
type problem struct {
	typ           metav1.CauseType
	field, detail string
}

func requiredValue(field, detail string) problem {
	return problem{metav1.CauseTypeFieldValueRequired, field, strings.TrimSuffix("Required value: "+detail, ": ")}
}

func invalidValue(field string, value any, detail string) problem {
	v := fmt.Sprint(value)
	if s, ok := value.(string); ok {
		v = fmt.Sprintf("%q", s)
	}
	return problem{metav1.CauseTypeFieldValueInvalid, field, fmt.Sprintf("Invalid value: %s: %s", v, detail)}
}

func forbiddenValue(field, detail string) problem {
	return problem{"FieldValueForbidden", field, "Forbidden: " + detail}
}

func invalidObject(group, kind, name string, ps ...problem) *apierrors.StatusError {
	var causes []metav1.StatusCause
	var texts []string
	known := map[string]bool{}
	for _, p := range ps {
		causes = append(causes, metav1.StatusCause{Type: p.typ, Message: p.detail, Field: p.field})
		text := p.field + ": " + p.detail
		if !known[text] {
			texts = append(texts, text)
		}
		known[text] = true
	}
	text := strings.Join(texts, ", ")
	if len(texts) > 1 {
		text = "[" + text + "]"
	}
	gk := schema.GroupKind{Group: group, Kind: kind}
	e := statusError(http.StatusUnprocessableEntity, metav1.StatusReasonInvalid, "%s %q is invalid: %s", gk.String(), name, text)
	e.ErrStatus.Details = &metav1.StatusDetails{Group: group, Kind: kind, Name: name, Causes: causes}
	return e
}
