package tools_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"informerscope/e2e/browser"
	"informerscope/e2e/cluster"
	"informerscope/e2e/harness"
	"informerscope/e2e/internal/layout"
)

// home is the namespace, and the name, of everything in deploy/.
const home = "informerscope"

// TestDeploy applies deploy/ to a real API server, and asks that server what the account may do. It runs the pod's container as the Deployment
// describes it, with its environment, files and user, a read-only root and a token of that account. The page shows the cluster.
func TestDeploy(t *testing.T) {
	root, err := layout.Root()
	if err != nil {
		t.Fatal(err)
	}
	dir := must(t, packaged)
	cp := cluster.StartForTest(t, cluster.Options{})
	client := cp.Client()
	kubectl := func(args ...string) string {
		t.Helper()
		out, err := cp.Kubectl(t.Context(), args...)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	folder := filepath.Join(root, "deploy")
	kubectl("apply", "-f", filepath.Join(folder, "namespace.yaml")) // objects in it can be applied only once it exists
	kubectl("apply", "-k", folder, "--dry-run=server")
	kubectl("-n", home, "create", "secret", "generic", home, "--from-literal=token=0123456789abcdef0123456789abcdef")
	if out := kubectl("apply", "-k", folder, "--warnings-as-errors"); strings.Count(out, "\n") != 6 {
		t.Errorf("kubectl apply -k:\n%s", out)
	}
	if out := kubectl("apply", "-k", folder); strings.Count(out, " unchanged\n") != 6 {
		t.Errorf("a second time it changes something:\n%s", out)
	}
	deployment, err := client.AppsV1().Deployments(home).Get(t.Context(), home, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Run("pod", func(t *testing.T) { expectAdmission(t, client, deployment) })
	t.Run("network", func(t *testing.T) { unreachable(t, client, deployment) })

	token, err := client.CoreV1().ServiceAccounts(home).CreateToken(t.Context(), home, &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Run("rights", func(t *testing.T) { onlyReads(t, cp, client, token.Status.Token) })

	const pods = 25
	for i := range pods {
		if _, err := client.CoreV1().Pods("default").Create(t.Context(), &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("p-%d", i)},
			Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "x"}}}}, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	if runtime.GOOS != "linux" {
		t.Skip("a container's program runs on Linux only")
	}
	c := container(t, cp, client, deployment, dir, token.Status.Token)
	program := c.command()
	var audit locked
	link := firstLineAnd(t, program, &audit)
	if !strings.Contains(link, "/#token=0123456789abcdef0123456789abcdef&source=live&context=in-cluster") {
		t.Errorf("it prints %s", link)
	}
	if c.wrapped {
		c.powerless(program.Process.Pid)
	}
	// Each probe, as the kubelet would run it.
	for name, probe := range map[string]*corev1.Probe{"readiness": c.spec.ReadinessProbe, "liveness": c.spec.LivenessProbe} {
		if out, err := c.run(probe.Exec.Command); err != nil || strings.TrimSpace(out) != "ok" {
			t.Errorf("the %s probe: %v, %s", name, err, out)
		}
	}
	// kubectl port-forward to another local port is refused, and the server's message has the remedy.
	address, _, _ := strings.Cut(strings.TrimPrefix(link, "http://"), "/")
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+address+"/", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Host = "127.0.0.1:9"
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	said, _ := io.ReadAll(response.Body)
	_ = response.Body.Close()
	if response.StatusCode != http.StatusForbidden || !strings.Contains(string(said), "http://"+address+"/") {
		t.Errorf("another port: %s %s", response.Status, said)
	}
	page := browser.StartForTest(t).OpenForTest(t, link+"&lang=en", 1280, 720)
	s := harness.Await(t, page, time.Minute, "s.queue.synced && s.reflector.phase === 'watching' && s.indexer.count >= %d", pods)
	if s.Source.Kind != "live" {
		t.Errorf("source %q", s.Source.Kind)
	}
	if _, err := client.CoreV1().Pods("default").Patch(t.Context(), "p-0", "application/merge-patch+json", []byte(`{"metadata":{"labels":{"seen":"yes"}}}`),
		metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	harness.Await(t, page, time.Minute, "s.reflector.events > %d", s.Reflector.Events)
	harness.Shot(t, page, "in-a-container")
	page.ExpectClean(t)
	expectAudit(t, &audit, token.Status.Token)
}

// locked is a buffer that may be written and read at the same time.
type locked struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write implements io.Writer.
func (l *locked) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *locked) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// expectAudit checks that the pod's standard output has the viewer's requests, and no token.
func expectAudit(t *testing.T, log *locked, token string) {
	t.Helper()
	watched := false
	for line := range strings.Lines(log.String()) {
		if !strings.HasSuffix(line, "\n") {
			break // incomplete
		}
		var e struct {
			Stage, Context, Verb, Resource, Remote string
			Viewer, Status                         int
		}
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Errorf("standard output has %q: %v", line, err)
		}
		watched = watched || e.Stage == "ResponseStarted" && e.Context == "in-cluster" && e.Verb == "watch" && e.Resource == "pods" &&
			e.Status == 200 && e.Viewer > 0 && e.Remote != ""
	}
	if text := log.String(); !watched || strings.Contains(text, token) {
		t.Errorf("the audit log does not say that a viewer watches pods, or has the token:\n%s", text)
	}
}

