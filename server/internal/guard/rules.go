package guard

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// ClustersPrefix begins the relay's paths of clusters' APIs; the context's name, path-escaped, follows.
const ClustersPrefix = "/clusters/"

// maxContext bounds a context's name, in bytes: the answer repeats an unknown one.
const maxContext = 1 << 10

// Rules decide which requests for a cluster are allowed. Immutable and safe for concurrent use.
type Rules struct {
	// Resources is the allow-list.
	Resources Resources
	// SecretsMetadata serves Secrets as metadata.
	SecretsMetadata bool
}

// Request is a checked request of a viewer: all that is sent upstream, apart from the credentials.
type Request struct {
	Context   string // the kubeconfig context, unescaped
	Path      string // literal; begins with a slash, contains no percent sign and no dotted or empty segment
	Query     string // encoded from the parsed values, with sorted keys
	Accept    string // JSON forms only
	UserAgent string

	Group, Version, Resource string // empty for discovery
	Namespace, Name          string
	Watch                    bool
	// MetadataOnly obliges the caller to verify that the answer is PartialObjectMetadata and nothing else.
	MetadataOnly bool
}

// queryParameters are the parameters of list, watch and get that readers need. "pretty" is missing, because it would reformat watch frames. Unknown
// ones are refused, because their meaning is unknown.
var queryParameters = []string{
	"allowWatchBookmarks", "continue", "fieldSelector", "labelSelector", "limit", "resourceVersion",
	"resourceVersionMatch", "sendInitialEvents", "timeout", "timeoutSeconds", "watch",
}

// Check checks one request for a path under ClustersPrefix. With a refusal the Request is only what was parsed until then, for the audit log.
func (rules Rules) Check(r *http.Request) (Request, *Refusal) {
	if r.Method != http.MethodGet {
		return Request{}, refuse("method", fmt.Sprintf("the relay is read-only: only GET is passed on, not %.20q", r.Method))
	}
	if r.ContentLength != 0 || len(r.TransferEncoding) > 0 {
		return Request{}, refuse("body", "a GET for a cluster has no body")
	}
	for _, name := range []string{"Upgrade", "Connection", "Proxy-Connection", "Transfer-Encoding", "Keep-Alive", "Trailer"} {
		if len(r.Header.Values(name)) > 0 {
			return Request{}, refuse("upgrade", "the header "+name+" is not passed on: no upgrades, no tunnels")
		}
	}
	request, refusal := parsePath(r.URL)
	if refusal != nil {
		return request, refusal
	}
	if refusal := request.parseQuery(r.URL.RawQuery); refusal != nil {
		return request, refusal
	}
	if request.Accept, refusal = acceptJSON(r.Header.Values("Accept")); refusal != nil {
		return request, refusal
	}
	request.UserAgent = "informerscope"
	if agent := r.UserAgent(); agent != "" && len(agent) <= 256 && !strings.ContainsFunc(agent, func(c rune) bool { return c < ' ' || c > '~' }) {
		request.UserAgent = agent
	}
	if request.Resource == "" {
		return request, nil
	}
	if refusal := rules.CheckResource(request.Group, request.Resource); refusal != nil {
		return request, refusal
	}
	if request.Resource == "secrets" {
		// In any group: a resource of that name holds secrets too.
		request.MetadataOnly = true
		request.Accept = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
		if request.Watch || request.Name != "" {
			request.Accept = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"
		}
	}
	return request, nil
}

// parsePath parses the path as it was sent, before any decoding: ClustersPrefix, the context, and a Kubernetes path that must be literal.
func parsePath(u *url.URL) (Request, *Refusal) {
	escaped, ok := strings.CutPrefix(u.EscapedPath(), ClustersPrefix)
	if !ok || u.Opaque != "" {
		return Request{}, refuse("path", "not a path of a cluster")
	}
	contextName, rest, ok := strings.Cut(escaped, "/")
	if !ok || contextName == "" || rest == "" {
		return Request{}, refuse("path", "write /clusters/<context, escaped>/<path of the Kubernetes API>")
	}
	name, err := url.PathUnescape(contextName)
	if err != nil {
		return Request{}, refuse("encoding", "the context's name is not properly escaped")
	}
	if len(name) > maxContext {
		return Request{}, refuse("path", fmt.Sprintf("the context's name is longer than %d bytes", maxContext))
	}
	if strings.Contains(rest, "%") {
		return Request{}, refuse("encoding", "escaped characters in a Kubernetes path are refused: they can mean different things to different parsers")
	}
	for _, c := range []byte(rest) {
		if !isPathCharacter(c) {
			return Request{}, refuse("path", fmt.Sprintf("the character %q is not part of any Kubernetes path", c))
		}
	}
	request := Request{Context: name, Path: "/" + rest}
	segments := strings.Split(rest, "/")
	for _, segment := range segments {
		if segment == "" || segment == "." || segment == ".." {
			return Request{}, refuse("path", "empty and dotted path segments are refused")
		}
		if len(segment) > 253 {
			return Request{}, refuse("path", "a path segment is longer than any Kubernetes name")
		}
	}
	refusal := request.parseSegments(segments) // before the request is copied
	return request, refusal
}

