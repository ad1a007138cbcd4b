package redact

import (
	"bytes"
	"encoding/json"

	"example.org/informerscope/probe/manifests"
)

// holdsManifest reports whether an annotation's value, as written between the quotes, is a manifest of an object. That is JSON or YAML that names an
// apiVersion and a kind, the same in base64, or compressed data in base64, whose content cannot be examined.
func holdsManifest(written []byte) bool {
	if bytes.IndexByte(written, '\\') >= 0 {
		var text string
		if json.Unmarshal(append(append([]byte{'"'}, written...), '"'), &text) != nil {
			return true // not JSON, so it cannot be examined
		}
		written = []byte(text)
	}
	return manifests.Contains(written)
}
