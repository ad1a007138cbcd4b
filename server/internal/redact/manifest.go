package redact

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"strings"
)

// maxValue bounds an annotation's value that is examined, in bytes as written. A longer one is assumed to be a manifest or a blob, and replaced.
const maxValue = 16 << 10

// maxName bounds an annotation's name, in bytes as written: an API server takes 253 + 1 + 63 characters, and an escape is six bytes.
const maxName = 6 * (253 + 1 + 63)

// appliedName reports whether an annotation's name marks a tool's copy of what it applied. Known are the ones of kubectl, kapp
// (kapp.k14s.io/original, original-diff), Rancher's wrangler (objectset.rio.cattle.io/applied), Banzai Cloud's objectmatcher
// (banzaicloud.com/last-applied), kopf (kopf.zalando.org/last-handled-configuration) and Config Sync (configmanagement.gke.io/declared-config). The
// rule covers similar names.
func appliedName(name string) bool {
	if name == Key {
		return true
	}
	name = strings.ToLower(name[strings.LastIndexByte(name, '/')+1:])
	switch name {
	case "original", "applied", "declared-config":
		return true
	}
	if strings.HasPrefix(name, "original-") {
		return true
	}
	if !strings.Contains(name, "appl") && !strings.Contains(name, "last") { // most names end here
		return false
	}
	name = separators.Replace(name)
	for _, part := range []string{"lastapplied", "lasthandled", "appliedconfig", "appliedmanifest", "appliedspec", "appliedstate"} {
		if strings.Contains(name, part) {
			return true
		}
	}
	return false
}

// separators are the characters between the words of a name.
var separators = strings.NewReplacer("-", "", "_", "", ".", "")

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
	return manifest(written, 3)
}

// manifest examines text, and decodes at most so many layers of encoding.
func manifest(text []byte, layers int) bool {
	if bytes.Contains(text, apiVersion) && bytes.Contains(text, kind) || isCompressed(text) {
		return true
	}
	if layers == 0 {
		return false
	}
	if inner, ok := unescape(text); ok && manifest(inner, layers-1) {
		return true
	}
	inner, ok := fromBase64(text)
	return ok && manifest(inner, layers-1)
}

var (
	apiVersion = []byte("apiVersion")
	kind       = []byte("kind")
)

// unescape decodes escapes such as \u0061 in the letters of names. Its result is only for examination.
func unescape(text []byte) ([]byte, bool) {
	if !bytes.Contains(text, []byte(`\u00`)) {
		return nil, false
	}
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+5 < len(text) && text[i+1] == 'u' && text[i+2] == '0' && text[i+3] == '0' {
			high, ok := unhex(text[i+4])
			low, also := unhex(text[i+5])
			if ok && also {
				out = append(out, byte(high<<4|low))
				i += 5
				continue
			}
		}
		out = append(out, text[i])
	}
	return out, len(out) < len(text)
}

// fromBase64 decodes text that is only base64, in either alphabet, with or without padding and line breaks.
func fromBase64(text []byte) ([]byte, bool) {
	const shortest = 24 // {"apiVersion":"","kind":""} has more
	if len(text) < shortest {
		return nil, false
	}
	plain := make([]byte, 0, len(text))
	for _, c := range text {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '+', c == '/':
		case c == '-':
			c = '+'
		case c == '_':
			c = '/'
		case c == '\n', c == '\r', c == ' ', c == '\t', c == '=':
			continue
		default:
			return nil, false
		}
		plain = append(plain, c)
	}
	if len(plain) < shortest-2 || len(plain)%4 == 1 {
		return nil, false
	}
	out := make([]byte, base64.RawStdEncoding.DecodedLen(len(plain)))
	n, err := base64.RawStdEncoding.Decode(out, plain)
	return out[:n], err == nil
}

// isCompressed reports whether data begins like gzip, zlib, zip, bzip2, xz or zstd.
func isCompressed(b []byte) bool {
	for _, magic := range []string{"\x1f\x8b", "PK\x03\x04", "BZh", "\xfd7zXZ\x00", "\x28\xb5\x2f\xfd"} {
		if bytes.HasPrefix(b, []byte(magic)) {
			return true
		}
	}
	// zlib: deflate with a window of 32 KiB, and the two bytes are a multiple of 31.
	return len(b) > 2 && b[0] == 0x78 && (int(b[0])<<8|int(b[1]))%31 == 0 && b[1] != '^'
}
