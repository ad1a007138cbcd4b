package action

import (
	"regexp"
	"strings"
)

// Words returns a sentence that names an action of the user and says what it does, in English and in Chinese. step is the action as Step.String writes it,
// and handler returns the name of a listener, or "". Both are empty for an action of another program version.
func Words(step string, handler func(listener int32) string) (en, zh string) {
	s, err := readStep("0:" + step)
	if err != nil {
		return "", ""
	}
	id := s.Verb
	switch on := s.Arg(1); s.Verb {
	case "fault":
		if id += " " + s.Arg(0); on == "off" {
			id += " off"
		}
	case "writes", "crowd", "failover", "finalizer", "unsharded":
		if s.Arg(0) == "off" || s.Arg(0) == "" {
			id += " off"
		}
	case "unshared":
		if on == "off" {
			id += " off"
		}
	case "burst":
		if s.Int(0) <= 1 {
			id += " one"
		}
	case "release":
		if s.Int(1) > 0 {
			id += " some"
		}
	case "rate", "shard":
		if s.Arg(0) == "" || s.Arg(0) == "0" {
			id += " none"
		}
	case "delete", "drain":
		if s.Arg(0) == "" {
			id += " any"
		}
	}
	said, ok := words[id]
	if !ok {
		return "", ""
	}
	var fill []string
	for i := range s.Args {
		fill = append(fill, "{"+string(rune('0'+i))+"}", s.Args[i])
	}
	if strings.Contains(said.en, "{handler}") {
		if name := handler(int32(s.Int(0))); name != "" {
			fill = append(fill, "{handler}", name)
		}
	}
	r := strings.NewReplacer(fill...)
	return omitted.ReplaceAllString(r.Replace(said.en), ""), omitted.ReplaceAllString(r.Replace(said.zh), "")
}

// omitted is the place of an argument that the action does not have.
var omitted = regexp.MustCompile(` ?\{(\d|handler)\}`)

