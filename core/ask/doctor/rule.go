package doctor

import (
	"slices"

	"informerscope/core/words/cause"
)

// Rule is something that the doctor looks for.
type Rule struct {
	Name  string
	Title Words
	// Sees says what the rule looks for, with its threshold, and Advice what to do about it.
	Sees   string
	Advice Words
	Story  string // the id of the story that explains it
	// members are the members of State that the rule rests on.
	members []string
	// explains are the rules whose findings in the same informer this one's explains: they are left out.
	explains []*Rule
}

// adviceOf returns what the table of causes says to do.
func adviceOf(id string) Words {
	_, remedy := cause.Find(id).Say(cause.Args{})
	return remedy
}

// The rules. docs/doctor.md has them as a table.
var (
	slowHandler = &Rule{
		Name:  "slow-handler",
		Title: say("A handler is too slow, and its ring grows", "handler 太慢，它的环形缓冲在增长"),
		Sees: "for 20 s or more, a handler works at least 80 % of the time, and its ring holds 16 notifications or more and does not shrink. " +
			"A burst, such as the initial list, drains",
		Advice: say("Only enqueue the key in the handler, and do the work in workers. Notifications that wait hold objects in memory.",
			"在 handler 里只让 key 入队，把活交给 worker。等待中的通知会占着对象的内存。"),
		Story: "ring", members: []string{"listeners.ring", "listeners.handling"}}
	stuckHandler = &Rule{
		Name:  "stuck-handler",
		Title: say("A handler's call does not return", "handler 的一次调用迟迟不返回"),
		Sees:  "a call of a handler takes 10 s or more. It is critical if the call has not returned when the log ends",
		Advice: say("Find what the call waits for: a lock, a channel, a request without a timeout. A handler must never block.",
			"查清这次调用在等什么：锁、channel、没有超时的请求。handler 绝不能阻塞。"),
		Story: "ring", members: []string{"listeners.handling"}}
	handlerPanic = &Rule{
		Name:  "handler-panic",
		Title: say("A handler panics", "handler 会 panic"),
		Sees:  "a call of a handler panics. If the recording breaks off there, the process ended",
		Advice: say("By default client-go ends your process when a handler panics. Fix what the handler assumes of the object: a tombstone arrives in "+
			"OnDelete as DeletedFinalStateUnknown.", "默认情况下 handler panic 时 client-go 会结束你的进程。检查 handler 对对象的假设：OnDelete "+
			"收到的墓碑（tombstone）是 DeletedFinalStateUnknown。"),
		Story: "tombstone", members: []string{"listeners.panics"}}
	leakedHandlers = &Rule{
		Name:  "leaked-handlers",
		Title: say("Handlers are added and never removed", "不断添加 handler，却从不移除"),
		Sees: "handlers of one name, apart from the digits in it, are added to a running informer on three occasions 5 s apart, or 50 of that name " +
			"are on an informer. None of that name is removed",
		Advice: say("Keep the registration that AddEventHandler returns, and pass it to RemoveEventHandler when its owner ends. Better: add one "+
			"handler that serves all owners.", "保存 AddEventHandler 返回的 registration，在它的主人结束时交给 RemoveEventHandler。更好的是只加一个 "+
			"handler，为所有主人服务。"),
		Story: "leaked", members: []string{"listeners"}}
	relistLoop = &Rule{
		Name:  "relist-loop",
		Title: say("The informer lists everything again and again", "informer 一遍又一遍地重新 list 全部对象"),
		Sees: "three relists or more within 10 min, of an informer that has had a list. It is critical from 10 relists on. A healthy informer " +
			"relists a few times a day at most",
		Story: "relists", members: []string{"reflector"}}
	deadWatch = &Rule{
		Name:  "dead-watch",
		Title: say("A watch is open, and dead", "watch 还连着，但已死"),
		Sees: "the connection of a watch was lost: HTTP/2 got no answer to a PING. Or an open watch without selectors has brought nothing for 15 s, and lacks a " +
			"version that a reconcile wrote. Or an open watch that had brought a bookmark has brought nothing for 150 s when the log ends. After the " +
			"first one, an API server sends a bookmark about every minute",
		Advice: say("Something between the controller and the API server drops packets silently. Keep HTTP/2 health checks on "+
			"(HTTP2_READ_IDLE_TIMEOUT_SECONDS, 30 s by default), and look at the firewall, NAT or load balancer on the way.",
			"controller 与 API server 之间有设备悄悄丢包。保持 HTTP/2 健康检查开启（HTTP2_READ_IDLE_TIMEOUT_SECONDS，默认 30 秒），"+
				"并检查途中的防火墙、NAT 或负载均衡。"),
		Story: "halfopen", members: []string{"reflector", "api"}}
	cutWatches = &Rule{
		Name:  "cut-watches",
		Title: say("Something cuts the watch again and again", "watch 一次又一次被切断"),
		Sees: "three watches of an informer or more end within a minute of their beginning, within 10 min, and the API server gives no reason. " +
			"client-go asks for watches of 5 to 10 min",
		Advice: say("A proxy, a load balancer or a client-side timeout ends the connection. Raise its idle timeout above 10 min, and set no timeout in the "+
			"rest.Config that makes the informers' clients.", "代理、负载均衡或客户端超时结束了连接。把空闲超时调到 10 分钟以上；informer 所用的 rest.Config 不要设 "+
			"timeout。"),
		Story: "410", members: []string{"reflector", "api"}}
	versionsWentBack = &Rule{
		Name:  "versions-went-back",
		Title: say("The cluster's versions went back", "集群的版本倒退了"),
		Sees:  "the version of a list is older than one that the informer had before",
		Advice: say("Either etcd was restored from an older copy, or another API server with older data answers. After a restore, restart every controller: "+
			"an open watch goes on from a version that means something else now, and a store may hold objects that do not exist.",
			"要么 etcd 从较旧的副本恢复，要么换了一个数据较旧的 API server 在响应。恢复之后要重启每个 controller：打开的 watch 会从含义已变的版本继续，"+
				"本地缓存里可能有并不存在的对象。"),
		Story: "lagging", members: []string{"reflector"}}
	storeApart = &Rule{
		Name:  "store-apart",
		Title: say("The store is not what the cluster has", "本地缓存与集群不一致"),
		Sees: "with `--context`, or *list the cluster again* on the page: a plain list of the informer's resource differs from the store, in objects that " +
			"did not change meanwhile",
		Advice: say("The store does not correct itself: restart the controller. If the list's version is lower than the store's, etcd was restored from an older "+
			"copy, and every controller is to be restarted. Else look for a dead watch, or for a cache before the API server.",
			"本地缓存不会自己恢复：重启这个 controller。如果 list 的版本比本地缓存的低，说明 etcd 从较旧的副本恢复过，所有 controller 都要重启。"+
				"否则查找已死的 watch，或 API server 前面的缓存。"),
		Story: "lagging", members: []string{"indexer"}}
	refusedList = &Rule{
		Name:  "refused-list",
		Title: say("A plain list is refused too", "单独的 list 也被拒绝"),
		Sees:  "with `--context`, or *list the cluster again* on the page: a plain list of the informer's resource gets an error",
		Story: "forbidden", members: []string{"reflector"}}
	neverSynced = &Rule{
		Name:  "never-synced",
		Title: say("The informer has never synced", "informer 从未同步"),
		Sees: "an informer has not synced after 20 s, or after 5 s if its last request failed. Or it was never started, while others of its " +
			"factory have synced",
		Advice: say("Bound the wait for HasSynced, and log which informer it waits for.", "等待 HasSynced 时设上限，并记下在等哪个 informer。"),
		Story:  "forbidden", members: []string{"reflector"}}
	noEndMark = &Rule{
		Name:  "no-end-mark",
		Title: say("A WatchList gets no end mark", "WatchList 一直等不到结束标记"),
		Sees:  "a WatchList has brought a bookmark without the end mark; or nothing for 10 s, and no end mark. client-go warns after the same time",
		Advice: say("The API server, or a proxy or aggregated API server in front of it, does not send the bookmark with k8s.io/initial-events-end. "+
			"Update it, or set KUBE_FEATURE_WatchListClient=false in the controller's environment: then its informers list.",
			"API server，或它前面的代理、聚合 API server，没有发送带 k8s.io/initial-events-end 的书签。升级它，或在 controller 的环境变量中设 "+
				"KUBE_FEATURE_WatchListClient=false：informer 就改用 list。"),
		Story: "endmark", members: []string{"reflector"}, explains: []*Rule{neverSynced}}
	missingPermission = &Rule{
		Name:   "missing-permission",
		Title:  say("The API server refuses the informer's requests", "API server 拒绝 informer 的请求"),
		Sees:   "a LIST or WATCH is answered with 403. It is a warning if a later request was answered",
		Advice: adviceOf(cause.Forbidden), Story: "forbidden", members: []string{"reflector"}, explains: failing}
	badCredentials = &Rule{
		Name:  "bad-credentials",
		Title: say("The credentials are not accepted", "凭据不被接受"),
		Sees: "a LIST or WATCH is answered with 401, or none leaves because the client certificate, the credential plugin or OIDC fails. It is a warning if a " +
			"later request was answered",
		Story: "forbidden", members: []string{"reflector"}, explains: failing}
	unservedResource = &Rule{
		Name:  "unserved-resource",
		Title: say("The API server cannot serve the resource", "API server 无法提供该资源"),
		Sees: "a LIST or WATCH is answered with 404 or 405, or with the error of a conversion webhook, whatever its status. It is a warning if a later request " +
			"was answered",
		Story: "relists", members: []string{"reflector"}, explains: failing}
	outage = &Rule{
		Name:  "outage",
		Title: say("The API server does not answer", "API server 无响应"),
		Sees:  "when the log ends, an informer's requests have failed for 10 s or more because nothing answers, or with 5xx. It is found once for all informers",
		Story: "410", members: []string{"reflector"}, explains: failing}
	unsharedInformers = &Rule{
		Name:  "unshared-informers",
		Title: say("One resource has several informers", "同一资源有多个 informer"),
		Sees: "two running informers or more of one resource and release, none of them a shard, with the same namespace and selectors where these " +
			"are known. Or the process has had a further watch of an informer's URL open for 10 s or more. The probe sees no informer that has it",
		Advice: say("Get the informer from one SharedInformerFactory, or one manager's cache: each further informer is a watch and a store of its "+
			"own.", "从同一个 SharedInformerFactory（或同一个 manager 的 cache）取 informer：每多一个 informer，就多一个 watch 和一份本地缓存。"),
		Story: "unshared", members: nil}
	mutatedObjects = &Rule{
		Name:  "mutated-objects",
		Title: say("A handler mutates objects in the store", "handler 修改了本地缓存里的对象"),
		Sees:  "a handler changes an object that it shares with the store and the other handlers",
		Advice: say("DeepCopy the object before you change it. Run tests with KUBE_CACHE_MUTATION_DETECTOR=true.",
			"修改前先 DeepCopy。测试时设 KUBE_CACHE_MUTATION_DETECTOR=true。"),
		Story: "mutate", members: []string{"indexer"}}
	memory = &Rule{
		Name:  "memory",
		Title: say("A transform would save memory", "用 transform 可以省内存"),
		Sees: "a store holds 1 MiB of JSON or more. Without managedFields, or with only the metadata, it would be 20 % smaller or more. It is a " +
			"warning if managedFields alone are 64 MiB or more. At most 1,024 objects are measured",
		Advice: say("Set cache.TransformStripManagedFields, or your own SetTransform, before the informer starts. If you read only metadata, use a "+
			"metadata informer.", "在 informer 启动前设 cache.TransformStripManagedFields 或自己的 SetTransform。只读 metadata 时，用 metadata informer。"),
		Story: "transform", members: []string{"indexer.objects"}}
	selfLoop = &Rule{
		Name:  "self-caused-loop",
		Title: say("A reconcile causes itself", "调谐触发了自己"),
		Sees: "a key wakes itself ten times in a row: a write of its reconcile is all that wakes it again, through a handler, and that reconcile writes too. A " +
			"reconcile that something else woke as well does not count",
		Advice: say("Write only if something differs: compare before you update, and keep times and counters out of what you compare. A predicate on "+
			"metadata.generation hides your own status updates.", "只在有差异时才写：更新前先比较，别把时间和计数放进比较里。按 metadata.generation "+
			"过滤可以忽略自己写的 status。"),
		Story: "loop", members: []string{"workqueue.writes"}}
	staleReads = &Rule{
		Name:  "reads-before-own-writes",
		Title: say("The controller reads what is older than its own writes", "controller 读到的比自己写的还旧"),
		Sees: "a reconcile creates an object although an earlier one of its key had created one that its read did not show. Or five reads or more, and one in " +
			"ten, are older than a write of the same controller; five are enough if writes failed with a conflict for it",
		Advice: say("A lister follows the cluster with a delay. Return on a conflict and let the next event bring the new version, use names that can "+
			"exist only once, or keep expectations.", "lister 总比集群慢一点。遇到冲突就返回，等下一个事件带来新版本；或用只能存在一次的名字，或保存 "+
			"expectations。"),
		Story: "stale", members: []string{"workqueue.lastRead", "workqueue.writes"}}
	starvedKeys = &Rule{
		Name:  "starved-keys",
		Title: say("Keys wait long for a worker", "key 等 worker 等了很久"),
		Sees: "three keys or more waited 10 s or more for a worker, and had not failed. The rate limiter held them back, or they were in a queue " +
			"that had once been empty. The backlog of the initial list, and time in which the queue is paused, do not count. Or one key waits 10 s or more, " +
			"and of the keys that are taken " +
			"meanwhile 50 or more, and 80 %, came later: in a priority queue",
		Story: "ratelimited", members: []string{"workqueue"}}
	busyWorkers = &Rule{
		Name:  "busy-workers",
		Title: say("The workers cannot keep up", "worker 忙不过来"),
		Sees: "when the log ends, keys have waited for a worker for 20 s or more without a pause, the oldest for 10 s or more. The workers were busy for 80 % of " +
			"that time. A backlog that is smaller than 20 s before does not count",
		Advice: say("Run more workers (MaxConcurrentReconciles), or make a reconcile faster: look at what its requests wait for, and at client-side throttling "+
			"(QPS and Burst).", "增加 worker（MaxConcurrentReconciles），或让调谐更快：看它的请求在等什么，以及客户端限流（QPS 和 Burst）。"),
		Story: "ratelimited", members: []string{"workqueue"}}
	endlessRetries = &Rule{
		Name:  "endless-retries",
		Title: say("A key fails again and again", "key 一再失败"),
		Sees: "a key has been added to the rate limiter 12 times or more since it was forgotten. By default the limiter has then kept it for 41 s, and that is " +
			"a hint. It is a warning after 15 times and 5 min, or if it was 18 times before the log began. Deployment's controller gives up at 15; " +
			"those of ReplicaSet, StatefulSet, DaemonSet and Job do not",
		Advice: say("Fix what the error names. If a retry cannot help, report the problem in the object's status and return no error. After success call "+
			"Forget; controller-runtime does it.", "先解决错误所说的问题。如果重试没有用，把问题写进对象的 status，不要返回错误。成功后调用 Forget；"+
			"controller-runtime 会自己调用。"),
		Story: "retry", members: []string{"workqueue.failures"}}
)

// failing are the rules about what follows when requests fail.
var failing = []*Rule{neverSynced, relistLoop, cutWatches}

var rules = []*Rule{slowHandler, stuckHandler, handlerPanic, leakedHandlers, relistLoop, deadWatch, cutWatches, versionsWentBack,
	storeApart, refusedList, neverSynced, noEndMark, missingPermission, badCredentials, unservedResource, outage, unsharedInformers, mutatedObjects,
	memory, selfLoop, staleReads, starvedKeys, busyWorkers, endlessRetries}

// ruleNamed returns the rule with a name.
func ruleNamed(name string) *Rule {
	return rules[slices.IndexFunc(rules, func(r *Rule) bool { return r.Name == name })]
}

// Rules returns all rules, in the order of docs/doctor.md.
func Rules() []Rule {
	out := make([]Rule, len(rules))
	for i, r := range rules {
		out[i] = *r
	}
	return out
}
