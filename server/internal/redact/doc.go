// Package redact removes copies of manifests from Kubernetes JSON while it streams by. `kubectl apply` keeps the whole manifest in an annotation,
// environment variables and all. Other tools keep theirs in annotations of other names. None of it must leave the relay. Every body of a LIST, a GET
// or a WATCH leaves through one function, Redactor.Append. Beyond the chunk at hand it holds back only an annotation's value that the chunk cuts. So
// the frames of a watch keep their timing, and a slow reader still slows the upstream.
package redact
