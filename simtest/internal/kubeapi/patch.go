package kubeapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apimachinery/pkg/util/mergepatch"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"k8s.io/apimachinery/pkg/util/validation/field"
	kjson "sigs.k8s.io/json"

	"informerscope/core/cluster/simcluster"
)

// maxPatchOps is kube-apiserver's limit on the operations of a JSON patch.
const maxPatchOps = 10_000

// A few copies in a JSON patch can double an object many times. As kube-apiserver does, bound them for the whole program, which can have its own bound.
func init() {
	if jsonpatch.AccumulatedCopySizeLimit == 0 {
		jsonpatch.AccumulatedCopySizeLimit = maxBody
	}
}

// Patch implements simcluster.Schema.
//
// Mirrors k8s.io/apiserver/pkg/endpoints/handlers.patcher (v0.37.2).
func (f *fields) Patch(live map[string]any, patch simcluster.Patch) (next map[string]any, err error) {
	defer func() {
		if cause := recover(); cause != nil { // json-patch panics where a replacement has no value; kube-apiserver recovers, too
			next, err = nil, apierrors.NewInternalError(fmt.Errorf("the patch made the server panic: %v", cause))
		}
	}()
	switch patch.Form {
	case types.JSONPatchType:
		return applyJSONPatch(live, patch.Body)
	case types.StrategicMergePatchType:
		return f.mergeStrategically(live, patch.Body)
	case types.ApplyPatchType:
		return f.apply(live, patch)
	}
	return nil, fmt.Errorf("the cluster applies patches of the type %s itself", patch.Form)
}

func applyJSONPatch(live map[string]any, body []byte) (map[string]any, error) {
	patch, err := jsonpatch.DecodePatch(body)
	if err != nil {
		return nil, apierrors.NewBadRequest("error decoding patch: " + err.Error())
	}
	if len(patch) > maxPatchOps {
		return nil, apierrors.NewRequestEntityTooLargeError(
			fmt.Sprintf("The allowed maximum operations in a JSON patch is %d, got %d", maxPatchOps, len(patch)))
	}
	before, err := json.Marshal(live)
	if err != nil {
		return nil, err
	}
	after, err := patch.Apply(before)
	if err != nil {
		return nil, refusePatch(err)
	}
	m := map[string]any{}
	d := json.NewDecoder(bytes.NewReader(after))
	d.UseNumber() // as the cluster decodes objects
	if err := d.Decode(&m); err != nil {
		return nil, apierrors.NewInvalid(schema.GroupKind{}, "", field.ErrorList{field.Invalid(field.NewPath("patch"), string(after), err.Error())})
	}
	return m, nil
}

// refusePatch is the answer to a patch that does not fit its object: kube-apiserver keeps the reason to itself.
func refusePatch(err error) error {
	return apierrors.NewGenericServerResponse(http.StatusUnprocessableEntity, "", schema.GroupResource{}, "", err.Error(), 0, false)
}

func (f *fields) mergeStrategically(live map[string]any, body []byte) (map[string]any, error) {
	patch := map[string]any{}
	if err := kjson.UnmarshalCaseSensitivePreserveInts(body, &patch); err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	before, err := toObject(live)
	if err != nil {
		return nil, err
	}
	merged, err := strategicpatch.StrategicMergeMapPatch(before.Object, patch, newObject(f.kind))
	switch err {
	case mergepatch.ErrBadJSONDoc, mergepatch.ErrBadPatchFormatForPrimitiveList, mergepatch.ErrBadPatchFormatForRetainKeys,
		mergepatch.ErrBadPatchFormatForSetElementOrderList, mergepatch.ErrUnsupportedStrategicMergePatchFormat:
		return nil, apierrors.NewBadRequest(err.Error())
	case mergepatch.ErrNoListOfLists, mergepatch.ErrPatchContentNotMatchRetainKeys:
		return nil, refusePatch(err)
	}
	return merged, err
}

func (f *fields) apply(live map[string]any, patch simcluster.Patch) (map[string]any, error) {
	options := &metav1.PatchOptions{FieldManager: patch.Manager, Force: &patch.Force}
	if wrong := validation.ValidatePatchOptions(options, patch.Form); len(wrong) > 0 {
		return nil, apierrors.NewInvalid(schema.GroupKind{Group: metav1.GroupName, Kind: "PatchOptions"}, "", wrong)
	}
	config := &unstructured.Unstructured{Object: map[string]any{}}
	if err := kjson.UnmarshalCaseSensitivePreserveInts(patch.Body, &config.Object); err != nil {
		return nil, apierrors.NewBadRequest("error decoding patch: " + err.Error())
	}
	return f.merge(live, patch.Subresource, func(m *managedfields.FieldManager, before runtime.Object) (runtime.Object, error) {
		return m.Apply(before, config, patch.Manager, patch.Force)
	})
}
