package relay

import (
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"informerscope/server/internal/clusters"
)

// maxError bounds how much of an error's body is read, in bytes.
const maxError = 64 << 10

// passError answers with an API server's error. It writes a new metav1.Status, from the fields of the received Status or, if there is none, from the
// code and the first words of a plain text. Nothing else of the body leaves.
func (r *Relay) passError(w http.ResponseWriter, response *http.Response, upstream *clusters.Upstream) error {
	raw, err := io.ReadAll(io.LimitReader(response.Body, maxError+1))
	if err != nil {
		return err
	}
	if cause, words := upstream.Hint(response.StatusCode, raw); cause != "" {
		w.Header().Set(HintHeader, string(cause))
		w.Header().Set(WordsHeader, url.PathEscape(words))
	}
	written, err := json.Marshal(r.errorStatus(response, raw))
	if err != nil {
		return err
	}
	r.passHeaders(w.Header(), response.Header)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(response.StatusCode)
	sent, _ := w.Write(written) // the viewer may have left
	r.config.Metrics.Bytes.Add(int64(sent))
	return nil
}

// errorStatus makes the Status for an error with body raw.
func (r *Relay) errorStatus(response *http.Response, raw []byte) metav1.Status {
	code := response.StatusCode
	mediaType, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	encoding := response.Header.Get("Content-Encoding")
	switch {
	case len(raw) > maxError:
		return ownStatus(code, fmt.Sprintf("its body is longer than %d KiB", maxError>>10))
	case encoding != "" && encoding != "identity":
		return ownStatus(code, "its body is compressed")
	case mediaType == "application/json":
		return r.passStatus(code, raw)
	case mediaType == "text/plain", mediaType == "":
		status := ownStatus(code, "")
		if words := r.words(string(raw)); words != "" {
			status.Message = words
		}
		return status
	}
	return ownStatus(code, fmt.Sprintf("its body is %.60q; does an API server answer there, or a login page in front of it?", mediaType))
}

// passStatus parses an API server's Status and cleans its texts by calling words. A body that is no Status gives a Status of the relay's own.
func (r *Relay) passStatus(code int, raw []byte) metav1.Status {
	status := metav1.Status{}
	if json.Unmarshal(raw, &status) != nil || status.Kind != "Status" || status.APIVersion != "v1" && status.APIVersion != "" {
		return ownStatus(code, "its body is no Status")
	}
	status.APIVersion = "v1"
	status.ShardInfo = nil // for lists only
	texts := []*string{&status.Message, &status.Status, (*string)(&status.Reason), &status.SelfLink, &status.ResourceVersion, &status.Continue}
	if d := status.Details; d != nil {
		texts = append(texts, &d.Name, &d.Group, &d.Kind, (*string)(&d.UID))
		for i := range d.Causes {
			texts = append(texts, (*string)(&d.Causes[i].Type), &d.Causes[i].Message, &d.Causes[i].Field)
		}
	}
	for _, text := range texts {
		*text = r.words(*text)
	}
	if status.Code == 0 {
		status.Code = int32(code)
	}
	if status.Status == "" {
		status.Status = metav1.StatusFailure
	}
	if status.Message == "" {
		status.Message = ownStatus(int(status.Code), "").Message
	}
	return status
}

// words cleans a text that an API server or a probe sent beside objects; every such text leaves through it.
func (r *Relay) words(text string) string { return r.config.Clusters.Scrubber().Words(text) }

// ownStatus makes a Status from a code alone; why is the reason for leaving out the API server's own message.
func ownStatus(code int, why string) metav1.Status {
	message := fmt.Sprintf("the API server answered with %d %s", code, http.StatusText(code))
	if why != "" {
		message += fmt.Sprintf(" (its message is left out: %s)", why)
	}
	reason := apierrors.NewGenericServerResponse(code, "", schema.GroupResource{}, "", "", 0, true).ErrStatus.Reason
	return metav1.Status{TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: metav1.StatusFailure, Message: message, Reason: reason,
		Code: int32(code)}
}
