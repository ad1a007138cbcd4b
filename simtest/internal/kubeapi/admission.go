package kubeapi

import corev1 "k8s.io/api/core/v1"

// Admit implements simcluster.Schema.
//
// Mirrors k8s.io/kubernetes/plugin/pkg/admission/{defaulttolerationseconds,nodetaint,priority} (v1.36).
func (t *typed) Admit(m map[string]any, isNew bool) {
	spec, _ := m["spec"].(map[string]any)
	if t.kind == corev1.SchemeGroupVersion.WithKind("Node") && isNew {
		if spec == nil {
			spec = map[string]any{}
			m["spec"] = spec
		}
		taints, _ := spec["taints"].([]any)
		spec["taints"] = append(taints, map[string]any{"key": corev1.TaintNodeNotReady, "effect": "NoSchedule"})
	}
	switch {
	case spec == nil:
	case t.kind == corev1.SchemeGroupVersion.WithKind("Pod"):
		setDefault(spec, "preemptionPolicy", "PreemptLowerPriority")
		setDefault(spec, "priority", 0)
		setDefault(spec, "tolerations", []any{tolerate(corev1.TaintNodeNotReady), tolerate(corev1.TaintNodeUnreachable)})
	case t.kind == corev1.SchemeGroupVersion.WithKind("Service") && spec["type"] != "ExternalName":
		setDefault(spec, "ipFamilies", []any{"IPv4"})
		setDefault(spec, "ipFamilyPolicy", "SingleStack")
		if !isNew {
			setDefault(spec, "clusterIPs", []any{spec["clusterIP"]})
		}
	}
}

// setDefault sets a member that is absent or null.
func setDefault(m map[string]any, name string, v any) {
	if m[name] == nil {
		m[name] = v
	}
}

// tolerate tolerates a node's taint for five minutes.
func tolerate(taint string) map[string]any {
	return map[string]any{"key": taint, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300}
}
