package guard

// Verb is the request's verb in Kubernetes' RBAC: list, watch or get; discovery if it is not for a resource.
func (r Request) Verb() string {
	switch {
	case r.Resource == "":
		return "discovery"
	case r.Watch:
		return "watch"
	case r.Name != "":
		return "get"
	}
	return "list"
}
