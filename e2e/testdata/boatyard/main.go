// Command boatyard is a controller as users of controller-runtime write them: for each Boat it keeps as many ConfigMaps as the boat has crew, and says so in
// the boat's status. A boat that is deleted leaves a ConfigMap behind before its finalizer goes.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"

	"github.com/go-logr/logr/funcr"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/clientcmd"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

const finalizer = "example.com/boatyard"

// Boat is the custom resource of testdata/kubectl/crd.yaml.
type Boat struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              struct {
		Crew int    `json:"crew"`
		Port string `json:"port,omitempty"`
	} `json:"spec"`
	Status struct {
		Crew   int  `json:"crew"`
		Afloat bool `json:"afloat"`
	} `json:"status,omitempty"`
}

// DeepCopyObject implements runtime.Object.
func (b *Boat) DeepCopyObject() runtime.Object {
	out := *b
	b.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	return &out
}

// BoatList is a list of Boats.
type BoatList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Boat `json:"items"`
}

// DeepCopyObject implements runtime.Object.
func (l *BoatList) DeepCopyObject() runtime.Object {
	out := &BoatList{TypeMeta: l.TypeMeta, ListMeta: *l.ListMeta.DeepCopy()}
	for i := range l.Items {
		out.Items = append(out.Items, *l.Items[i].DeepCopyObject().(*Boat))
	}
	return out
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	// controller-runtime has a flag --kubeconfig of its own.
	elect := flag.Bool("elect", false, "work only as the leader")
	flag.Parse()
	ctrl.SetLogger(funcr.New(func(prefix, args string) { fmt.Fprintln(os.Stderr, prefix, args) }, funcr.Options{}))
	config, err := clientcmd.BuildConfigFromFlags("", flag.Lookup("kubeconfig").Value.String())
	if err != nil {
		return err
	}
	scheme := runtime.NewScheme()
	if err := clientgoscheme.AddToScheme(scheme); err != nil {
		return err
	}
	gv := schema.GroupVersion{Group: "example.com", Version: "v1"}
	scheme.AddKnownTypes(gv, &Boat{}, &BoatList{})
	metav1.AddToGroupVersion(scheme, gv)
	mgr, err := ctrl.NewManager(config, ctrl.Options{Scheme: scheme, Metrics: server.Options{BindAddress: "0"}, LeaderElection: *elect,
		LeaderElectionID: "boatyard", LeaderElectionNamespace: "default", LeaderElectionReleaseOnCancel: true})
	if err != nil {
		return err
	}
	err = ctrl.NewControllerManagedBy(mgr).For(&Boat{}).Owns(&corev1.ConfigMap{}).Complete(&yard{mgr.GetClient(), scheme})
	if err != nil {
		return err
	}
	return mgr.Start(ctrl.SetupSignalHandler())
}

// yard reconciles Boats.
type yard struct {
	client.Client // reads from the cache
	scheme        *runtime.Scheme
}

// Reconcile implements reconcile.Reconciler.
func (y *yard) Reconcile(ctx context.Context, r ctrl.Request) (ctrl.Result, error) {
	boat := &Boat{}
	if err := y.Get(ctx, r.NamespacedName, boat); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !boat.DeletionTimestamp.IsZero() {
		note := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: boat.Namespace, Name: boat.Name + "-left"}}
		if err := client.IgnoreAlreadyExists(y.Create(ctx, note)); err != nil {
			return ctrl.Result{}, err
		}
		if !controllerutil.RemoveFinalizer(boat, finalizer) {
			return ctrl.Result{}, nil
		}
		return ctrl.Result{}, client.IgnoreNotFound(y.Update(ctx, boat))
	}
	if controllerutil.AddFinalizer(boat, finalizer) {
		return ctrl.Result{}, y.Update(ctx, boat)
	}
	wanted := map[string]bool{}
	for i := range boat.Spec.Crew {
		sailor := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: boat.Namespace, Name: fmt.Sprintf("%s-%d", boat.Name, i)}}
		wanted[sailor.Name] = true
		_, err := controllerutil.CreateOrUpdate(ctx, y.Client, sailor, func() error {
			sailor.Labels = map[string]string{"boat": boat.Name}
			sailor.Data = map[string]string{"port": boat.Spec.Port}
			return controllerutil.SetControllerReference(boat, sailor, y.scheme)
		})
		if err != nil {
			return ctrl.Result{}, err
		}
	}
	var sailors corev1.ConfigMapList
	if err := y.List(ctx, &sailors, client.InNamespace(boat.Namespace), client.MatchingLabels{"boat": boat.Name}); err != nil {
		return ctrl.Result{}, err
	}
	for i := range sailors.Items {
		if !wanted[sailors.Items[i].Name] {
			if err := client.IgnoreNotFound(y.Delete(ctx, &sailors.Items[i])); err != nil {
				return ctrl.Result{}, err
			}
		}
	}
	before := boat.DeepCopyObject().(*Boat)
	boat.Status.Crew, boat.Status.Afloat = len(wanted), true
	return ctrl.Result{}, y.Status().Patch(ctx, boat, client.MergeFrom(before))
}
