package informer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/naming"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/klog/v2"
	"k8s.io/utils/clock"

	"informerscope/core/words/event"
	"informerscope/core/words/releases"
)

const (
	defaultExpectedTypeName = "<unspecified>"

	// A watch's TimeoutSeconds is between these two.
	defaultMinWatchTimeout = 5 * time.Minute
	defaultMaxWatchTimeout = 2 * defaultMinWatchTimeout

	// The backoff doubles from init to max. Each wait is stretched by a random factor in [1, 1+jitter). The backoff starts over when its last reset was
	// longer ago than reset; before 0.36, when its last use was.
	defaultBackoffInit   = 800 * time.Millisecond
	defaultBackoffMax    = 30 * time.Second
	defaultBackoffReset  = 2 * time.Minute
	defaultBackoffFactor = 2.0
	defaultBackoffJitter = 1.0
)

// The phases of a Reflector in a Snapshot.
const (
	PhaseIdle         = "idle"
	PhaseListing      = "listing"
	PhaseWatchListing = "watch-listing"
	PhaseWatching     = "watching"
	PhaseBackoff      = "backoff"
	PhaseStopped      = "stopped"
)

// The texts of KindListWatchStarted and KindBackoff.
const (
	whyFirst           = "first list"
	whyEnded           = "the last round ended"
	thenListAgain      = "list and watch again"
	thenWatchAgain     = "watch again"
	thenWatchListAgain = "watch-list again"
)

// Reflector keeps a ReflectorStore up to date with the objects of a ListerWatcher: it lists, watches, and lists again when the watch cannot continue.
type Reflector struct {
	logger          klog.Logger
	name            string
	typeDescription string
	expectedType    reflect.Type
	// expectedGVK is set if the expected type is Unstructured, whose Go type does not determine the kind.
	expectedGVK   *schema.GroupVersionKind
	store         ReflectorStore
	listerWatcher ListerWatcherWithContext
	resyncPeriod  time.Duration
	// nextDelay returns the next wait of the backoff that all requests share.
	nextDelay       wait.DelayFunc
	minWatchTimeout time.Duration
	maxWatchTimeout time.Duration
	clock           clock.Clock
	// outerClock times the wait between two rounds of ListAndWatch. Since 0.36 client-go ignores ReflectorOptions.Clock there, so this is the real
	// clock unless the informer has its own clock.
	outerClock clock.Clock
	behaviour  releases.Behaviour
	random     func() float64
	// paginatedResult is set if the first list came in pages although the watch cache could have served it. Then relists should be paged, too.
	paginatedResult   bool
	useWatchList      bool
	watchErrorHandler WatchErrorHandlerWithContext

	rvLock                sync.RWMutex
	lastSyncRV            string
	lastSyncRVUnavailable bool
	phase                 string

	// why and cause are reported to the Observer as the reason for the next round.
	why   string
	cause error

	observer event.Observer
	// rvEvent and watchEvent are reused for the observer. rvLock guards rvEvent; watchEvent belongs to the goroutine that reads a watch.
	rvEvent, watchEvent event.Event
	gates               event.Gates
	requests            atomic.Uint32
	// resyncs are the resyncs for which a relist did not wait; Run waits for them.
	resyncs sync.WaitGroup

	// WatchListPageSize is the Limit of every LIST. If it is zero, lists from "" or "0" have pages of 500. Lists from a known version then have no
	// limit, so that the watch cache can serve them.
	WatchListPageSize int64
	// ShouldResync is called whenever the resync period is over; nil means always resync.
	ShouldResync func() bool
	// MaxInternalErrorRetryDuration is how long a watch that ends with an InternalError is reopened instead of relisting; zero means never.
	MaxInternalErrorRetryDuration time.Duration
}

// ResourceVersionUpdater is a ReflectorStore that is notified when the Reflector's resourceVersion advances during a watch.
type ResourceVersionUpdater interface {
	UpdateResourceVersion(resourceVersion string)
}

// WatchErrorHandler receives every error that ends a round of ListAndWatch. It should return quickly: the Reflector waits for it before it backs off.
type WatchErrorHandler func(r *Reflector, err error)

// WatchErrorHandlerWithContext is a WatchErrorHandler with a context.
type WatchErrorHandlerWithContext func(ctx context.Context, r *Reflector, err error)

