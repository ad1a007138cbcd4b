package clusters

import (
	"net/url"
	"os"
	"regexp"
	"strings"

	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// maxScanned bounds how much of a file is searched for secrets, in bytes.
const maxScanned = 4 << 20

// secrets returns the values of a kubeconfig that must never be written. A value that also occurs in its public parts (names, hosts, namespaces) is
// left out: removing it would spoil messages and hide nothing.
func secrets(config *clientcmdapi.Config) []string {
	var out []string
	for _, cluster := range config.Clusters {
		out = append(out, userinfo(cluster.Server)...)
		out = append(out, userinfo(cluster.ProxyURL)...)
	}
	for _, user := range config.AuthInfos {
		out = append(out, user.Token, user.Password, string(user.ClientKeyData))
		for _, path := range []string{user.TokenFile, user.ClientKey} {
			if content := readFile(path); content != "" {
				out = append(out, content)
			}
		}
		if user.AuthProvider != nil {
			for name, value := range user.AuthProvider.Config {
				switch name {
				case "client-id", "idp-issuer-url", "idp-certificate-authority", "extra-scopes":
				default:
					out = append(out, value)
				}
			}
		}
		if user.Exec != nil {
			for _, env := range user.Exec.Env {
				out = append(out, env.Value)
				out = append(out, userinfo(env.Value)...)
			}
			out = append(out, arguments(user.Exec.Args)...)
		}
	}
	public := publicWords(config)
	kept := out[:0]
	for _, value := range out {
		if value = strings.TrimSpace(value); value != "" && !strings.Contains(public, value) {
			kept = append(kept, value)
		}
	}
	return kept
}

// publicWords returns the public parts of a kubeconfig, which messages may contain, as one text.
func publicWords(config *clientcmdapi.Config) string {
	var words strings.Builder
	add := func(values ...string) {
		for _, v := range values {
			words.WriteString(v + "\n")
		}
	}
	for name, cluster := range config.Clusters {
		add(name, cluster.TLSServerName)
		if u, err := url.Parse(cluster.Server); err == nil {
			add(u.Host, u.Path)
		}
	}
	for name, user := range config.AuthInfos {
		add(name)
		if user.Exec != nil {
			add(user.Exec.Command)
		}
	}
	for name, context := range config.Contexts {
		add(name, context.Namespace)
	}
	return words.String()
}

// userinfo returns what is before the last @ of a URL's authority, even if the URL cannot be parsed, and its parts.
func userinfo(raw string) []string {
	_, rest, ok := strings.Cut(raw, "://")
	if !ok {
		rest = raw
	}
	sign := strings.LastIndexByte(rest, '@')
	if sign < 0 {
		return nil
	}
	info := rest[:sign]
	out := []string{info}
	if _, password, ok := strings.Cut(info, ":"); ok {
		out = append(out, password)
		if plain, err := url.PathUnescape(password); err == nil {
			out = append(out, plain)
		}
	}
	return out
}

var secretName = regexp.MustCompile(`(?i)(secret|token|password|passwd|key|credential|auth)`)

// arguments returns those arguments of a credential plugin that may be secrets: values of options named so, and what looks like a secret.
func arguments(args []string) []string {
	var out []string
	named := false
	for _, arg := range args {
		name, value, assigned := strings.Cut(arg, "=")
		switch {
		case assigned && secretName.MatchString(name):
			out = append(out, value)
		case named, len(arg) >= 16 && strings.ContainsAny(arg, "0123456789"):
			out = append(out, arg)
		}
		out = append(out, userinfo(arg)...)
		named = strings.HasPrefix(arg, "-") && !assigned && secretName.MatchString(arg)
	}
	return out
}

func readFile(path string) string {
	if path == "" {
		return ""
	}
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxScanned {
		return ""
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	return string(raw)
}

// credentialField matches values in the text of a kubeconfig, YAML or JSON, that may be too damaged to be parsed.
var credentialField = regexp.MustCompile(
	`(?m)["']?\b(?:token|password|client-key-data|client-secret|id-token|refresh-token|access-token)["']?\s*:\s*["']?([^\s"',}]+)`)

// findSecrets searches files that may not be kubeconfigs at all for credentials.
func findSecrets(files []string) []string {
	var out []string
	for _, file := range files {
		text := readFile(file)
		for _, match := range credentialField.FindAllStringSubmatch(text, -1) {
			out = append(out, match[1])
		}
	}
	return out
}
