package probe

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"strings"
)

// This file removes copies of manifests from an object, by the rule of informerscope's relay (server/internal/redact), whose module needs a newer
// apimachinery than a controller may have. TestTheProbeRedactsAlike there compares the two.

const (
	appliedKey  = "kubectl.kubernetes.io/last-applied-configuration"
	replacement = "[redacted]"
	// longestValue and longestName bound an annotation's value and name, in bytes of JSON between the quotes. A longer one is replaced without being
	// examined.
	longestValue = 16 << 10
	longestName  = 6 * (253 + 1 + 63)
)

// redactTree replaces the value of kubectl's annotation wherever it occurs. In every map called annotations it also replaces each value that is a copy of
// a manifest, by its name or by its content.
func redactTree(v interface{}) {
	switch x := v.(type) {
	case map[string]interface{}:
		for name, e := range x {
			if _, ok := e.(string); ok && name == appliedKey {
				x[name] = replacement
				continue
			}
			if m, ok := e.(map[string]interface{}); ok && name == "annotations" {
				redactAnnotations(m)
			}
			redactTree(e)
		}
	case []interface{}:
		for _, e := range x {
			redactTree(e)
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
				x[name] = replacement
			}
		}
	case []interface{}:
		for _, e := range x {
			redactAnnotations(e)
		}
	}
}

func replacesAnnotation(name, value string) bool {
	return writtenLen(name) >= longestName || isAppliedName(name) || writtenLen(value) >= longestValue || holdsManifest([]byte(value), 3)
}

// writtenLen returns how many bytes a string takes in JSON, without its quotes.
func writtenLen(s string) int { return len(quoteJSON(s)) - 2 }

// isAppliedName reports whether an annotation's name marks a tool's copy of what it applied: those of kubectl, kapp, wrangler, kopf and Config Sync, and
// similar names.
func isAppliedName(name string) bool {
	if name == appliedKey {
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
	name = strings.NewReplacer("-", "", "_", "", ".", "").Replace(name)
	for _, part := range []string{"lastapplied", "lasthandled", "appliedconfig", "appliedmanifest", "appliedspec", "appliedstate"} {
		if strings.Contains(name, part) {
			return true
		}
	}
	return false
}

// holdsManifest reports whether text is or contains a manifest: JSON or YAML that names an apiVersion and a kind. It decodes escaped letters and base64,
// at most so many layers. Compressed data, which it cannot examine, counts as one.
func holdsManifest(text []byte, layers int) bool {
	if bytes.Contains(text, []byte("apiVersion")) && bytes.Contains(text, []byte("kind")) || isCompressed(text) {
		return true
	}
	if layers == 0 {
		return false
	}
	if inner, ok := unescape(text); ok && holdsManifest(inner, layers-1) {
		return true
	}
	inner, ok := fromBase64(text)
	return ok && holdsManifest(inner, layers-1)
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
