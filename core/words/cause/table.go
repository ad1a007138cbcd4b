package cause

// The causes, by the word that logs, headers and the page's State have.
const (
	Webhook           = "webhook"     // the conversion webhook of a custom resource fails
	Storage           = "storage"     // etcd, behind the API server
	OIDCToken         = "oidc-token"  // the id-token has expired, and nothing can renew it
	OIDCIssuer        = "oidc-issuer" // the issuer does not give a new id-token
	ExecPlugin        = "exec-plugin"
	ExecWaiting       = "exec-waiting" // the credential plugin is still running
	Credentials       = "credentials"  // the user's entry in the kubeconfig does not work
	ClientCertificate = "client-certificate"
	Unauthorized      = "unauthorized"
	Forbidden         = "forbidden"
	NoWatch           = "no-watch" // the resource can be listed, and not watched
	NotServed         = "not-served"
	Compacted         = "compacted" // 410
	Behind            = "behind"    // 504: the API server has not seen the version that was asked for
	Starting          = "starting"  // 429: its watch cache fills
	Overloaded        = "overloaded"
	Other             = "other"
	RelayGone         = "relay-gone"
	RelaySilent       = "relay-silent"
	Token             = "token"
	Viewers           = "viewers"
	ProbeGone         = "probe-gone"    // the process cannot be reached, or has ended
	ProbeRefused      = "probe-refused" // the answer is not a probe's
	Proxy             = "proxy"
	Refused           = "refused" // nothing listens on the port
	DNS               = "dns"
	Unreachable       = "unreachable" // no route
	Frozen            = "frozen"      // the API server accepts connections and does not answer
	Timeout           = "timeout"
	Reset             = "reset"
	PlainHTTP         = "plain-http"   // the kubeconfig says https, the server speaks plain HTTP
	HTTPSWanted       = "https-wanted" // the kubeconfig says http, the server speaks HTTPS
	CertificateDate   = "server-certificate-expired"
	CertificateIssuer = "server-certificate-unknown" // of an authority that is not trusted
	TLS               = "tls"
	Kubeconfig        = "kubeconfig"
	NoContext         = "context" // the kubeconfig has no such context
	ContextNotServed  = "context-not-served"
	NamespaceMissing  = "namespace-missing"
)

// The parties that can have failed, or have given the answer.
var (
	apiServer   = Words{"the API server", "API server"}
	conversion  = Words{"the conversion webhook, through the API server", "转换 webhook（经由 API server）"}
	storage     = Words{"the API server’s storage", "API server 的存储"}
	issuer      = Words{"the OIDC issuer’s client", "OIDC 客户端"}
	plugin      = Words{"the credential plugin", "凭据插件"}
	kubeconfig  = Words{"the kubeconfig", "kubeconfig"}
	proxy       = Words{"the proxy", "代理"}
	network     = Words{"the network", "网络"}
	handshake   = Words{"the TLS handshake", "TLS 握手"}
	ownServer   = Words{"the informerscope server", "informerscope 服务器"}
	attachedOne = Words{"the attached process", "已连接的进程"}
)

