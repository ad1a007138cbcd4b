package relayclient

import (
	"context"
	"net/http"
	"slices"
	"strings"
)

// Rules are the relay's rules for what it serves, as it reports them.
type Rules struct {
	All      bool     `json:"all"`
	Groups   []string `json:"groups"`
	Names    []string `json:"names"`
	Carriers []string `json:"carriers"`
	// Resources that hold credentials: whole groups, and words in their names.
	CarrierGroups []string `json:"carrierGroups"`
	CarrierWords  []string `json:"carrierWords"`
	Secrets       bool     `json:"secrets"`
}

// Refusal returns why the relay does not serve a resource; "" if it does. It mirrors server/internal/guard.Rules.
func (r Rules) Refusal(group, resource string) string {
	name := resource
	if group != "" {
		name += "." + group
	}
	switch {
	case resource == "secrets":
		if !r.Secrets {
			return "The server does not serve Secrets; started with --allow-secrets-metadata it serves their metadata."
		}
	case slices.Contains(r.Names, name):
	case slices.Contains(r.Carriers, name), slices.Contains(r.CarrierGroups, group),
		slices.ContainsFunc(r.CarrierWords, func(word string) bool { return strings.Contains(resource, word) }):
		return "The server does not serve what holds credentials, unless --resources names it."
	case !r.All && !slices.Contains(r.Groups, group):
		return "It is not in the server's list of resources (--resources)."
	}
	return ""
}

// AskRules asks the relay for its rules.
func AskRules(ctx context.Context, rt http.RoundTripper) (r Rules, err error) {
	return r, ask(ctx, rt, "rules", &r)
}