// words are the sentences by what was done; {0} is its first argument, and {handler} the name of the listener that this is.
var words = map[string]struct{ en, zh string }{
	"watch": {"Another experiment begins: the informer lists, and then watches.", "开始另一个实验：informer 先 list，再 watch。"},
	"halt":  {"The experiment has ended: no informer runs.", "实验结束了：没有 informer 在运行。"},
	"fault cut": {"The connections are cut: the Reflector asks for a watch again, from the last version that it read.",
		"连接被切断：Reflector 从它读到的最后一个版本重新 watch。"},
	"fault refuse": {"Connections break, and new ones are refused: the Reflector waits longer after each try.", "连接断开，新连接被拒绝：Reflector 每试一次就等得更久。"},
	"fault 410":    {"A 410 ends the watch: its version is too old, so the Reflector must list again.", "410 结束了 watch：版本太旧，Reflector 必须重新 list。"},
	"fault 429":    {"A 429 is the answer, too many requests: the informer waits, and asks again.", "回答是 429，请求太多：informer 等待后再问。"},
	"fault 500":    {"A 500 is the answer, an error of the API server: the Reflector must list again.", "回答是 500，API server 出错：Reflector 必须重新 list。"},
	"fault slow": {"mailer’s handler is slow from now on: changes wait in its ring, and only there.",
		"从现在起 mailer 的 handler 很慢：变更在它的环形缓冲里等，只在那里等。"},
	"fault delay":   {"Answers and events come later from now on: the store is behind the cluster by that time.", "从现在起，响应和事件会晚到：本地缓存落后于集群同样长的时间。"},
	"fault compact": {"The cluster has compacted its history: who asks for an older version gets a 410.", "集群清除了历史（compacted）：再要旧版本就得到 410。"},
	"fault restart": {"The API server restarts: its connections break, and the Reflector tries until it answers.",
		"API server 重启：连接断开，Reflector 一直试到它响应。"},
	"fault halfopen":  {"The open watch brings nothing from now on, and no error: its packets are dropped.", "从现在起，打开的 watch 什么也不送来，也没有错误：包都被丢了。"},
	"fault forbidden": {"LIST and WATCH get a 403 from now on. A watch that is open goes on.", "从现在起，LIST 和 WATCH 都得到 403。已打开的 watch 照常。"},
	"fault mutate":    {"mailer changes each object that it gets from now on, and that is the store’s own.", "从现在起，mailer 会改动收到的每个对象，而那就是本地缓存里的对象。"},
	"fault ratelimit": {"printer calls AddRateLimited from now on: all keys share one bucket of tokens.",
		"从现在起，printer 调用 AddRateLimited：所有 key 共用一个令牌桶。"},
	"fault rewrite": {"Each reconcile writes the time from now on: its write is a change, and wakes it again.",
		"从现在起，每次调谐都写入时间：这次写入又是一个变更，再次唤醒它。"},
	"fault slowindex": {"Index functions are slow from now on: each object that is stored waits for them.", "从现在起索引函数很慢：存入的每个对象都要等它。"},
	"fault nobookmarks": {"Bookmarks do not arrive any more: the version of a quiet watch stands still.",
		"书签不再到达：安静的 watch 的版本停住不动。"},
	"fault noendmark": {"The bookmark that ends a list by watch does not arrive any more: such a list does not end.",
		"结束 WatchList 的书签不再到达：这样的 list 不会结束。"},
	"fault refuse off":      {"Connections are accepted again: the Reflector asks when its wait is over.", "重新接受连接：Reflector 等待结束后再问。"},
	"fault slow off":        {"mailer’s handler is quick again: what waits in its ring is handled now.", "mailer 的 handler 又快了：在环形缓冲里等的现在处理。"},
	"fault delay off":       {"Answers and events come at once again.", "响应和事件又立刻到达。"},
	"fault halfopen off":    {"Packets pass again: what was held back arrives.", "包又能通过了：滞留的都会到达。"},
	"fault forbidden off":   {"LIST and WATCH are allowed again.", "LIST 和 WATCH 又被允许了。"},
	"fault mutate off":      {"mailer leaves its objects alone again.", "mailer 不再改动对象。"},
	"fault ratelimit off":   {"printer calls Add again: a key goes into the work queue at once.", "printer 又调用 Add：key 立刻进入工作队列。"},
	"fault rewrite off":     {"A reconcile writes only what differs again.", "调谐又只写有差异的内容。"},
	"fault slowindex off":   {"Index functions are quick again.", "索引函数又快了。"},
	"fault nobookmarks off": {"Bookmarks arrive again.", "书签又会到达。"},
	"fault noendmark off":   {"The bookmark that ends a list by watch arrives again.", "结束 WatchList 的书签又会到达。"},
	"hold":                  {"You hold a stage: what comes waits before it.", "你拦住了一处：到来的都在它前面等。"},
	"release":               {"You release a stage: what waits before it goes on.", "你放行了一处：在它前面等的继续向前。"},
	"release some":          {"You let {1} through, and the stage stays held.", "你放行了 {1} 个，这一处仍被拦住。"},
	"listen": {"The handler {0} is added: it gets each object of the store as an Added, and then what changes.",
		"加了 handler {0}：它先收到本地缓存里的每个对象（Added），然后是变更。"},
	"unlisten": {"The handler {handler} is removed: it gets no more changes.", "去掉了 handler {handler}：它不再收到变更。"},
	"pace": {"The handler {handler} takes {1} ms a call from now on: what comes faster waits in its ring.",
		"handler {handler} 从现在起每次调用 {1} ms：来得更快的在它的环形缓冲里等。"},
	"panic":      {"The handler {handler} panics in its next call.", "handler {handler} 会在下一次调用时 panic。"},
	"index":      {"The index {0} is added: the store files each object under its value.", "加了索引 {0}：本地缓存把每个对象归到它的值下。"},
	"writes":     {"The controller writes from now on: its own writes come back as changes.", "从现在起 controller 会写入：它自己的写入会作为变更回来。"},
	"writes off": {"The controller only reads from now on.", "从现在起 controller 只读不写。"},
	"shutdown":   {"The informers stop: their watches end, and their stores stay as they are.", "informer 停止：watch 结束，本地缓存保持原样。"},
	"start":      {"The informers start: each lists, and then watches.", "informer 启动：先 list，再 watch。"},
	"shard":      {"The next informer asks for the shard {0} alone.", "下一个 informer 只要分片 {0}。"},
	"shard none": {"The next informer asks for all objects.", "下一个 informer 要全部对象。"},
	"unshared": {"Another informer of the same resource starts: a second watch, and a second store.",
		"又启动一个同样资源的 informer：第二个 watch，第二个本地缓存。"},
	"unshared off": {"The unshared informer has ended.", "单独的 informer 结束了。"},
	"create":       {"The deployment {0} is created, and its pods come one by one.", "创建了 deployment {0}，它的 pod 逐个到来。"},
	"scale":        {"The deployment {0} is scaled: pods come or go.", "deployment {0} 改了副本数：pod 会增加或减少。"},
	"restart":      {"The deployment {0} is restarted: new pods replace its pods.", "deployment {0} 重启：新的 pod 取代原来的。"},
	"drop":         {"The deployment {0} is deleted, and then its pods.", "删除了 deployment {0}，然后是它的 pod。"},
	"delete":       {"The pod {0} is deleted: it ends first, and then comes the Deleted.", "删除了 pod {0}：它先结束，然后才有 Deleted。"},
	"delete any":   {"A pod is deleted: it ends first, and then comes the Deleted.", "删除了一个 pod：它先结束，然后才有 Deleted。"},
	"drain":        {"The node {0} is drained: its pods are evicted, and others replace them.", "node {0} 被 drain：它的 pod 被驱逐，由别的取代。"},
	"drain any":    {"A node is drained: its pods are evicted, and others replace them.", "一个 node 被 drain：它的 pod 被驱逐，由别的取代。"},
	"burst": {"Pods were changed {0} times at once: see the queue, the store and the rings take that in.",
		"pod 一次改了 {0} 回：看队列、本地缓存和环形缓冲怎样吸收。"},
	"burst one": {"A pod was changed: the change goes through the queue into the store, and to each handler.",
		"改了一个 pod：变更经过队列进入本地缓存，再到每个 handler。"},
	"crowd": {"{0} other clients watch the pods: lists share ten seats, and who finds none gets a 429.",
		"另有 {0} 个客户端 watch 这些 pod：list 共用十个席位，没有空席就得到 429。"},
	"crowd off": {"The other clients have gone.", "其他客户端都走了。"},
	"compact":   {"The cluster has compacted its history: who asks for an older version gets a 410.", "集群清除了历史（compacted）：再要旧版本就得到 410。"},
	"failover": {"Another API server answers, {0} versions behind: no change comes until it has caught up.",
		"换了一个 API server 响应，落后 {0} 个版本：追上之前不会有变更。"},
	"failover off":  {"The API server has caught up: changes come again.", "API server 追上了：变更又会到来。"},
	"unsharded":     {"The API server takes no notice of shards: a list brings all objects.", "API server 不理会分片：list 会发来全部对象。"},
	"unsharded off": {"The API server knows shards again.", "API server 又支持分片了。"},
	"expire":        {"A 410 ends every watch: all clients must list again.", "410 结束了每个 watch：所有客户端都要重新 list。"},
	"finalizer":     {"Pods have a finalizer: a deleted pod stays until it is taken off.", "pod 有了 finalizer：被删除的 pod 会留到它被移除。"},
	"finalizer off": {"The finalizer is off every pod: what was deleted goes now.", "每个 pod 的 finalizer 都移除了：已删除的现在消失。"},
	"label": {"The label {0} is set on a pod, or removed: a selector may see it come or go.",
		"给一个 pod 设置或移除了 label {0}：selector 可能看到它来去。"},
	"rate":      {"The cluster changes {0} times a second from now on.", "从现在起集群每秒变化 {0} 次。"},
	"rate none": {"The cluster does not change by itself any more.", "集群不再自己变化。"},
	"reboot": {"The API server restarts: its connections break, and the Reflector tries until it answers.",
		"API server 重启：连接断开，Reflector 一直试到它响应。"},
}