// DefaultWatchErrorHandler logs err at a suitable level.
func DefaultWatchErrorHandler(ctx context.Context, r *Reflector, err error) {
	logger := klog.FromContext(ctx)
	switch {
	case err == io.EOF:
	case isExpiredError(err):
		logger.V(4).Info("Watch closed", "reflector", r.name, "type", r.typeDescription, "err", err)
	case err == io.ErrUnexpectedEOF:
		logger.V(1).Info("Watch closed with unexpected EOF", "reflector", r.name, "type", r.typeDescription, "err", err)
	default:
		utilruntime.HandleErrorWithContext(ctx, err, "Failed to watch", "reflector", r.name, "type", r.typeDescription)
	}
}

// ReflectorOptions configures a Reflector. All fields are optional.
type ReflectorOptions struct {
	// Logger replaces klog.Background().
	Logger *klog.Logger
	// Name is the Reflector's name; default is the file:line that created it.
	Name string
	// TypeDescription describes the expected type in logs; default is derived from the type.
	TypeDescription string
	// ResyncPeriod is how often the store's Resync is called; zero means never.
	ResyncPeriod time.Duration
	// MinWatchTimeout is the least TimeoutSeconds of a watch; values below five minutes are ignored.
	MinWatchTimeout time.Duration
	// Clock replaces the real clock. As in client-go, from release 1.37 on it does not apply to the wait between two rounds of ListAndWatch.
	Clock clock.Clock
	// Backoff replaces the default backoff, even for releases that do not support that: it then resets as in release 1.37.
	Backoff *wait.Backoff
	// Random replaces math/rand for the timeouts of watches and the jitter of the default backoff. It returns numbers in [0, 1).
	Random func() float64

	// Release decides whether WatchList is used, when the backoff resets, and what is accepted from a server.
	Release releases.Release
	// Observer receives every transition of the Reflector.
	Observer event.Observer
	// Gates can hold the Reflector at StageStore.
	Gates event.Gates
}

// NewReflectorWithOptions returns a Reflector that fills store from lw with
// objects of expectedType; nil accepts every type.
func NewReflectorWithOptions(lw ListerWatcher, expectedType interface{}, store ReflectorStore, options ReflectorOptions) *Reflector {
	r := &Reflector{
		name:              options.Name,
		typeDescription:   options.TypeDescription,
		expectedType:      reflect.TypeOf(expectedType),
		store:             store,
		listerWatcher:     ToListerWatcherWithContext(lw),
		resyncPeriod:      options.ResyncPeriod,
		minWatchTimeout:   defaultMinWatchTimeout,
		maxWatchTimeout:   defaultMaxWatchTimeout,
		clock:             options.Clock,
		outerClock:        clock.RealClock{},
		random:            rand.Float64, //maporder:free with virtual time the numbers come from a seed (see Random)
		behaviour:         options.Release.Behaviour(),
		watchErrorHandler: DefaultWatchErrorHandler,
		phase:             PhaseIdle,
		why:               whyFirst,
		observer:          options.Observer,
		gates:             options.Gates,
	}
	if r.clock == nil {
		r.clock = clock.RealClock{}
	}
	if !r.behaviour.Resets {
		r.outerClock = r.clock
	}
	r.useWatchList = r.behaviour.ListsByWatch && !lacksWatchList(lw)
	if options.MinWatchTimeout > defaultMinWatchTimeout {
		r.minWatchTimeout = options.MinWatchTimeout
		r.maxWatchTimeout = 2 * options.MinWatchTimeout
	}
	backoff := options.Backoff
	if backoff == nil {
		backoff = &wait.Backoff{
			Duration: defaultBackoffInit,
			Cap:      defaultBackoffMax,
			Steps:    int(math.Ceil(float64(defaultBackoffMax) / float64(defaultBackoffInit))),
			Factor:   defaultBackoffFactor,
			Jitter:   defaultBackoffJitter,
		}
	}
	if options.Random != nil {
		r.random = options.Random
	}
	jitter := 0.0
	if options.Backoff == nil {
		jitter, backoff.Jitter = backoff.Jitter, 0 // the jitter is added below, as wait.Jitter does it
	}
	delay := backoff.DelayWithReset(r.clock, defaultBackoffReset)
	if !r.behaviour.Resets && options.Backoff == nil {
		delay = quietBackoff(r.clock)
	}
	r.nextDelay = func() time.Duration {
		d := delay()
		return d + time.Duration(r.random()*jitter*float64(d))
	}
	if r.name == "" {
		r.name = naming.GetNameFromCallsite("core/informer/")
	}
	r.logger = klog.Background()
	if options.Logger != nil {
		r.logger = *options.Logger
	}
	r.logger = klog.LoggerWithName(r.logger, r.name)
	u, isUnstructured := expectedType.(*unstructured.Unstructured)
	if isUnstructured {
		if gvk := u.GroupVersionKind(); !gvk.Empty() {
			r.expectedGVK = &gvk
		}
	}
	if r.typeDescription == "" {
		switch {
		case expectedType == nil:
			r.typeDescription = defaultExpectedTypeName
		case r.expectedGVK != nil:
			r.typeDescription = r.expectedGVK.String()
		default:
			r.typeDescription = r.expectedType.String()
		}
	}
	return r
}

