package guard

// Verb is what the request asks for, in the words of Kubernetes' RBAC: list, watch or get; discovery for what is no resource.
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
