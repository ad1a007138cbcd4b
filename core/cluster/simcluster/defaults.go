package simcluster

import (
	"fmt"
	"strings"
)

// setDefaults sets what kube-apiserver does for what a client leaves out of a built-in object, besides what complete sets.
//
// Mirrors k8s.io/kubernetes/pkg/apis/{core,apps}/v1 and plugin/pkg/admission/{defaulttolerationseconds,priority} (v1.36).
func (c *Cluster) setDefaults(r *resource, m map[string]any) {
	spec := getMap(m, "spec")
	switch {
	case r.custom:
	case r == c.namespaces:
		ensureMap(ensureMap(m, "metadata"), "labels")["kubernetes.io/metadata.name"] = getString(m, "metadata", "name")
	case r == c.leases:
		setDefault(m, "spec", map[string]any{})
	case spec == nil:
	case r == c.pods:
		setPodDefaults(spec)
		setDefault(spec, "enableServiceLinks", true)
		for _, list := range [...]string{"initContainers", "containers"} {
			for _, x := range anyList(spec[list]) {
				container, _ := x.(map[string]any)
				//maporder:free each resource has a limit of its own
				for resource, most := range getMap(container, "resources", "limits") {
					setDefault(ensureMap(getMap(container, "resources"), "requests"), resource, most)
				}
			}
		}
	case r == c.deployments || r == c.replicaSets:
		setDefault(spec, "replicas", 1)
		if r == c.deployments {
			strategy := ensureMap(spec, "strategy")
			setDefault(strategy, "type", "RollingUpdate")
			if strategy["type"] == "RollingUpdate" {
				rolling := ensureMap(strategy, "rollingUpdate")
				setDefault(rolling, "maxSurge", "25%")
				setDefault(rolling, "maxUnavailable", "25%")
			}
			setDefault(spec, "revisionHistoryLimit", 10)
			setDefault(spec, "progressDeadlineSeconds", 600)
		}
		if template := getMap(spec, "template"); template != nil {
			setPodDefaults(ensureMap(template, "spec"))
		}
	case r.group == "" && r.kind == "Service":
		setDefault(spec, "type", "ClusterIP")
		setDefault(spec, "sessionAffinity", "None")
		if spec["type"] == "ExternalName" {
			return
		}
		setDefault(spec, "internalTrafficPolicy", "Cluster")
		for _, x := range anyList(spec["ports"]) {
			if port, ok := x.(map[string]any); ok {
				setDefault(port, "protocol", "TCP")
				if t := port["targetPort"]; t == nil || fmt.Sprint(t) == "0" {
					port["targetPort"] = port["port"]
				}
			}
		}
	}
}

// completeTemplate returns the spec of the pods that a controller makes from a template's.
func (c *Cluster) completeTemplate(template string) string {
	if c.types == nil {
		return template
	}
	spec, err := decodeMap([]byte(template))
	if err != nil {
		return template
	}
	m := map[string]any{"spec": spec}
	c.setDefaults(c.pods, m)
	c.pods.schema.Admit(m, true)
	return mustJSON(spec)
}

// setDefault sets a member that is absent or null.
func setDefault(m map[string]any, key string, v any) {
	if m[key] == nil {
		m[key] = v
	}
}

func setPodDefaults(spec map[string]any) {
	setDefault(spec, "restartPolicy", "Always")
	setDefault(spec, "terminationGracePeriodSeconds", 30)
	setDefault(spec, "dnsPolicy", "ClusterFirst")
	setDefault(spec, "schedulerName", "default-scheduler")
	setDefault(spec, "securityContext", map[string]any{})
	for _, list := range [...]string{"initContainers", "containers"} {
		for _, x := range anyList(spec[list]) {
			container, ok := x.(map[string]any)
			if !ok {
				continue
			}
			setDefault(container, "resources", map[string]any{})
			setDefault(container, "terminationMessagePath", "/dev/termination-log")
			setDefault(container, "terminationMessagePolicy", "File")
			setDefault(container, "imagePullPolicy", choosePullPolicy(getString(container, "image")))
			for _, y := range anyList(container["ports"]) {
				if port, ok := y.(map[string]any); ok {
					setDefault(port, "protocol", "TCP")
				}
			}
			setContainerDefaults(container)
		}
	}
	for _, x := range anyList(spec["volumes"]) {
		volume, _ := x.(map[string]any)
		for _, source := range [...]string{"configMap", "secret", "downwardAPI", "projected"} {
			if v := getMap(volume, source); v != nil {
				setDefault(v, "defaultMode", 420)
			}
		}
		if path := getMap(volume, "hostPath"); path != nil {
			setDefault(path, "type", "")
		}
	}
}

// setContainerDefaults sets what the probes, hooks and variables of a container leave out.
func setContainerDefaults(container map[string]any) {
	for _, name := range [...]string{"livenessProbe", "readinessProbe", "startupProbe"} {
		if probe := getMap(container, name); probe != nil {
			setDefault(probe, "timeoutSeconds", 1)
			setDefault(probe, "periodSeconds", 10)
			setDefault(probe, "successThreshold", 1)
			setDefault(probe, "failureThreshold", 3)
			setHTTPDefaults(getMap(probe, "httpGet"))
			if call := getMap(probe, "grpc"); call != nil {
				setDefault(call, "service", "")
			}
		}
	}
	for _, hook := range [...]string{"postStart", "preStop"} {
		setHTTPDefaults(getMap(container, "lifecycle", hook, "httpGet"))
	}
	for _, x := range anyList(container["env"]) {
		if variable, ok := x.(map[string]any); ok {
			if field := getMap(variable, "valueFrom", "fieldRef"); field != nil {
				setDefault(field, "apiVersion", "v1")
			}
		}
	}
}

func setHTTPDefaults(call map[string]any) {
	if call != nil {
		setDefault(call, "path", "/")
		setDefault(call, "scheme", "HTTP")
	}
}

// choosePullPolicy returns Always for an image whose tag is latest or absent.
func choosePullPolicy(image string) string {
	name := image[strings.LastIndexByte(image, '/')+1:]
	_, tag, _ := strings.Cut(name, ":")
	if !strings.Contains(image, "@") && (tag == "" || tag == "latest") {
		return "Always"
	}
	return "IfNotPresent"
}