func isPathCharacter(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("/-._~:@+=$!,", c) >= 0
}

// parseSegments parses the paths of discovery and resources, as apiserver's RequestInfo does, and refuses all else.
func (r *Request) parseSegments(segments []string) *Refusal {
	refusal := refuse("path", "only discovery (/api, /apis, /version) and resources (/api/v1/..., /apis/<group>/<version>/...) are served")
	var parts []string // after the version
	switch segments[0] {
	case "version":
		if len(segments) > 1 {
			return refusal
		}
		return nil
	case "api":
		if len(segments) == 1 {
			return nil
		}
		if segments[1] != "v1" {
			return refusal
		}
		r.Version, parts = segments[1], segments[2:]
	case "apis":
		if len(segments) > 1 && !isGroup(segments[1]) || len(segments) > 2 && !label.MatchString(segments[2]) {
			return refusal
		}
		if len(segments) < 3 {
			return nil
		}
		r.Group, r.Version, parts = segments[1], segments[2], segments[3:]
		if r.Version == "secrets" { // /apis/v1/secrets is a mistake; secrets is never a version
			return refusal
		}
	default:
		return refusal
	}
	if len(parts) == 0 {
		return nil // the resources of one version
	}
	switch parts[0] {
	case "watch":
		return refuse("watch-prefix", "the path prefix /watch/ is deprecated and not served; ask with watch=true")
	case "proxy":
		return refuse("proxy-prefix", "the relay does not proxy into the cluster")
	case "namespaces":
		// Below a namespace are resources, or the namespace's own subresources.
		if len(parts) > 2 && parts[2] != "status" && parts[2] != "finalize" {
			r.Namespace, parts = parts[1], parts[2:]
			if !label.MatchString(r.Namespace) {
				return refuse("path", "the namespace's name is not valid")
			}
		}
	}
	r.Resource = parts[0]
	if r.Resource != "secrets" && (strings.EqualFold(r.Resource, "secrets") || strings.EqualFold(r.Resource, "secret")) {
		return refuse("secrets", "Secrets are not served, in any spelling")
	}
	if !label.MatchString(r.Resource) {
		return refuse("path", "the resource's name is not valid: resources are written in small letters")
	}
	if len(parts) > 1 {
		r.Name = parts[1]
	}
	if len(parts) > 2 && (len(parts) > 3 || parts[2] != "status" || r.Resource == "secrets") {
		return refuse("subresource", "the only subresource served is status: no exec, attach, portforward, proxy, log, token or scale")
	}
	return nil
}

// parseQuery accepts known parameters, each at most once, and the switches of watch only in spellings that every parser reads the same way.
func (r *Request) parseQuery(raw string) *Refusal {
	values, err := url.ParseQuery(raw)
	if err != nil {
		return refuse("query", "the query is not properly escaped")
	}
	for name, given := range values {
		if !slices.Contains(queryParameters, name) {
			return refuse("query", fmt.Sprintf("the parameter %.40q is not passed on; known: %s", name, strings.Join(queryParameters, ", ")))
		}
		if len(given) != 1 {
			return refuse("query", "the parameter "+name+" occurs more than once")
		}
		if strings.ContainsFunc(given[0], func(c rune) bool { return c < ' ' || c == 0x7f }) {
			return refuse("query", "the parameter "+name+" contains control characters")
		}
		switch name {
		case "watch", "allowWatchBookmarks", "sendInitialEvents":
			if !slices.Contains([]string{"true", "false", "1", "0"}, given[0]) {
				return refuse("query", "the parameter "+name+" is true or false")
			}
		}
	}
	watch := values.Get("watch")
	r.Watch = watch == "true" || watch == "1"
	r.Query = values.Encode()
	return nil
}
