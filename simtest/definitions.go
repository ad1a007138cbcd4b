package simtest

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"
)

var definitionType = metav1.TypeMeta{APIVersion: apiextensionsv1.SchemeGroupVersion.String(), Kind: "CustomResourceDefinition"}

// readDefinitions returns the definitions of the options, as JSON.
func readDefinitions(o Options) ([][]byte, error) {
	var all [][]byte
	for _, d := range o.CRDs {
		if d == nil {
			return nil, errors.New("Options.CRDs has a definition that is nil")
		}
		d = d.DeepCopy()
		d.TypeMeta = definitionType
		text, err := json.Marshal(d)
		if err != nil {
			return nil, err
		}
		all = append(all, text)
	}
	for _, path := range o.CRDPaths {
		before := len(all)
		err := filepath.WalkDir(path, func(file string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || file != path && !slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(file)) {
				return err
			}
			found, err := readFile(file)
			all = append(all, found...)
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("Options.CRDPaths: %w", err)
		}
		if len(all) == before {
			return nil, fmt.Errorf("Options.CRDPaths: %s has no CustomResourceDefinition of %s", path, definitionType.APIVersion)
		}
	}
	return all, nil
}

// readFile returns the definitions of a file, as JSON.
func readFile(file string) (found [][]byte, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	for documents := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(text))); ; {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return found, nil
		}
		var kind metav1.TypeMeta
		if err == nil {
			document, err = yaml.YAMLToJSON(document)
		}
		if err == nil && !bytes.Equal(document, []byte("null")) {
			err = json.Unmarshal(document, &kind)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		if kind == definitionType {
			found = append(found, document)
		}
	}
}

const definitionsPath = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"

// establish creates a definition, and returns an error if the cluster does not serve it then.
func (c *Cluster) establish(ctx context.Context, definition []byte) error {
	var d apiextensionsv1.CustomResourceDefinition
	if err := json.Unmarshal(definition, &d); err != nil {
		return fmt.Errorf("a CustomResourceDefinition: %w", err)
	}
	code, answer, err := c.ask(ctx, http.MethodPost, definitionsPath, definition)
	if err != nil {
		return err
	}
	if code != http.StatusCreated {
		var status metav1.Status
		_ = json.Unmarshal(answer, &status) // without a message the code has to do
		return fmt.Errorf("the CustomResourceDefinition %s is refused with %d: %s", d.Name, code, status.Message)
	}
	if _, answer, err = c.ask(ctx, http.MethodGet, definitionsPath+"/"+d.Name, nil); err != nil {
		return err
	}
	if err := json.Unmarshal(answer, &d); err != nil {
		return err
	}
	why := "it has no condition"
	for _, condition := range d.Status.Conditions {
		if condition.Type == apiextensionsv1.Established && condition.Status == apiextensionsv1.ConditionTrue {
			return nil
		}
		why = condition.Message
	}
	return fmt.Errorf("the CustomResourceDefinition %s is not established: %s", d.Name, why)
}

// ask sends a request past the logs of the controller, and returns the answer in JSON.
func (c *Cluster) ask(ctx context.Context, method, path string, body []byte) (code int, answer []byte, err error) {
	r, err := http.NewRequestWithContext(ctx, method, "http://"+host+path, bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json")
	resp, err := c.direct.RoundTrip(r)
	if err != nil {
		return 0, nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	answer, err = io.ReadAll(resp.Body)
	return resp.StatusCode, answer, err
}