// quietBackoff is the backoff of client-go before 0.36, without its jitter. It starts over once it has not been used for a while, so during a long
// outage its waits stay at the maximum.
// Mirrors apimachinery util/wait.(*exponentialBackoffManagerImpl).getNextBackoff (v0.35.10).
func quietBackoff(c clock.Clock) wait.DelayFunc {
	next, last := defaultBackoffInit, c.Now()
	return func() time.Duration {
		now := c.Now()
		if now.Sub(last) > defaultBackoffReset {
			next = defaultBackoffInit
		}
		last = now
		d := next
		next = min(time.Duration(float64(next)*defaultBackoffFactor), defaultBackoffMax)
		return d
	}
}

// Name returns the Reflector's name.
func (r *Reflector) Name() string { return r.name }

// TypeDescription returns the description of the expected type.
func (r *Reflector) TypeDescription() string { return r.typeDescription }

// LastSyncResourceVersion returns the resourceVersion that the Reflector has reached. The store may not have it yet.
func (r *Reflector) LastSyncResourceVersion() string {
	r.rvLock.RLock()
	defer r.rvLock.RUnlock()
	return r.lastSyncRV
}

func (r *Reflector) setLastSyncResourceVersion(rv string) {
	r.rvLock.Lock()
	defer r.rvLock.Unlock()
	moved := r.lastSyncRV != rv
	r.lastSyncRV = rv
	if moved && r.observer != nil {
		r.rvEvent.SetReflectorRV(event.ReflectorRV{RV: rv})
		r.observer.Observe(&r.rvEvent)
	}
}

// setUnavailable records whether the server last refused the resourceVersion as expired or too large.
func (r *Reflector) setUnavailable(unavailable bool) {
	r.rvLock.Lock()
	defer r.rvLock.Unlock()
	changed := r.lastSyncRVUnavailable != unavailable
	r.lastSyncRVUnavailable = unavailable
	if changed && r.observer != nil {
		send(r.observer, event.Unavailable{Unavailable: unavailable}.Event())
	}
}

// relistResourceVersion returns the version from which to LIST. The first time it is "0" (anything the watch cache has), later the last known version.
// If that is unavailable, it is "" (the latest, by a quorum read).
func (r *Reflector) relistResourceVersion() string {
	r.rvLock.RLock()
	defer r.rvLock.RUnlock()
	switch {
	case r.lastSyncRVUnavailable:
		return ""
	case r.lastSyncRV == "":
		return "0"
	}
	return r.lastSyncRV
}

// rewatchResourceVersion returns the version from which to WatchList: the last known version, or "" if there is none or it is unavailable.
func (r *Reflector) rewatchResourceVersion() string {
	r.rvLock.RLock()
	defer r.rvLock.RUnlock()
	if r.lastSyncRVUnavailable {
		return ""
	}
	return r.lastSyncRV
}

// setPhase changes the phase and emits the event for it, in one step.
func (r *Reflector) setPhase(phase string, e event.Event) {
	if r.observer == nil {
		return
	}
	r.rvLock.Lock()
	defer r.rvLock.Unlock()
	r.phase = phase
	send(r.observer, e)
}

// hold waits at StageStore.
func (r *Reflector) hold(ctx context.Context) {
	if r.gates != nil {
		r.gates.Wait(ctx, event.StageStore, 0)
	}
}

// watchTimeout returns random TimeoutSeconds for a watch, so that many watches do not end at once.
func (r *Reflector) watchTimeout() *int64 {
	low, high := r.minWatchTimeout.Seconds(), r.maxWatchTimeout.Seconds()
	s := int64(low + r.random()*(high-low))
	return &s
}