// table has all causes. The first one that recognises an answer is its cause: what is told by more words stands before what is told by fewer.
var table = []*Cause{
	{ID: Webhook, Giver: conversion, Retries: true, signs: anyAnswer("conversion webhook for"), Answer: Words{"webhook fails", "webhook 失败"},
		Name:   Words{"webhook fails", "webhook 失败"},
		What:   Words{"The API server cannot convert {res}: the conversion webhook{hook} fails.", "API server 无法转换 {res}：转换 webhook{hook}失败。"},
		Remedy: Words{"Check the webhook’s Service and pods, and spec.conversion of the CRD.", "检查 webhook 的 Service 和 pod，以及 CRD 的 spec.conversion。"}},
	{ID: Storage, Giver: storage, Retries: true, signs: anyAnswer("etcdserver:", ":2379"), Answer: Words{"storage fails", "存储失败"},
		Name:   Words{"storage fails", "存储失败"},
		What:   Words{"The API server{w} runs, and its etcd does not answer.", "API server{w}在运行，但它的 etcd 无响应。"},
		Remedy: Words{"Check etcd: its members, disk and certificates.", "检查 etcd：成员、磁盘和证书。"}},
	{ID: OIDCToken, Giver: issuer, Before: true, signs: noAnswer("no valid id-token"),
		Name:   Words{"id-token expired", "id-token 过期"},
		What:   Words{"The kubeconfig’s OIDC id-token has expired, and there is no refresh token.", "kubeconfig 的 OIDC id-token 已过期，又没有 refresh token。"},
		Remedy: Words{"Log in again: trying again cannot help.", "请重新登录：重试没有用。"}},
	{ID: OIDCIssuer, Giver: issuer, Before: true, signs: noAnswer("failed to refresh token", "oidc: ", "/.well-known/openid-configuration",
		"did not contain an id_token"),
		Name:   Words{"issuer fails", "签发方失败"},
		What:   Words{"The OIDC issuer gives no new id-token; the cluster was not asked.", "OIDC 签发方没有给出新的 id-token；没有询问集群。"},
		Remedy: Words{"Check idp-issuer-url and the network to it; if it refuses, log in again.", "检查 idp-issuer-url 和到它的网络；若被拒绝，请重新登录。"}},
	{ID: ExecPlugin, Giver: plugin, Before: true, signs: noAnswer("getting credentials: "), Name: Words{"login helper fails", "登录插件失败"},
		What:   Words{"The command that gets credentials for {c} fails.", "为“{c}”取凭据的命令失败了。"},
		Remedy: Words{"Run it in a terminal; its own output is below.", "在终端里运行它；其原始输出见下方。"}},
	{ID: ExecWaiting, Giver: plugin, Before: true, Retries: true, Name: Words{"waits for login", "等待登录"},
		What: Words{"The command that gets credentials for {c} has not ended yet.", "为“{c}”取凭据的命令还没有结束。"},
		Remedy: Words{"It may wait for a browser, or for a password where the server was started.",
			"它可能在等浏览器登录，或在启动服务器的终端等密码。"}},
	{ID: Credentials, Giver: kubeconfig, Before: true, Name: Words{"no credentials", "没有凭据"},
		What:   Words{"The kubeconfig’s credentials for {c} cannot be used.", "“{c}”的 kubeconfig 凭据不能用。"},
		Remedy: Words{"Log in again with the kubeconfig’s own means.", "用 kubeconfig 自己的方式重新登录。"}},
	{ID: ClientCertificate, Giver: handshake, Name: Words{"client certificate", "客户端证书"},
		signs: noAnswer("remote error: tls: bad certificate", "remote error: tls: expired certificate", "remote error: tls: revoked certificate",
			"remote error: tls: unknown certificate", "remote error: tls: unsupported certificate", "remote error: tls: certificate required",
			"remote error: tls: unknown ca"),
		What:   Words{"The cluster{w} does not accept the kubeconfig’s client certificate.", "集群{w}不接受 kubeconfig 的客户端证书。"},
		Remedy: Words{"It may have expired or belong to another cluster: renew the kubeconfig.", "它可能已过期，或属于别的集群：请更新 kubeconfig。"}},
	{ID: Unauthorized, Giver: apiServer, signs: answer(401), Answer: Words{"sent 401", "返回 401"}, Name: Words{"401 Unauthorized", "401 Unauthorized"},
		What: Words{"The cluster{w} does not accept these credentials (401).", "集群{w}不接受这些凭据（401）。"},
		Remedy: Words{"They may have expired: log in again, or renew the token. A role does not help: the cluster does not know who asks.",
			"它们可能已过期：请重新登录，或更新 token。加 Role 没有用：集群不知道是谁在请求。"}},
	{ID: Forbidden, Giver: apiServer, signs: answer(403), Answer: Words{"sent 403", "返回 403"}, Name: Words{"403 Forbidden", "403 Forbidden"},
		What: Words{"{user} may not {verb} {res} {ns} (403).", "{user}无权 {verb} {ns}的 {res}（403）。"},
		Remedy: Words{"Grant {role} with the verbs get, list and watch for {res}, or choose a namespace that may be read. A rule with resourceNames " +
			"allows only requests that select that name.",
			"授予{role}，含对 {res} 的 get、list、watch；或选一个有权读取的 namespace。带 resourceNames 的规则只允许选中该名字的请求。"}},
	{ID: NoWatch, Giver: apiServer, signs: answer(405), Answer: Words{"sent 405", "返回 405"}, Name: Words{"no watch", "不支持 watch"},
		What: Words{"{res} cannot be watched here: the API server has no watch for this resource (405).",
			"这里不能 watch {res}：API server 对该资源没有 watch（405）。"},
		Remedy: Words{"No informer works for it: list it now and then instead.", "它不能用 informer：请改为定期 list。"}},
	{ID: NotServed, Giver: apiServer, Retries: true, signs: answer(404), Answer: Words{"not served", "不提供"}, Name: Words{"not served", "不提供"},
		What: Words{"{res} cannot be watched here: the cluster does not serve this resource.", "这里不能 watch {res}：集群不提供该资源。"},
		Remedy: Words{"If it is a custom resource, look whether its definition was deleted, or serves another version.",
			"若是自定义资源，看看它的定义是否被删除，或改为提供别的版本。"}},
	{ID: Compacted, Giver: apiServer, Retries: true, isUsual: true, signs: append(answer(410), anyAnswer("too old resource version")...),
		Answer: Words{"sent 410", "返回 410"}, Name: Words{"410 Expired", "410 Expired"},
		What: Words{"The version that was asked for is compacted (410 Expired).", "所请求的版本已被清除（410 Expired）。"},
		Remedy: Words{"Keep bookmarks on, look for a Reflector that is blocked by a slow store, and at the API server’s watch cache and compaction.",
			"保持书签开启，检查 Reflector 是否被慢的本地缓存阻塞，以及 API server 的 watch cache 和 compaction。"}},
	{ID: Behind, Giver: apiServer, Retries: true, isUsual: true, signs: answer(504, "too large resource version"), Answer: Words{"sent 504", "返回 504"},
		Name: Words{"API server behind", "API server 落后"},
		What: Words{"The API server has not reached the version that was asked for (504, Too large resource version).",
			"API server 还没有所请求的版本（504，Too large resource version）。"},
		Remedy: Words{"One API server behind the load balancer lags, or etcd was restored from an older copy: compare the versions that it names.",
			"负载均衡后面有 API server 落后，或 etcd 从旧的备份恢复：对比它给出的版本。"}},
	{ID: Starting, Giver: apiServer, Retries: true, isUsual: true, signs: answer(429, "storage is (re)initializing"),
		Answer: Words{"sent 429", "返回 429"}, Name: Words{"watch cache fills", "watch cache 填充中"},
		What: Words{"The API server’s watch cache for {res} is not ready (429).", "API server 对 {res} 的 watch cache 还没就绪（429）。"},
		Remedy: Words{"After a start it takes seconds. If it stays so, look at the API server’s log: it cannot list the resource itself.",
			"刚启动时要几秒。若一直如此，看 API server 的日志：它自己也 list 不出该资源。"}},
	{ID: Overloaded, Giver: apiServer, Retries: true, isUsual: true, signs: answer(429), Answer: Words{"sent 429", "返回 429"},
		Name: Words{"429 Too Many Requests", "429 Too Many Requests"},
		What: Words{"The API server sheds load (429 Too Many Requests).", "API server 在限流（429 Too Many Requests）。"},
		Remedy: Words{"Give this controller a FlowSchema and a priority level of its own, and list less.",
			"给这个 controller 单独的 FlowSchema 和 priority level，并减少 list。"}},
	{ID: HTTPSWanted, Giver: apiServer, signs: answer(400, "client sent an http request to an https server"), Name: Words{"wants https", "要求 https"},
		What:   Words{"The server{w} wants https, and the kubeconfig says http.", "服务器{w}要求 https，而 kubeconfig 写的是 http。"},
		Remedy: Words{"Correct the cluster’s server in the kubeconfig.", "改正 kubeconfig 里集群的 server。"}},
	{ID: Other, Giver: apiServer, Retries: true, Answer: Words{"sent an error", "返回错误"}, Name: Words{"server error", "服务器错误"},
		What:   Words{"The API server{w} answers with an error.", "API server{w}返回了错误。"},
		Remedy: Words{"Read the answer, and the log of the API server or of the proxy before it.", "请读它的回答，并查看 API server 或它前面的代理的日志。"}},

	{ID: RelayGone, Giver: ownServer, Before: true, Retries: true, signs: noAnswer("websocket", "the relay"), Name: Words{"no server", "连不上服务器"},
		What:   Words{"The informerscope server does not answer.", "连不上 informerscope 服务器。"},
		Remedy: Words{"Check whether it still runs.", "看看它是否还在运行。"}},
	{ID: RelaySilent, Giver: ownServer, Before: true, Retries: true, Name: Words{"no sign of life", "无响应"},
		What: Words{"The informerscope server is not responding, so what you see may be out of date.",
			"informerscope 服务器无响应，这里的内容可能已过时。"},
		Remedy: Words{"Check whether it was paused, and whether this computer’s network is up.", "看看它是否被暂停，或本机网络是否中断。"}},
	{ID: Token, Giver: ownServer, Before: true, Name: Words{"another launch’s link", "另一次启动的链接"},
		What:   Words{"The server runs, but this page’s link is from another launch.", "服务器在运行，但本页的链接来自另一次启动。"},
		Remedy: Words{"Enter the new link, which the server printed when it started.", "请输入服务器启动时打印的新链接。"}},
	{ID: Viewers, Giver: ownServer, Before: true, Retries: true, Name: Words{"too many viewers", "连接的页面已满"},
		What: Words{"The server serves as many viewers as it allows.", "连接到服务器的页面已达上限。"},
		Remedy: Words{"Close a page that is not needed, or start the server with a larger --max-viewers, then try again.",
			"关掉不用的页面，或用更大的 --max-viewers 启动服务器，然后重试。"}},
	{ID: ProbeGone, Giver: attachedOne, Before: true, Retries: true, Name: Words{"process gone", "进程不在"},
		What: Words{"The attached process does not answer.", "已连接的进程无响应。"},
		Remedy: Words{"Check whether it runs and, if it is in a cluster, whether kubectl port-forward does. This page tries again by itself.",
			"看看它是否在运行；若在集群里，看看 kubectl port-forward 是否还在。本页会自动重试。"}},
	{ID: ProbeRefused, Giver: attachedOne, Before: true, Name: Words{"no probe there", "不是 probe"},
		What:   Words{"What answers is not a probe, or the probe refuses.", "响应的不是 probe，或 probe 拒绝了请求。"},
		Remedy: Words{"Check the URL of --attach, and the token.", "检查 --attach 的 URL 和 token。"}},

	{ID: Proxy, Giver: proxy, Before: true, Retries: true, signs: append(noAnswer("proxyconnect ", "socks connect "), answer(407)...),
		Name: Words{"proxy fails", "代理失败"},
		What: Words{"The proxy on the way to the cluster{w} does not work.", "通往集群{w}的代理不通。"},
		Remedy: Words{"Check proxy-url in the kubeconfig and HTTPS_PROXY where the server was started. The state of the cluster itself is not known.",
			"检查 kubeconfig 的 proxy-url 和启动服务器处的 HTTPS_PROXY；集群本身的状况未知。"}},
	{ID: Refused, Giver: network, Retries: true, signs: noAnswer("connection refused", "econnrefused", "actively refused"),
		Name:   Words{"connection refused", "连接被拒绝"},
		What:   Words{"The cluster{w} refuses connections.", "集群{w}拒绝连接。"},
		Remedy: Words{"Check whether its API server runs.", "看看它的 API server 是否在运行。"}},
	{ID: Frozen, Giver: network, Retries: true, signs: noAnswer("client connection lost", "tls handshake timeout"), Name: Words{"stands still", "停住了"},
		What:   Words{"The API server{w} has stopped answering on an open connection.", "API server{w}在已有的连接上不再响应。"},
		Remedy: Words{"It may be frozen or overloaded, or the network between may drop packets.", "它可能卡住或过载，或中间的网络丢包。"}},
	{ID: Reset, Giver: network, Retries: true, signs: noAnswer("reset by peer", "broken pipe"), Name: Words{"connection broke", "连接断开"},
		What:   Words{"The connection to the cluster{w} was broken.", "与集群{w}的连接断开了。"},
		Remedy: Words{"The API server may be starting again.", "API server 可能正在重启。"}},
	{ID: DNS, Giver: network, Retries: true, signs: noAnswer("no such host", "server misbehaving"), Name: Words{"unknown host", "未知主机名"},
		What:   Words{"This computer’s DNS cannot resolve the name of the cluster’s server{w}.", "本机的 DNS 无法解析集群服务器的名字{w}。"},
		Remedy: Words{"Check whether the name is right, and whether a VPN is needed.", "检查名字是否正确，是否需要 VPN。"}},
	{ID: CertificateDate, Giver: handshake, signs: noAnswer("x509: certificate has expired or is not yet valid"), Name: Words{"certificate expired", "证书过期"},
		What:   Words{"The certificate of the cluster{w} has expired, or is not valid yet.", "集群{w}的证书已过期，或尚未生效。"},
		Remedy: Words{"Renew it on the cluster, and check whether this computer’s clock is right.", "在集群上更新证书，并检查本机时钟。"}},
	{ID: CertificateIssuer, Giver: handshake, signs: noAnswer("x509: certificate signed by unknown authority"),
		Name: Words{"unknown certificate", "未知的证书"},
		What: Words{"The certificate of the cluster{w} is not one that this kubeconfig trusts.", "这个 kubeconfig 不信任集群{w}的证书。"},
		Remedy: Words{"Check certificate-authority-data: the cluster may have been created again, or something on the way answers in its place.",
			"检查 certificate-authority-data：集群可能重建过，或途中有别的东西在代答。"}},
	{ID: PlainHTTP, Giver: handshake, signs: noAnswer("server gave http response to https client"), Name: Words{"speaks http", "只支持 HTTP"},
		What:   Words{"The server{w} speaks plain http, and the kubeconfig says https.", "服务器{w}只支持 HTTP，而 kubeconfig 写的是 https。"},
		Remedy: Words{"Correct the cluster’s server in the kubeconfig.", "改正 kubeconfig 里集群的 server。"}},
	{ID: TLS, Giver: handshake, signs: noAnswer("x509", "tls: "), Name: Words{"TLS fails", "TLS 失败"},
		What: Words{"No secure connection to the cluster{w} can be made.", "无法与集群{w}建立安全连接。"},
		Remedy: Words{"Check whether its address is right, and whether something on the way answers in its place.",
			"检查地址是否正确，途中是否有别的东西在代答。"}},
	{ID: Timeout, Giver: network, Retries: true, signs: noAnswer("i/o timeout", "deadline exceeded", "timeout awaiting response headers"),
		Name:   Words{"no answer in time", "超时无响应"},
		What:   Words{"The cluster{w} does not answer in time.", "集群{w}未及时响应。"},
		Remedy: Words{"Check whether a VPN or a firewall is in the way.", "检查 VPN 或防火墙。"}},
	{ID: Unreachable, Giver: network, Retries: true, signs: noAnswer("unreachable", "no route to host", "network is", "dial "),
		Name:   Words{"no route", "没有路由"},
		What:   Words{"There is no way to the cluster{w}.", "无法到达集群{w}。"},
		Remedy: Words{"Check whether the network to it, or a VPN, is up.", "检查到它的网络或 VPN。"}},

	{ID: Kubeconfig, Giver: kubeconfig, Answer: Words{"not asked", "未询问"}, Name: Words{"kubeconfig", "kubeconfig"},
		What:   Words{"The kubeconfig cannot be used.", "kubeconfig 不能用。"},
		Remedy: Words{"The reason is below.", "原因见下方。"}},
	{ID: NoContext, Giver: kubeconfig, Answer: Words{"not asked", "未询问"}, Name: Words{"no such context", "没有这个 context"},
		What:   Words{"The context {c} cannot be used.", "context “{c}”不能用。"},
		Remedy: Words{"Choose another one, or add it to the kubeconfig.", "请选别的，或把它加进 kubeconfig。"}},
	{ID: ContextNotServed, Giver: ownServer, Answer: Words{"not asked", "未询问"}, Name: Words{"context not served", "未开放的 context"},
		What:   Words{"This server does not serve the context {c}.", "这个服务器不开放 context “{c}”。"},
		Remedy: Words{"Choose another one, or start the server with --contexts that name it.", "请选别的，或用包含它的 --contexts 启动服务器。"}},
	{ID: NamespaceMissing, Giver: apiServer, Retries: true, Answer: Words{"none there", "不存在"}, Name: Words{"no such namespace", "没有这个 namespace"},
		What:   Words{"There is no namespace {nsName} in this cluster.", "这个集群里没有 namespace “{nsName}”。"},
		Remedy: Words{"Choose another one; if it is created, it shows here.", "请选别的；一旦创建，这里就会显示。"}},
}
