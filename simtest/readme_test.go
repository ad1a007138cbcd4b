package simtest_test

import (
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

	"informerscope/simtest"
)

var NewController = simtest.NewController

func TestController(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // virtual time: the minute below takes none
		c := simtest.Start(t, simtest.Options{Seed: 7}) // it ends with the test
		client := kubernetes.NewForConfigOrDie(c.Config())
		factory := informers.NewSharedInformerFactory(client, 0)
		factory.Core().V1().ConfigMaps().Informer()
		c.Factory(factory) // the assertion and the recording see its informers from now on
		go NewController(client, factory.Core().V1().ConfigMaps()).Run(t.Context())
		factory.Start(t.Context().Done())

		release := c.HoldWatch("configmaps")
		user := kubernetes.NewForConfigOrDie(c.UserConfig()).CoreV1().ConfigMaps("default")
		object := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "a"}, Data: map[string]string{"value": "1"}}
		_, err := user.Create(t.Context(), object, metav1.CreateOptions{})
		release()
		time.Sleep(time.Minute)
		if got, _ := user.Get(t.Context(), "a", metav1.GetOptions{}); err != nil || got.Annotations["example.com/value"] != "1" {
			t.Errorf("the controller wrote %v; the create: %v", got.Annotations, err)
		}
		c.AssertReadsOwnWrites()
	})
}

// TestReadme compares the test in README.md with TestController, which go test runs.
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
	var test string
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Name.Name == "TestController" {
			test = string(source[files.Position(f.Pos()).Offset:files.Position(f.End()).Offset])
		}
	}
	for _, name := range []string{"../README.md", "../docs/simtest.md"} {
		readme, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if test == "" || !strings.Contains(string(readme), "```go\n"+test+"\n```") {
			t.Errorf("%s does not have this test, which runs here:\n%s", name, test)
		}
	}
}