// Run is RunWithContext with a stop channel.
func (r *Reflector) Run(stopCh <-chan struct{}) {
	r.RunWithContext(wait.ContextForChannel(stopCh))
}

// RunWithContext calls ListAndWatchWithContext repeatedly, with the backoff between two calls, until ctx is done. If ctx is already done, releases
// before 1.37 do not call it at all.
// Mirrors client-go tools/cache.(*Reflector).RunWithContext (v0.35.10 and v0.37.2).
func (r *Reflector) RunWithContext(ctx context.Context) {
	logger := r.logger
	ctx = klog.NewContext(ctx, logger)
	logger.V(3).Info("Starting reflector", "type", r.typeDescription, "resyncPeriod", r.resyncPeriod, "reflector", r.name)
	if r.observer != nil {
		send(r.observer, event.ReflectorStarted{Name: r.name}.Event())
	}
	for r.behaviour.Resets || ctx.Err() == nil {
		r.round(ctx)
		// The delay is computed even if ctx is done, and even after a round without an error. It counts from the end of the round.
		if !r.backOff(ctx, r.outerClock, r.nextDelay(), thenListAgain, r.cause) {
			break
		}
	}
	r.resyncs.Wait()
	r.setPhase(PhaseStopped, event.Event{Kind: event.KindReflectorStopped})
	logger.V(3).Info("Stopping reflector", "type", r.typeDescription, "resyncPeriod", r.resyncPeriod, "reflector", r.name)
}

// round calls ListAndWatch once, and handles its error.
func (r *Reflector) round(ctx context.Context) {
	defer utilruntime.HandleCrashWithContext(ctx)
	err := r.ListAndWatchWithContext(ctx)
	if err == nil {
		return
	}
	if r.observer != nil {
		send(r.observer, event.ReflectorError{Err: err}.Event())
	}
	r.watchErrorHandler(ctx, r, err)
}

// backOff waits for d. It returns false if ctx is done by then.
func (r *Reflector) backOff(ctx context.Context, c clock.Clock, d time.Duration, then string, cause error) bool {
	if ctx.Err() != nil {
		return false
	}
	r.setPhase(PhaseBackoff, event.Backoff{Wait: d, Then: then, Err: cause}.Event())
	t := c.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C():
	}
	if r.observer != nil {
		send(r.observer, event.Event{Kind: event.KindBackoffEnded})
	}
	return ctx.Err() == nil
}

// isExpiredError reports whether the resourceVersion is too old. Servers before 1.18 answered Gone.
func isExpiredError(err error) bool {
	return apierrors.IsResourceExpired(err) || apierrors.IsGone(err)
}

const tooLargeMessage = "Too large resource version"

// isTooLargeResourceVersionError reports whether the resourceVersion is newer than the server's. Servers before 1.18.6 showed that only in the text of
// a Timeout.
func isTooLargeResourceVersionError(err error) bool {
	if apierrors.HasStatusCause(err, metav1.CauseTypeResourceVersionTooLarge) {
		return true
	}
	if !apierrors.IsTimeout(err) {
		return false
	}
	status, ok := err.(apierrors.APIStatus)
	if !ok || status.Status().Details == nil {
		return false
	}
	for _, cause := range status.Status().Details.Causes {
		if cause.Message == tooLargeMessage {
			return true
		}
	}
	return strings.Contains(status.Status().Message, tooLargeMessage)
}

// isWatchErrorRetriable reports whether the server is unreachable or overloaded. The same watch may succeed later; a relist would only add load.
func isWatchErrorRetriable(err error) bool {
	return utilnet.IsConnectionRefused(err) || apierrors.IsTooManyRequests(err)
}

// errStopRequested ends a watch because its context is done.
var errStopRequested = errors.New("stop requested")

// VeryShortWatchError is the error for a watch that ended within a second and without an event. The Reflector does not simply reopen such a watch.
type VeryShortWatchError struct {
	// Name is the Reflector's name.
	Name string
}

// Error implements error.
func (e *VeryShortWatchError) Error() string {
	return fmt.Sprintf("very short watch: %s: Unexpected watch close - "+
		"watch lasted less than a second and no items received", e.Name)
}

// tableGVKs are the kinds of Table, which has rows instead of objects (kubernetes#132926).
var tableGVKs = map[schema.GroupVersionKind]bool{
	{Group: "meta.k8s.io", Version: "v1beta1", Kind: "Table"}: true,
	{Group: "meta.k8s.io", Version: "v1", Kind: "Table"}:      true,
}
