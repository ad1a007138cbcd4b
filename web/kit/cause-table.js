// @ts-check
// Made by go run ./tools/webtypes from the table of core/words/cause; not to be edited.

/**
 * The words of each cause, in English and 简体中文: two or three words, what is wrong, what to do, and what the API server did, if it answered. {c} is the
 * context, {w} where it is, {ns} the namespace, {res} the resource; web/kit/trouble.js fills these and the others in.
 * @type {Record<string, {name: [string, string], what: [string, string], remedy: [string, string], answer?: [string, string]}>}
 */
export const causes = {
  'webhook': {
    name: ['webhook fails', 'webhook 失败'],
    what: [
      'The API server cannot convert {res}: the conversion webhook{hook} fails.',
      'API server 无法转换 {res}：转换 webhook{hook}失败。',
    ],
    remedy: [
      'Check the webhook’s Service and pods, and spec.conversion of the CRD.',
      '检查 webhook 的 Service 和 pod，以及 CRD 的 spec.conversion。',
    ],
    answer: ['webhook fails', 'webhook 失败'],
  },
  'storage': {
    name: ['storage fails', '存储失败'],
    what: ['The API server{w} runs, and its etcd does not answer.', 'API server{w}在运行，但它的 etcd 无响应。'],
    remedy: ['Check etcd: its members, disk and certificates.', '检查 etcd：成员、磁盘和证书。'],
    answer: ['storage fails', '存储失败'],
  },
  'oidc-token': {
    name: ['id-token expired', 'id-token 过期'],
    what: [
      'The kubeconfig’s OIDC id-token has expired, and there is no refresh token.',
      'kubeconfig 的 OIDC id-token 已过期，又没有 refresh token。',
    ],
    remedy: ['Log in again: trying again cannot help.', '请重新登录：重试没有用。'],
  },
  'oidc-issuer': {
    name: ['issuer fails', '签发方失败'],
    what: [
      'The OIDC issuer gives no new id-token; the cluster was not asked.',
      'OIDC 签发方没有给出新的 id-token；没有询问集群。',
    ],
    remedy: [
      'Check idp-issuer-url and the network to it; if it refuses, log in again.',
      '检查 idp-issuer-url 和到它的网络；若被拒绝，请重新登录。',
    ],
  },
  'exec-plugin': {
    name: ['login helper fails', '登录插件失败'],
    what: ['The command that gets credentials for {c} fails.', '为“{c}”取凭据的命令失败了。'],
    remedy: ['Run it in a terminal; its own output is below.', '在终端里运行它；其原始输出见下方。'],
  },
  'exec-waiting': {
    name: ['waits for login', '等待登录'],
    what: ['The command that gets credentials for {c} has not ended yet.', '为“{c}”取凭据的命令还没有结束。'],
    remedy: [
      'It may wait for a browser, or for a password where the server was started.',
      '它可能在等浏览器登录，或在启动服务器的终端等密码。',
    ],
  },
  'credentials': {
    name: ['no credentials', '没有凭据'],
    what: ['The kubeconfig’s credentials for {c} cannot be used.', '“{c}”的 kubeconfig 凭据不能用。'],
    remedy: ['Log in again with the kubeconfig’s own means.', '用 kubeconfig 自己的方式重新登录。'],
  },
  'client-certificate': {
    name: ['client certificate', '客户端证书'],
    what: ['The cluster{w} does not accept the kubeconfig’s client certificate.', '集群{w}不接受 kubeconfig 的客户端证书。'],
    remedy: [
      'It may have expired or belong to another cluster: renew the kubeconfig.',
      '它可能已过期，或属于别的集群：请更新 kubeconfig。',
    ],
  },
  'unauthorized': {
    name: ['401 Unauthorized', '401 Unauthorized'],
    what: ['The cluster{w} does not accept these credentials (401).', '集群{w}不接受这些凭据（401）。'],
    remedy: [
      'They may have expired: log in again, or renew the token. A role does not help: the cluster does not know who asks.',
      '它们可能已过期：请重新登录，或更新 token。加 Role 没有用：集群不知道是谁在请求。',
    ],
    answer: ['sent 401', '返回 401'],
  },
  'forbidden': {
    name: ['403 Forbidden', '403 Forbidden'],
    what: ['{user} may not {verb} {res} {ns} (403).', '{user}无权 {verb} {ns}的 {res}（403）。'],
    remedy: [
      'Grant {role} with the verbs get, list and watch for {res}, or choose a namespace that may be read. A rule with resourceNames allows only requests that select that name.',
      '授予{role}，含对 {res} 的 get、list、watch；或选一个有权读取的 namespace。带 resourceNames 的规则只允许选中该名字的请求。',
    ],
    answer: ['sent 403', '返回 403'],
  },
  'no-watch': {
    name: ['no watch', '不支持 watch'],
    what: [
      '{res} cannot be watched here: the API server has no watch for this resource (405).',
      '这里不能 watch {res}：API server 对该资源没有 watch（405）。',
    ],
    remedy: ['No informer works for it: list it now and then instead.', '它不能用 informer：请改为定期 list。'],
    answer: ['sent 405', '返回 405'],
  },
  'not-served': {
    name: ['not served', '不提供'],
    what: [
      '{res} cannot be watched here: the cluster does not serve this resource.',
      '这里不能 watch {res}：集群不提供该资源。',
    ],
    remedy: [
      'If it is a custom resource, look whether its definition was deleted, or serves another version.',
      '若是自定义资源，看看它的定义是否被删除，或改为提供别的版本。',
    ],
    answer: ['not served', '不提供'],
  },
  'compacted': {
    name: ['410 Expired', '410 Expired'],
    what: ['The version that was asked for is compacted (410 Expired).', '所请求的版本已被清除（410 Expired）。'],
    remedy: [
      'Keep bookmarks on, look for a Reflector that is blocked by a slow store, and at the API server’s watch cache and compaction.',
      '保持书签开启，检查 Reflector 是否被慢的本地缓存阻塞，以及 API server 的 watch cache 和 compaction。',
    ],
    answer: ['sent 410', '返回 410'],
  },
  'behind': {
    name: ['API server behind', 'API server 落后'],
    what: [
      'The API server has not reached the version that was asked for (504, Too large resource version).',
      'API server 还没有所请求的版本（504，Too large resource version）。',
    ],
    remedy: [
      'One API server behind the load balancer lags, or etcd was restored from an older copy: compare the versions that it names.',
      '负载均衡后面有 API server 落后，或 etcd 从旧的备份恢复：对比它给出的版本。',
    ],
    answer: ['sent 504', '返回 504'],
  },
  'starting': {
    name: ['watch cache fills', 'watch cache 填充中'],
    what: [
      'The API server’s watch cache for {res} is not ready (429).',
      'API server 对 {res} 的 watch cache 还没就绪（429）。',
    ],
    remedy: [
      'After a start it takes seconds. If it stays so, look at the API server’s log: it cannot list the resource itself.',
      '刚启动时要几秒。若一直如此，看 API server 的日志：它自己也 list 不出该资源。',
    ],
    answer: ['sent 429', '返回 429'],
  },
  'overloaded': {
    name: ['429 Too Many Requests', '429 Too Many Requests'],
    what: ['The API server sheds load (429 Too Many Requests).', 'API server 在限流（429 Too Many Requests）。'],
    remedy: [
      'Give this controller a FlowSchema and a priority level of its own, and list less.',
      '给这个 controller 单独的 FlowSchema 和 priority level，并减少 list。',
    ],
    answer: ['sent 429', '返回 429'],
  },
  'https-wanted': {
    name: ['wants https', '要求 https'],
    what: ['The server{w} wants https, and the kubeconfig says http.', '服务器{w}要求 https，而 kubeconfig 写的是 http。'],
    remedy: ['Correct the cluster’s server in the kubeconfig.', '改正 kubeconfig 里集群的 server。'],
  },
  'other': {
    name: ['server error', '服务器错误'],
    what: ['The API server{w} answers with an error.', 'API server{w}返回了错误。'],
    remedy: [
      'Read the answer, and the log of the API server or of the proxy before it.',
      '请读它的回答，并查看 API server 或它前面的代理的日志。',
    ],
    answer: ['sent an error', '返回错误'],
  },
  'relay-gone': {
    name: ['no server', '连不上服务器'],
    what: ['The informerscope server does not answer.', '连不上 informerscope 服务器。'],
    remedy: ['Check whether it still runs.', '看看它是否还在运行。'],
  },
  'relay-silent': {
    name: ['no sign of life', '无响应'],
    what: [
      'The informerscope server is not responding, so what you see may be out of date.',
      'informerscope 服务器无响应，这里的内容可能已过时。',
    ],
    remedy: [
      'Check whether it was paused, and whether this computer’s network is up.',
      '看看它是否被暂停，或本机网络是否中断。',
    ],
  },
  'token': {
    name: ['another launch’s link', '另一次启动的链接'],
    what: [
      'The server runs, but this page’s link is from another launch.',
      '服务器在运行，但本页的链接来自另一次启动。',
    ],
    remedy: ['Enter the new link, which the server printed when it started.', '请输入服务器启动时打印的新链接。'],
  },
  'viewers': {
    name: ['too many viewers', '连接的页面已满'],
    what: ['The server serves as many viewers as it allows.', '连接到服务器的页面已达上限。'],
    remedy: [
      'Close a page that is not needed, or start the server with a larger --max-viewers, then try again.',
      '关掉不用的页面，或用更大的 --max-viewers 启动服务器，然后重试。',
    ],
  },
  'probe-gone': {
    name: ['process gone', '进程不在'],
    what: ['The attached process does not answer.', '已连接的进程无响应。'],
    remedy: [
      'Check whether it runs and, if it is in a cluster, whether kubectl port-forward does. This page tries again by itself.',
      '看看它是否在运行；若在集群里，看看 kubectl port-forward 是否还在。本页会自动重试。',
    ],
  },
  'probe-refused': {
    name: ['no probe there', '不是 probe'],
    what: ['What answers is not a probe, or the probe refuses.', '响应的不是 probe，或 probe 拒绝了请求。'],
    remedy: ['Check the URL of --attach, and the token.', '检查 --attach 的 URL 和 token。'],
  },
  'proxy': {
    name: ['proxy fails', '代理失败'],
    what: ['The proxy on the way to the cluster{w} does not work.', '通往集群{w}的代理不通。'],
    remedy: [
      'Check proxy-url in the kubeconfig and HTTPS_PROXY where the server was started. The state of the cluster itself is not known.',
      '检查 kubeconfig 的 proxy-url 和启动服务器处的 HTTPS_PROXY；集群本身的状况未知。',
    ],
  },
  'refused': {
    name: ['connection refused', '连接被拒绝'],
    what: ['The cluster{w} refuses connections.', '集群{w}拒绝连接。'],
    remedy: ['Check whether its API server runs.', '看看它的 API server 是否在运行。'],
  },
  'frozen': {
    name: ['stands still', '停住了'],
    what: ['The API server{w} has stopped answering on an open connection.', 'API server{w}在已有的连接上不再响应。'],
    remedy: [
      'It may be frozen or overloaded, or the network between may drop packets.',
      '它可能卡住或过载，或中间的网络丢包。',
    ],
  },
  'reset': {
    name: ['connection broke', '连接断开'],
    what: ['The connection to the cluster{w} was broken.', '与集群{w}的连接断开了。'],
    remedy: ['The API server may be starting again.', 'API server 可能正在重启。'],
  },
  'dns': {
    name: ['unknown host', '未知主机名'],
    what: [
      'This computer’s DNS cannot resolve the name of the cluster’s server{w}.',
      '本机的 DNS 无法解析集群服务器的名字{w}。',
    ],
    remedy: ['Check whether the name is right, and whether a VPN is needed.', '检查名字是否正确，是否需要 VPN。'],
  },
  'server-certificate-expired': {
    name: ['certificate expired', '证书过期'],
    what: ['The certificate of the cluster{w} has expired, or is not valid yet.', '集群{w}的证书已过期，或尚未生效。'],
    remedy: [
      'Renew it on the cluster, and check whether this computer’s clock is right.',
      '在集群上更新证书，并检查本机时钟。',
    ],
  },
  'server-certificate-unknown': {
    name: ['unknown certificate', '未知的证书'],
    what: [
      'The certificate of the cluster{w} is not one that this kubeconfig trusts.',
      '这个 kubeconfig 不信任集群{w}的证书。',
    ],
    remedy: [
      'Check certificate-authority-data: the cluster may have been created again, or something on the way answers in its place.',
      '检查 certificate-authority-data：集群可能重建过，或途中有别的东西在代答。',
    ],
  },
  'plain-http': {
    name: ['speaks http', '只支持 HTTP'],
    what: [
      'The server{w} speaks plain http, and the kubeconfig says https.',
      '服务器{w}只支持 HTTP，而 kubeconfig 写的是 https。',
    ],
    remedy: ['Correct the cluster’s server in the kubeconfig.', '改正 kubeconfig 里集群的 server。'],
  },
  'tls': {
    name: ['TLS fails', 'TLS 失败'],
    what: ['No secure connection to the cluster{w} can be made.', '无法与集群{w}建立安全连接。'],
    remedy: [
      'Check whether its address is right, and whether something on the way answers in its place.',
      '检查地址是否正确，途中是否有别的东西在代答。',
    ],
  },
  'timeout': {
    name: ['no answer in time', '超时无响应'],
    what: ['The cluster{w} does not answer in time.', '集群{w}未及时响应。'],
    remedy: ['Check whether a VPN or a firewall is in the way.', '检查 VPN 或防火墙。'],
  },
  'unreachable': {
    name: ['no route', '没有路由'],
    what: ['There is no way to the cluster{w}.', '无法到达集群{w}。'],
    remedy: ['Check whether the network to it, or a VPN, is up.', '检查到它的网络或 VPN。'],
  },
  'kubeconfig': {
    name: ['kubeconfig', 'kubeconfig'],
    what: ['The kubeconfig cannot be used.', 'kubeconfig 不能用。'],
    remedy: ['The reason is below.', '原因见下方。'],
    answer: ['not asked', '未询问'],
  },
  'context': {
    name: ['no such context', '没有这个 context'],
    what: ['The context {c} cannot be used.', 'context “{c}”不能用。'],
    remedy: ['Choose another one, or add it to the kubeconfig.', '请选别的，或把它加进 kubeconfig。'],
    answer: ['not asked', '未询问'],
  },
  'context-not-served': {
    name: ['context not served', '未开放的 context'],
    what: ['This server does not serve the context {c}.', '这个服务器不开放 context “{c}”。'],
    remedy: [
      'Choose another one, or start the server with --contexts that name it.',
      '请选别的，或用包含它的 --contexts 启动服务器。',
    ],
    answer: ['not asked', '未询问'],
  },
  'namespace-missing': {
    name: ['no such namespace', '没有这个 namespace'],
    what: ['There is no namespace {nsName} in this cluster.', '这个集群里没有 namespace “{nsName}”。'],
    remedy: ['Choose another one; if it is created, it shows here.', '请选别的；一旦创建，这里就会显示。'],
    answer: ['none there', '不存在'],
  },
};