// expectAdmission checks that the API server accepts the pod in its namespace, which admits restricted pods only, and refuses a less restricted one.
func expectAdmission(t *testing.T, client kubernetes.Interface, deployment *appsv1.Deployment) {
	pod := func(change func(*corev1.PodSpec)) error {
		spec := *deployment.Spec.Template.Spec.DeepCopy()
		if change != nil {
			change(&spec)
		}
		_, err := client.CoreV1().Pods(home).Create(t.Context(), &corev1.Pod{ObjectMeta: metav1.ObjectMeta{GenerateName: "try-",
			Labels: deployment.Spec.Template.Labels}, Spec: spec}, metav1.CreateOptions{})
		return err
	}
	if err := pod(nil); err != nil {
		t.Error(err)
	}
	for name, change := range map[string]func(*corev1.PodSpec){
		"root":         func(s *corev1.PodSpec) { s.SecurityContext.RunAsNonRoot = nil },
		"capabilities": func(s *corev1.PodSpec) { s.Containers[0].SecurityContext.Capabilities = nil },
		"seccomp":      func(s *corev1.PodSpec) { s.SecurityContext.SeccompProfile = nil },
		"escalation":   func(s *corev1.PodSpec) { s.Containers[0].SecurityContext.AllowPrivilegeEscalation = nil },
	} {
		if err := pod(change); !apierrors.IsForbidden(err) {
			t.Errorf("with other %s: %v", name, err)
		}
	}
	c := deployment.Spec.Template.Spec.Containers[0]
	if c.SecurityContext.ReadOnlyRootFilesystem == nil || !*c.SecurityContext.ReadOnlyRootFilesystem {
		t.Error("its root can be written to")
	}
	if uid := deployment.Spec.Template.Spec.SecurityContext.RunAsUser; uid == nil || fmt.Sprint(*uid) != strings.Split(containerfile(t)["USER"], ":")[0] {
		t.Errorf("it runs as %v, the image as %s", uid, containerfile(t)["USER"])
	}
}

