package simapi

import (
	"encoding/json"
	"errors"
	"slices"

	authentication "k8s.io/api/authentication/v1"
	authorization "k8s.io/api/authorization/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"informerscope/core/simcluster"
)

// masters is the group of users who may do everything.
const masters = "system:masters"

var (
	user       = authentication.UserInfo{Username: Context, Groups: []string{masters, "system:authenticated"}}
	errOneUser = errors.New("a simulated cluster has no user but " + Context)
)

// reviews answer who the token's user is, and that this user may do everything.
var reviews = []simcluster.Review{
	review("selfsubjectreviews", false, func(_ string, r *authentication.SelfSubjectReview) *field.Error {
		r.Status.UserInfo = user
		return nil
	}),
	review("selfsubjectaccessreviews", false, func(_ string, r *authorization.SelfSubjectAccessReview) *field.Error {
		r.Status = access(Context, nil)
		return attributes(r.Spec.ResourceAttributes, r.Spec.NonResourceAttributes)
	}),
	review("selfsubjectrulesreviews", false, func(_ string, r *authorization.SelfSubjectRulesReview) *field.Error {
		all := []string{"*"}
		r.Status = authorization.SubjectRulesReviewStatus{
			ResourceRules:    []authorization.ResourceRule{{Verbs: all, APIGroups: all, Resources: all}},
			NonResourceRules: []authorization.NonResourceRule{{Verbs: all, NonResourceURLs: all}},
		}
		if r.Spec.Namespace == "" {
			return field.Required(field.NewPath("spec.namespace"), "no namespace on request")
		}
		return nil
	}),
	review("subjectaccessreviews", false, func(_ string, r *authorization.SubjectAccessReview) *field.Error {
		r.Status = access(r.Spec.User, r.Spec.Groups)
		return subject(&r.Spec)
	}),
	review("localsubjectaccessreviews", true, func(namespace string, r *authorization.LocalSubjectAccessReview) *field.Error {
		r.Status = access(r.Spec.User, r.Spec.Groups)
		if a := r.Spec.ResourceAttributes; a != nil && a.Namespace != namespace {
			return field.Invalid(field.NewPath("spec.resourceAttributes.namespace"), a.Namespace, "must match metadata.namespace")
		}
		return subject(&r.Spec)
	}),
}

// review makes a Review of T. answer sets the status, and finds what is wrong with the object.
func review[T any, O interface {
	*T
	runtime.Object
}](plural string, namespaced bool, answer func(namespace string, object O) *field.Error) simcluster.Review {
	kinds, _, err := known.ObjectKinds(O(new(T)))
	if err != nil { // the types are those above
		panic(err)
	}
	kind := kinds[0]
	return simcluster.Review{Group: kind.Group, Version: kind.Version, Kind: kind.Kind, Plural: plural, Namespaced: namespaced,
		Answer: func(namespace string, object []byte) (any, *apierrors.StatusError) {
			o := O(new(T))
			if err := json.Unmarshal(object, o); err != nil {
				return nil, apierrors.NewBadRequest("the object provided is unrecognized: " + err.Error())
			}
			if wrong := answer(namespace, o); wrong != nil {
				return nil, apierrors.NewInvalid(schema.GroupKind{Group: kind.Group, Kind: kind.Kind}, "", field.ErrorList{wrong})
			}
			return o, nil
		}}
}

// access says whether a user may do what a review asks about.
func access(name string, groups []string) authorization.SubjectAccessReviewStatus {
	if name == Context || slices.Contains(groups, masters) {
		return authorization.SubjectAccessReviewStatus{Allowed: true, Reason: "in a simulated cluster the user of the token may do everything"}
	}
	return authorization.SubjectAccessReviewStatus{Reason: errOneUser.Error()}
}

// attributes checks what the access is for. As in kube-apiserver, that is either a resource or a URL.
func attributes(resource *authorization.ResourceAttributes, url *authorization.NonResourceAttributes) *field.Error {
	if (resource != nil) == (url != nil) {
		return field.Invalid(field.NewPath("spec.resourceAttributes"), nil, "exactly one of nonResourceAttributes or resourceAttributes must be specified")
	}
	return nil
}

// subject checks who the access is of, and for what.
func subject(s *authorization.SubjectAccessReviewSpec) *field.Error {
	if s.User == "" && len(s.Groups) == 0 {
		return field.Invalid(field.NewPath("spec.user"), s.User, "at least one of user or group must be specified")
	}
	return attributes(s.ResourceAttributes, s.NonResourceAttributes)
}
