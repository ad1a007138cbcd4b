package guard

import (
	"fmt"
	"mime"
	"slices"
	"strings"
)

// acceptJSON keeps the JSON media ranges of an Accept header and drops the others, whose answers could not be redacted. It refuses a header that has
// media ranges, but none of JSON. The result is written from the parsed values.
func acceptJSON(headers []string) (string, *Refusal) {
	var kept []string
	asked := false
	for _, header := range headers {
		for form := range strings.SplitSeq(header, ",") {
			if strings.TrimSpace(form) == "" {
				continue
			}
			asked = true
			if json, ok := jsonForm(form); ok {
				kept = append(kept, json)
			}
		}
	}
	switch {
	case len(kept) > 0:
		return strings.Join(kept, ","), nil
	case asked:
		return "", refuse("accept", fmt.Sprintf("only JSON is served (application/json, also as Table or PartialObjectMetadata), not %.80q",
			strings.Join(headers, ",")))
	default:
		return "application/json", nil
	}
}

// jsonForm rewrites one media range if it is JSON in a known harmless form.
func jsonForm(form string) (string, bool) {
	mediaType, parameters, err := mime.ParseMediaType(form)
	if err != nil {
		return "", false
	}
	switch mediaType {
	case "*/*", "application/*":
		return "application/json", len(parameters) == 0 || len(parameters) == 1 && parameters["q"] != ""
	case "application/json":
	default:
		return "", false
	}
	out := mediaType
	// as, v and g in the order in which Kubernetes' own clients write them.
	for _, name := range []string{"as", "v", "g", "profile", "stream", "charset", "q"} {
		value, ok := parameters[name]
		if !ok {
			continue
		}
		delete(parameters, name)
		known := !strings.ContainsFunc(value, func(c rune) bool {
			return !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '.' || c == '-')
		})
		if name == "as" {
			known = slices.Contains([]string{"Table", "PartialObjectMetadata", "PartialObjectMetadataList", "APIGroupDiscoveryList"}, value)
		}
		if !known || value == "" {
			return "", false
		}
		if name != "charset" {
			out += ";" + name + "=" + value
		}
	}
	return out, len(parameters) == 0
}