// unreachable checks the rules of the network policy, and that it selects the pod.
func unreachable(t *testing.T, client kubernetes.Interface, deployment *appsv1.Deployment) {
	p, err := client.NetworkingV1().NetworkPolicies(home).Get(t.Context(), home, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	selector, err := metav1.LabelSelectorAsMap(&p.Spec.PodSelector)
	if err != nil || len(selector) == 0 {
		t.Fatalf("it selects %v, %v", p.Spec.PodSelector, err)
	}
	for k, v := range selector {
		if deployment.Spec.Template.Labels[k] != v {
			t.Errorf("it selects other pods: %s=%s", k, v)
		}
	}
	if !slices.Contains(p.Spec.PolicyTypes, networkingv1.PolicyTypeIngress) || !slices.Contains(p.Spec.PolicyTypes, networkingv1.PolicyTypeEgress) ||
		len(p.Spec.Ingress) != 0 {
		t.Errorf("it allows traffic in: %+v", p.Spec)
	}
	ports := map[int32]bool{}
	for _, rule := range p.Spec.Egress {
		if len(rule.Ports) == 0 {
			t.Error("a rule allows every port")
		}
		for _, port := range rule.Ports {
			ports[port.Port.IntVal] = true
		}
	}
	if got := slices.Sorted(maps.Keys(ports)); !slices.Equal(got, []int32{443, 6443, 8443}) {
		t.Errorf("it lets out to the ports %v", got)
	}
}

// onlyReads asks the API server what the account's token may do.
func onlyReads(t *testing.T, cp *cluster.ControlPlane, admin kubernetes.Interface, token string) {
	config := cp.Config()
	config.BearerToken, config.BearerTokenFile = token, ""
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	// Everything that the role names exists, and this account can list and watch it.
	served := map[string]metav1.APIResource{}
	lists, err := client.Discovery().ServerPreferredResources()
	if err != nil {
		t.Fatal(err)
	}
	for _, list := range lists {
		group, _, found := strings.Cut(list.GroupVersion, "/")
		if !found {
			group = ""
		}
		for _, r := range list.APIResources {
			served[r.Name+"."+group] = r
		}
	}
	role, err := admin.RbacV1().ClusterRoles().Get(t.Context(), home, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]bool{}
	for _, rule := range role.Rules {
		if !slices.Equal(rule.Verbs, []string{"get", "list", "watch"}) || len(rule.NonResourceURLs)+len(rule.ResourceNames) > 0 {
			t.Errorf("the rule %+v", rule)
		}
		for _, group := range rule.APIGroups {
			for _, resource := range rule.Resources {
				name := resource + "." + group
				named[name] = true
				if r, ok := served[name]; !ok || !slices.Contains(r.Verbs, "list") || !slices.Contains(r.Verbs, "watch") {
					t.Errorf("the API server has no %s that can be watched", name)
				}
			}
		}
	}
	var left []string
	for name, r := range served {
		if !named[name] && slices.Contains(r.Verbs, "watch") {
			left = append(left, name)
		}
	}
	slices.Sort(left)
	// As rbac.yaml says. A new release of Kubernetes may have more resources: then decide, there and here.
	want := []string{
		"certificatesigningrequests.certificates.k8s.io",
		"clusterrolebindings.rbac.authorization.k8s.io", "clusterroles.rbac.authorization.k8s.io", "clustertrustbundles.certificates.k8s.io",
		"mutatingadmissionpolicies.admissionregistration.k8s.io", "mutatingadmissionpolicybindings.admissionregistration.k8s.io",
		"mutatingwebhookconfigurations.admissionregistration.k8s.io",
		"podcertificaterequests.certificates.k8s.io",
		"rolebindings.rbac.authorization.k8s.io", "roles.rbac.authorization.k8s.io",
		"secrets.",
		"validatingadmissionpolicies.admissionregistration.k8s.io", "validatingadmissionpolicybindings.admissionregistration.k8s.io",
		"validatingwebhookconfigurations.admissionregistration.k8s.io",
	}
	if !slices.Equal(left, want) {
		t.Errorf("the role leaves out %q, want %q", left, want)
	}

	// By the API server's own answer: it reads what the role names, and may do what every account may, which is to ask about itself.
	review, err := client.AuthorizationV1().SelfSubjectRulesReviews().Create(t.Context(),
		&authorizationv1.SelfSubjectRulesReview{Spec: authorizationv1.SelfSubjectRulesReviewSpec{Namespace: home}}, metav1.CreateOptions{})
	if err != nil || review.Status.Incomplete || len(review.Status.ResourceRules) < len(role.Rules) {
		t.Fatalf("%v, %+v", err, review.Status)
	}
	for _, rule := range review.Status.ResourceRules {
		for _, resource := range rule.Resources {
			itself := slices.Contains([]string{"selfsubjectreviews", "selfsubjectaccessreviews", "selfsubjectrulesreviews"}, resource)
			for _, verb := range rule.Verbs {
				if !slices.Contains([]string{"get", "list", "watch"}, verb) && !itself {
					t.Errorf("it may %s %s", verb, resource)
				}
			}
			if strings.ContainsAny(resource, "*/") || resource == "secrets" {
				t.Errorf("it may %v %s", rule.Verbs, resource)
			}
		}
	}
	for _, rule := range review.Status.NonResourceRules {
		if !slices.Equal(rule.Verbs, []string{"get"}) {
			t.Errorf("it may %v %v", rule.Verbs, rule.NonResourceURLs)
		}
	}
	for _, a := range []struct {
		verb, group, resource, sub string
		want                       bool
	}{
		{"list", "", "pods", "", true}, {"watch", "apps", "deployments", "", true}, {"get", "", "nodes", "", true},
		{"get", "", "secrets", "", false}, {"list", "", "secrets", "", false}, {"watch", "", "secrets", "", false},
		{"create", "", "pods", "", false}, {"update", "", "pods", "", false}, {"patch", "apps", "deployments", "", false}, {"delete", "", "nodes", "", false},
		{"deletecollection", "", "pods", "", false},
		{"create", "", "pods", "exec", false}, {"create", "", "pods", "portforward", false}, {"get", "", "pods", "log", false}, {"get", "", "pods", "proxy", false},
		{"get", "", "nodes", "proxy", false}, {"get", "", "services", "proxy", false},
		{"create", "", "serviceaccounts", "token", false}, {"create", "", "pods", "ephemeralcontainers", false}, {"update", "apps", "deployments", "scale", false},
		{"impersonate", "", "users", "", false}, {"bind", "rbac.authorization.k8s.io", "clusterroles", "", false},
		{"escalate", "rbac.authorization.k8s.io", "clusterroles", "", false},
	} {
		for _, namespace := range []string{"", "default", home, "kube-system"} {
			answer, err := client.AuthorizationV1().SelfSubjectAccessReviews().Create(t.Context(),
				&authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{
					ResourceAttributes: &authorizationv1.ResourceAttributes{Namespace: namespace, Verb: a.verb, Group: a.group, Resource: a.resource, Subresource: a.sub}}},
				metav1.CreateOptions{})
			if err != nil || answer.Status.Allowed != a.want {
				t.Errorf("may it %s %s %s in %q: %v, %v", a.verb, a.resource, a.sub, namespace, answer.Status.Allowed, err)
			}
		}
	}
	// And by trying.
	if _, err := client.CoreV1().Pods("").List(t.Context(), metav1.ListOptions{}); err != nil {
		t.Errorf("listing pods: %v", err)
	}
	w, err := client.CoreV1().Pods("").Watch(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Errorf("watching pods: %v", err)
	} else {
		w.Stop()
	}
	if _, err := client.CoreV1().Secrets("").List(t.Context(), metav1.ListOptions{}); !apierrors.IsForbidden(err) {
		t.Errorf("listing secrets: %v", err)
	}
	if _, err := client.CoreV1().Secrets("").Watch(t.Context(), metav1.ListOptions{}); !apierrors.IsForbidden(err) {
		t.Errorf("watching secrets: %v", err)
	}
	if _, err := client.CoreV1().ConfigMaps("default").Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "x"}},
		metav1.CreateOptions{}); !apierrors.IsForbidden(err) {
		t.Errorf("creating a ConfigMap: %v", err)
	}
}

