package relay

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"informerscope/server/internal/guard"
)

const (
	// maxMetadataList bounds a list of metadata, which has to be held whole to be verified.
	maxMetadataList = 64 << 20
	// maxMetadataFrame bounds one event of a watch of metadata.
	maxMetadataFrame = 4 << 20
	// maxStatus bounds an error in place of metadata.
	maxStatus = 1 << 20
)

// errNotMetadata is the refusal of an answer that is more than it should be.
var errNotMetadata = errors.New("the API server answered with more than metadata, which is not passed on")

// metadataOnly verifies that an answer is PartialObjectMetadata, and writes it anew from the typed form, so that nothing
// else can be in it. A list or an object is verified before anything is sent; a watch event by event, and it ends with an
// error at the first event that fails.
func metadataOnly(body io.ReadCloser, request guard.Request) (io.ReadCloser, error) {
	if request.Watch {
		return newMetadataWatch(body), nil
	}
	raw, err := readAll(body, maxMetadataList)
	if err != nil {
		return nil, err
	}
	verified, err := verify(raw, request.Name == "")
	if err != nil {
		return nil, err
	}
	return &verifiedBody{Reader: bytes.NewReader(verified), Closer: body}, nil
}

// statusOnly passes an error on, written anew from its typed form.
func statusOnly(body io.ReadCloser) (io.ReadCloser, error) {
	raw, err := readAll(body, maxStatus)
	if err != nil {
		return nil, err
	}
	status := metav1.Status{}
	if json.Unmarshal(raw, &status) != nil || status.Kind != "Status" {
		// Text of the API server's, such as "too many requests": the status code tells it.
		return &verifiedBody{Reader: bytes.NewReader(nil), Closer: body}, nil
	}
	verified, err := json.Marshal(status)
	return &verifiedBody{Reader: bytes.NewReader(verified), Closer: body}, err
}

type verifiedBody struct {
	io.Reader
	io.Closer
}

func readAll(body io.Reader, limit int64) ([]byte, error) {
	raw, err := io.ReadAll(io.LimitReader(body, limit+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("the API server's answer broke off: %w", err)
	case int64(len(raw)) > limit:
		return nil, fmt.Errorf("the list of metadata is larger than %d MiB; ask for pages with limit", limit>>20)
	}
	return raw, nil
}

// verify decodes strictly: a field that metadata does not have is a refusal, not something to be dropped in silence.
func verify(raw []byte, list bool) ([]byte, error) {
	var (
		target any
		kind   *metav1.TypeMeta
		want   string
	)
	if list {
		l := &metav1.PartialObjectMetadataList{}
		target, kind, want = l, &l.TypeMeta, "PartialObjectMetadataList"
	} else {
		o := &metav1.PartialObjectMetadata{}
		target, kind, want = o, &o.TypeMeta, "PartialObjectMetadata"
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(target); err != nil || decoder.More() {
		return nil, errNotMetadata
	}
	if kind.Kind != want || kind.APIVersion != "meta.k8s.io/v1" {
		return nil, errNotMetadata
	}
	if l, ok := target.(*metav1.PartialObjectMetadataList); ok {
		for i := range l.Items {
			if k := l.Items[i].Kind; k != "" && k != "PartialObjectMetadata" {
				return nil, errNotMetadata
			}
		}
	}
	return json.Marshal(target)
}

// metadataWatch reads watch events and gives them on once verified, one at a time.
type metadataWatch struct {
	body    io.ReadCloser
	limited *io.LimitedReader
	decoder *json.Decoder
	frame   []byte
	err     error
}

func newMetadataWatch(body io.ReadCloser) *metadataWatch {
	limited := &io.LimitedReader{R: body, N: maxMetadataFrame}
	return &metadataWatch{body: body, limited: limited, decoder: json.NewDecoder(limited)}
}

// Read implements io.Reader.
func (m *metadataWatch) Read(p []byte) (int, error) {
	for len(m.frame) == 0 {
		if m.err != nil {
			return 0, m.err
		}
		m.frame, m.err = m.next()
	}
	n := copy(p, m.frame)
	m.frame = m.frame[n:]
	return n, nil
}

func (m *metadataWatch) next() ([]byte, error) {
	m.limited.N = maxMetadataFrame
	var event struct {
		Type   string          `json:"type"`
		Object json.RawMessage `json:"object"`
	}
	if err := m.decoder.Decode(&event); err != nil {
		if err == io.EOF && m.limited.N > 0 {
			return nil, io.EOF
		}
		return nil, fmt.Errorf("the watch of metadata broke off: %w", io.ErrUnexpectedEOF)
	}
	var err error
	switch event.Type {
	case "ADDED", "MODIFIED", "DELETED", "BOOKMARK":
		event.Object, err = verify(event.Object, false)
	case "ERROR":
		status := metav1.Status{}
		if json.Unmarshal(event.Object, &status) != nil || status.Kind != "Status" {
			return nil, errNotMetadata
		}
		event.Object, err = json.Marshal(status)
	default:
		return nil, errNotMetadata
	}
	if err != nil {
		return nil, err
	}
	frame, err := json.Marshal(event)
	return append(frame, '\n'), err
}

// Close implements io.Closer.
func (m *metadataWatch) Close() error { return m.body.Close() }
