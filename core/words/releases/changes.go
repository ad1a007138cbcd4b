package releases

// Change is one difference between releases, in a sentence for those who upgrade.
type Change struct {
	// Has reports whether a release behaves in the new way.
	Has    func(Behaviour) bool
	EN, ZH string
	// Story is the name of a story that shows it; empty for none.
	Story string
}

// changes has one for each field of Behaviour, the oldest first.
var changes = []Change{
	{func(b Behaviour) bool { return b.KeepsOrder }, "The queue is a RealFIFO: it keeps the order of all changes, and merges none. " +
		"A DeltaFIFO keeps the order of each key alone.",
		"队列是 RealFIFO：保持所有变更的顺序，从不合并。DeltaFIFO 只保证每个 key 自己的顺序。", "burst"},
	{func(b Behaviour) bool { return b.Contexts }, "The Reflector’s functions take a context.", "Reflector 的函数接受 context。", ""},
	{func(b Behaviour) bool { return !b.PausesAtOnce },
		"After a handler’s panic the pause of a second begins with the next notification. Before, it began at once.",
		"handler panic 之后的一秒停顿，从下一个通知到来时算起；以前立刻开始。", ""},
	{func(b Behaviour) bool { return !b.RelistsDuringResync }, "A relist waits for a resync that runs.", "正在进行的 resync 结束之后，才会 relist。", ""},
	{func(b Behaviour) bool { return b.PopsBatches }, "Up to 1,000 changes are one transaction of the store. All calls of handlers come after it.",
		"至多 1,000 个变更作为一个事务写入本地缓存，之后才调用 handler。", "burst"},
	{func(b Behaviour) bool { return b.ListsByWatch }, "The first list is a WatchList: a stream of the objects, and a bookmark that ends it.",
		"第一次 list 是 WatchList：对象以流的形式到来，由一个书签（bookmark）结束。", "watchlist"},
	{func(b Behaviour) bool { return !b.Drains }, "An informer that stops leaves what waits in its queue. Before, it processed that first.",
		"informer 停止时，队列里等待的变更不再处理；以前会先处理完。", ""},
	{func(b Behaviour) bool { return b.ReportsVersion }, "GetController().LastSyncResourceVersion() reports the Reflector’s version. Before, it was empty.",
		"GetController().LastSyncResourceVersion() 报告 Reflector 的版本；以前为空。", ""},
	{func(b Behaviour) bool { return b.Atomic }, "A relist replaces the whole store in one step, before a handler is called. The store knows its resourceVersion.",
		"relist 一次替换整个本地缓存，之后才调用 handler。本地缓存知道自己的 resourceVersion。", "atomic"},
	{func(b Behaviour) bool { return b.Unlocks }, "The queue takes changes while popped ones are processed.", "处理出队的变更时，队列仍可入队。", "indexing"},
	{func(b Behaviour) bool { return b.Resets }, "The wait before a retry starts over every two minutes, however long the outage.", "重试前的等待每两分钟从头开始，无论中断多久。", ""},
	{func(b Behaviour) bool { return !b.LocksHasSynced }, "HasSynced takes no lock of the queue, so it answers while an object is processed.",
		"HasSynced 不再取队列的锁：处理对象时也能回答。", ""},
	{func(b Behaviour) bool { return !b.ReadsTables }, "A list or a watch in the form of a Table is not read.", "不再读取 Table 形式的 list 或 watch。", ""},
	{func(b Behaviour) bool { return !b.CountsAdded }, "In a watch from no version, or from 0, the first Added events do not advance the version.",
		"从空版本或 0 开始的 watch，最初的 Added 不推进版本。", ""},
	{func(b Behaviour) bool { return !b.KeepsBookmarks }, "Bookmarks reach the store.", "书签（bookmark）会传到本地缓存。", ""},
	{func(b Behaviour) bool { return b.RepeatsKeys }, "A batch may have several changes of a key. Each has its call, but only the last is " +
		"written: during a call the store may be ahead of the object in the call, or have it no more.",
		"一批里同一 key 可有多个变更：每个都有一次调用，但只写入最后一个。调用期间，本地缓存可能比这次调用的对象更新，或者已没有它。", "ahead"},
	{func(b Behaviour) bool { return b.DecodesAhead }, "Goroutines decode a WatchList before the Reflector reads it: up to 212 more frames leave the connection.",
		"WatchList 由多个 goroutine 提前解码，Reflector 之后才读：连接上至多再取走 212 帧。", ""},
	{func(b Behaviour) bool { return b.Shards }, "An informer can have a shard selector (SetShardSelector). " +
		"Where the API server does not know shards, the client drops the other objects.",
		"informer 可设分片选择器（SetShardSelector）。API server 不支持分片时，由客户端丢弃不属于自己的对象。", "shards"},
	{func(b Behaviour) bool { return b.KeepsIndexValues },
		"A write that changes none of several index values leaves the index alone, even where a handler has made it wrong.",
		"多个索引值都没变的写入不再动索引，即使 handler 已让它出错。", ""},
	{func(b Behaviour) bool { return !b.LosesResyncError }, "An error of RealFIFO.Resync says its cause.", "RealFIFO.Resync 的错误说明原因。", ""},
}

// Since returns the release in which the change came.
func (c *Change) Since() Release {
	since := Default
	for _, r := range All() {
		if c.Has(r.Behaviour()) {
			since = r
		}
	}
	return since
}

// Changes returns what an upgrade from one release to a later one changes, the oldest change first.
func Changes(from, to Release) []Change {
	var found []Change
	for _, c := range changes {
		if !c.Has(from.Behaviour()) && c.Has(to.Behaviour()) {
			found = append(found, c)
		}
	}
	return found
}