// containerfile is the last value of each instruction of the image's final stage, and the files copied into it, by their path in the image.
func containerfile(t *testing.T) map[string]string {
	t.Helper()
	root, err := layout.Root()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(root, "Containerfile"))
	if err != nil {
		t.Fatal(err)
	}
	stage := map[string]string{}
	for line := range strings.SplitSeq(string(text), "\n") {
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch word {
		case "", "#":
		case "FROM":
			stage = map[string]string{word: rest}
		case "COPY":
			fields := strings.Fields(rest)
			for _, from := range fields[1 : len(fields)-1] {
				to := fields[len(fields)-1]
				if strings.HasSuffix(to, "/") {
					to += path.Base(from)
				}
				stage[to] = from
			}
		default:
			stage[word] = rest
		}
	}
	return stage
}

// contained is a container as the Deployment and the image describe it, without an engine.
type contained struct {
	t    *testing.T
	root string // its root directory
	spec corev1.Container
	user string
	env  []string
	args []string
	// wrapped is false if this user may not make a root of its own: the program then runs among this machine's files.
	wrapped bool
}

// container assembles what a kubelet and a container engine would.
func container(t *testing.T, cp *cluster.ControlPlane, client kubernetes.Interface, deployment *appsv1.Deployment, dir, token string) *contained {
	t.Helper()
	spec := deployment.Spec.Template.Spec
	image := containerfile(t)
	var entry []string
	if err := json.Unmarshal([]byte(image["ENTRYPOINT"]), &entry); err != nil || image["FROM"] != "scratch" {
		t.Fatalf("the image is from %q and begins with %q: %v", image["FROM"], image["ENTRYPOINT"], err)
	}
	root := filepath.Join(t.TempDir(), "root")
	put := func(name string, data []byte, mode os.FileMode) {
		t.Helper()
		file := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, data, mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(file, mode); err != nil { // despite the umask
			t.Fatal(err)
		}
	}
	for to, from := range image {
		if name, ok := strings.CutPrefix(from, "/out/"); ok && strings.HasPrefix(to, "/") {
			data, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				t.Fatalf("the image copies %s: %v", from, err)
			}
			put(to, data, 0o755)
		}
	}
	c := &contained{t: t, root: root, spec: spec.Containers[0], user: image["USER"], args: append(entry, spec.Containers[0].Args...)}
	if len(spec.Containers) != 1 || len(c.spec.Command) > 0 {
		t.Fatalf("the pod runs %+v", spec.Containers)
	}
	c.wrapped = exec.Command("unshare", "--mount", "sh", "-c", "mount --bind / /mnt").Run() == nil

	// The files that a ServiceAccount's pod gets.
	const account = "/var/run/secrets/kubernetes.io/serviceaccount"
	ca, err := os.ReadFile(filepath.Join(filepath.Dir(cp.Kubeconfig), "certs", "apiserver.crt"))
	if err != nil {
		t.Fatal(err)
	}
	put(account+"/token", []byte(token), 0o444)
	put(account+"/ca.crt", ca, 0o444)
	put(account+"/namespace", []byte(home), 0o444)
	if len(spec.Volumes) > 0 || len(c.spec.VolumeMounts) > 0 {
		t.Fatalf("the volumes %+v", spec.Volumes)
	}
	if spec.AutomountServiceAccountToken == nil || !*spec.AutomountServiceAccountToken {
		t.Error("the pod does not ask for the account's token")
	}
	// The variables that the kubelet sets in every pod.
	api, err := url.Parse(cp.URL())
	if err != nil {
		t.Fatal(err)
	}
	c.env = append(c.env, "KUBERNETES_SERVICE_HOST="+api.Hostname(), "KUBERNETES_SERVICE_PORT="+api.Port())
	if !c.wrapped { // the account's path is fixed, and then is this machine's
		config := fmt.Sprintf("apiVersion: v1\nkind: Config\ncontexts: [{name: in-cluster, context: {cluster: c, user: u}}]\nclusters: "+
			"[{name: c, cluster: {server: %q, certificate-authority: %q}}]\n"+
			"users: [{name: u, user: {tokenFile: %q}}]\n", cp.URL(), root+account+"/ca.crt", root+account+"/token")
		put("/kubeconfig", []byte(config), 0o444)
		c.env = append(c.env, "INFORMERSCOPE_KUBECONFIG="+root+"/kubeconfig")
	}
	// The environment. The port is a free one, because other programs run beside a test.
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	listen := free.Addr().String()
	_ = free.Close()
	for _, e := range c.spec.Env {
		value := e.Value
		switch {
		case e.ValueFrom != nil:
			ref := e.ValueFrom.SecretKeyRef
			if ref == nil || e.Name != "INFORMERSCOPE_TOKEN" {
				t.Fatalf("%s is from %+v", e.Name, e.ValueFrom)
			}
			secret, err := client.CoreV1().Secrets(home).Get(t.Context(), ref.Name, metav1.GetOptions{})
			if err != nil {
				t.Fatal(err)
			}
			value = string(secret.Data[ref.Key])
		case e.Name == "INFORMERSCOPE_LISTEN":
			if value != "127.0.0.1:8080" {
				t.Errorf("it listens on %s", value)
			}
			value = listen
		}
		c.env = append(c.env, e.Name+"="+value)
	}
	if !c.wrapped {
		t.Log("left out: a root of its own, which only root may make here; the program runs among this machine's files")
	}
	return c
}

