package simtest_test

import (
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"example.org/informerscope/simtest"
)

func TestController(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // virtual time: the minute below takes none
		c := simtest.Start(t, simtest.Options{Seed: 7})
		go Run(t.Context(), c.Config(), c.Factory) // the controller; it passes its factory to c.Factory
		createConfigMap(t, c.UserConfig(), "a")
		c.CutWatches() // or Compact, HoldWatch, LagBehind
		time.Sleep(time.Minute)
		expectAnnotation(t, c.UserConfig(), "a")
		c.AssertReadsOwnWrites()
	})
}

// Run is the main function of a controller. observe gets the factory when it has all informers.
func Run(ctx context.Context, config *rest.Config, observe func(factory any)) {
	client := kubernetes.NewForConfigOrDie(config)
	factory := informers.NewSharedInformerFactory(client, 0)
	factory.Core().V1().ConfigMaps().Informer()
	observe(factory)
	controller := simtest.NewController(client, factory.Core().V1().ConfigMaps()) // its lister reads the observed informer
	factory.Start(ctx.Done())
	controller.Run(ctx)
}

func createConfigMap(t *testing.T, config *rest.Config, name string) {
	t.Helper()
	m := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}, Data: map[string]string{"value": "1"}}
	if _, err := kubernetes.NewForConfigOrDie(config).CoreV1().ConfigMaps("default").Create(t.Context(), m, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
}

func expectAnnotation(t *testing.T, config *rest.Config, name string) {
	t.Helper()
	m, err := kubernetes.NewForConfigOrDie(config).CoreV1().ConfigMaps("default").Get(t.Context(), name, metav1.GetOptions{})
	if err != nil || m.Annotations["example.com/value"] != "1" {
		t.Errorf("the controller wrote %v, %v", m.Annotations, err)
	}
}

// TestReadme compares the code in the documents with what go test runs here.
func TestReadme(t *testing.T) {
	source, err := os.ReadFile("readme_test.go")
	if err != nil {
		t.Fatal(err)
	}
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "readme_test.go", source, 0)
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok {
			texts[f.Name.Name] = string(source[files.Position(f.Pos()).Offset:files.Position(f.End()).Offset])
		}
	}
	for name, functions := range map[string][]string{"../README.md": {"TestController"}, "../docs/simtest.md": {"TestController", "Run"}} {
		document, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range functions {
			if text := texts[f]; text == "" || !strings.Contains(string(document), "```go\n"+text+"\n```") {
				t.Errorf("%s does not have this function, which runs here:\n%s", name, text)
			}
		}
	}
}
