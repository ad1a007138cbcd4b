// Package manifests finds copies of manifests in annotations, and takes them out of objects. It is the rule of a probe and of informerscope's relay.
package manifests

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"strings"
)

const (
	// AppliedKey is the annotation in which kubectl keeps what it applied.
	AppliedKey = "kubectl.kubernetes.io/last-applied-configuration"
	// Replacement stands for a value that is taken out.
	Replacement = "[redacted]"
	// MaxValue bounds an annotation's value that is examined, in bytes of JSON between the quotes. One that is not shorter may be a manifest or a blob.
	MaxValue = 16 << 10
	// MaxName bounds an annotation's name likewise: an API server takes 253 + 1 + 63 characters, and an escape is six bytes.
	MaxName = 6 * (253 + 1 + 63)
	// maxLayers is how many layers of encoding are decoded.
	maxLayers = 3
)

// Redact changes a tree of decoded JSON. It replaces the value of kubectl's annotation wherever it occurs. In every map called annotations it also
// replaces each value that is a copy of a manifest, by its name or by its content.
func Redact(v interface{}) {
	switch x := v.(type) {
	case map[string]interface{}:
		for name, e := range x {
			if _, ok := e.(string); ok && name == AppliedKey {
				x[name] = Replacement
				continue
			}
			if m, ok := e.(map[string]interface{}); ok && name == "annotations" {
				redactAnnotations(m)
			}
			Redact(e)
		}
	case []interface{}:
		for _, e := range x {
			Redact(e)
		}
	}
}

func redactAnnotations(v interface{}) {
	switch x := v.(type) {
	case map[string]interface{}:
		for name, e := range x {
			if s, ok := e.(string); !ok {
				redactAnnotations(e)
			} else if replacesAnnotation(name, s) {
				x[name] = Replacement
			}
		}
	case []interface{}:
		for _, e := range x {
			redactAnnotations(e)
		}
	}
}

func replacesAnnotation(name, value string) bool {
	return writtenLen(name) >= MaxName || IsAppliedName(name) || writtenLen(value) >= MaxValue || Contains([]byte(value))
}

// writtenLen returns how many bytes a string takes in JSON, without its quotes.
func writtenLen(s string) int {
	quoted, _ := json.Marshal(s) // a string always has a JSON form
	return len(quoted) - 2
}

// IsAppliedName reports whether an annotation's name marks a tool's copy of what it applied. Known are the ones of kubectl, kapp
// (kapp.k14s.io/original, original-diff), Rancher's wrangler (objectset.rio.cattle.io/applied), Banzai Cloud's objectmatcher
// (banzaicloud.com/last-applied), kopf (kopf.zalando.org/last-handled-configuration) and Config Sync (configmanagement.gke.io/declared-config). The
// rule covers similar names.
func IsAppliedName(name string) bool {
	if name == AppliedKey {
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

// Contains reports whether text is or contains a manifest: JSON or YAML that names an apiVersion and a kind. It decodes escaped letters and base64.
// Compressed data, which it cannot examine, counts as one.
func Contains(text []byte) bool { return contains(text, maxLayers) }

// contains decodes at most so many layers of encoding.
func contains(text []byte, layers int) bool {
	if bytes.Contains(text, []byte("apiVersion")) && bytes.Contains(text, []byte("kind")) || isCompressed(text) {
		return true
	}
	if layers == 0 {
		return false
	}
	if inner, ok := unescape(text); ok && contains(inner, layers-1) {
		return true
	}
	inner, ok := fromBase64(text)
	return ok && contains(inner, layers-1)
}

// unescape decodes escapes such as \u0061 of letters. Its result is only for examination.
func unescape(text []byte) ([]byte, bool) {
	if !bytes.Contains(text, []byte(`\u00`)) {
		return nil, false
	}
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		if rest := text[i:]; len(rest) >= 6 && string(rest[:4]) == `\u00` {
			var c string
			if json.Unmarshal([]byte(`"`+string(rest[:6])+`"`), &c) == nil {
				r := []rune(c)
				out = append(out, byte(r[0]))
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
			plain = append(plain, c)
		case c == '-':
			plain = append(plain, '+')
		case c == '_':
			plain = append(plain, '/')
		case c == '\n', c == '\r', c == ' ', c == '\t', c == '=':
		default:
			return nil, false
		}
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