// enclosed runs "$@" with only the directory $1 as its root, read-only, as the user $2.
const enclosed = `set -e
root=$1 user=$2
shift 2
mount --make-rprivate /
mount --bind "$root" "$root"
mount -o remount,bind,ro,nosuid,nodev "$root"
if touch "$root/written" 2>/dev/null; then echo "the root can be written to" >&2; exit 98; fi
exec chroot --userspec="$user" --groups= "$root" "$@"
`

// command is the container's program, to be started.
func (c *contained) command(args ...string) *exec.Cmd {
	if len(args) == 0 {
		args = c.args
	}
	var cmd *exec.Cmd
	if c.wrapped {
		cmd = exec.Command("unshare", append([]string{"--mount", "sh", "-c", enclosed, "sh", c.root, c.user}, args...)...)
	} else {
		cmd = exec.Command(c.root+args[0], args[1:]...)
	}
	cmd.Env = c.env
	if c.wrapped {
		cmd.Env = append(cmd.Env, "PATH="+os.Getenv("PATH")) // for the commands of sh; the program's own root has none
	}
	return cmd
}

// powerless checks that a process runs as the unprivileged user of the image, has no capabilities, and sees only the container's files.
func (c *contained) powerless(pid int) {
	c.t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		c.t.Fatal(err)
	}
	status := map[string][]string{}
	for line := range strings.SplitSeq(string(text), "\n") {
		name, value, _ := strings.Cut(line, ":")
		status[name] = strings.Fields(value)
	}
	uid, gid, _ := strings.Cut(c.user, ":")
	if all := func(id string) []string { return []string{id, id, id, id} }; !slices.Equal(status["Uid"], all(uid)) || !slices.Equal(status["Gid"], all(gid)) ||
		len(status["Groups"]) > 0 {
		c.t.Errorf("it runs as %v:%v, groups %v", status["Uid"], status["Gid"], status["Groups"])
	}
	if none := strings.Repeat("0", 16); status["CapEff"][0] != none || status["CapPrm"][0] != none {
		c.t.Errorf("its capabilities are %v, %v", status["CapEff"], status["CapPrm"])
	}
	entries, err := os.ReadDir(fmt.Sprintf("/proc/%d/root", pid))
	if err != nil {
		c.t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if !slices.Equal(names, []string{"LICENSE", "LICENSES-OF-OTHERS.txt", "informerscope", "var"}) {
		c.t.Errorf("its root holds %q", names)
	}
}

// run runs one command inside, such as a probe, and returns its output.
func (c *contained) run(args []string) (string, error) {
	ctx, cancel := context.WithTimeout(c.t.Context(), 30*time.Second)
	defer cancel()
	cmd := c.command(args...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		return "", err
	}
	stop := context.AfterFunc(ctx, func() { _ = cmd.Process.Kill() })
	err := errors.Join(cmd.Wait(), ctx.Err())
	stop()
	return out.String(), err
}
