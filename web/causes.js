// @ts-check
// What can stand between the page and its cluster, in words for a person: for each cause its name in two or three words, the sentence that says
// what is wrong, and what to do. The server's own English text, which knows more of the single case, is told beside them.
import { addWords } from './i18n.js';

/**
 * cause → [name, sentence, what to do], each in English and 简体中文. {c} is the context, {w} where it is, {ns} the namespace, {res} the resource.
 * @type {Record<string, [[string, string], [string, string], [string, string]]>}
 */
const causes = {
  'token': [['another launch’s link', '另一次启动的链接'],
    ['The server runs, but this page’s link is of another launch.', '服务器在运行，但本页的链接来自另一次启动。'],
    ['Give the page the new link, which the server printed when it started.', '把服务器启动时打印的新链接交给本页。']],
  'viewers': [['too many viewers', '查看者已满'],
    ['The server serves as many viewers as it allows.', '服务器的查看者已达上限。'],
    ['Close a page that nobody needs, or start the server with a larger --max-viewers, then try again.', '关掉没人用的页面，或用更大的 --max-viewers 启动服务器，然后重试。']],
  'relay-gone': [['no server', '服务器无应答'],
    ['The informerscope server does not answer.', 'informerscope 服务器没有应答。'],
    ['See whether it still runs.', '看看它是否还在运行。']],
  'relay-silent': [['no sign of life', '没有响应'],
    ['The informerscope server gives no sign of life, so nothing here is known to be new.', 'informerscope 服务器没有响应，这里的内容可能已过时。'],
    ['See whether it was stopped, or whether this computer’s network was.', '看看它是否被暂停，或本机网络是否中断。']],
  'refused': [['connection refused', '连接被拒绝'],
    ['The cluster{w} refuses connections.', '集群{w}拒绝连接。'],
    ['See whether its API server runs.', '看看它的 API server 是否在运行。']],
  'dns': [['unknown host', '未知主机名'],
    ['The name of the cluster’s server{w} is not known to this computer’s DNS.', '本机的 DNS 不认识集群服务器的名字{w}。'],
    ['See whether the name is right, and whether a VPN is needed.', '检查名字是否正确，是否需要 VPN。']],
  'proxy': [['proxy fails', '代理失败'],
    ['The proxy on the way to the cluster{w} does not work.', '通往集群{w}的代理不通。'],
    ['See proxy-url in the kubeconfig and HTTPS_PROXY where the server was started; of the cluster itself nothing is known.',
      '检查 kubeconfig 的 proxy-url 和启动服务器处的 HTTPS_PROXY；集群本身的状况未知。']],
  'tls': [['TLS fails', 'TLS 失败'],
    ['No secure connection to the cluster{w} comes about.', '无法与集群{w}建立安全连接。'],
    ['See whether its address is right and whether something on the way answers in its place.', '检查地址是否正确，途中是否有别的东西在代答。']],
  'plain-http': [['speaks http', '只说 http'],
    ['The server{w} speaks plain http, and the kubeconfig says https.', '服务器{w}只说 http，而 kubeconfig 写的是 https。'],
    ['Correct the cluster’s server in the kubeconfig.', '改正 kubeconfig 里集群的 server。']],
  'https-wanted': [['wants https', '要求 https'],
    ['The server{w} wants https, and the kubeconfig says http.', '服务器{w}要求 https，而 kubeconfig 写的是 http。'],
    ['Correct the cluster’s server in the kubeconfig.', '改正 kubeconfig 里集群的 server。']],
  'server-certificate-expired': [['certificate expired', '证书过期'],
    ['The certificate of the cluster{w} has expired, or its time has not come.', '集群{w}的证书已过期，或尚未生效。'],
    ['Renew it on the cluster, and see whether this computer’s clock is right.', '在集群上更新证书，并检查本机时钟。']],
  'server-certificate-unknown': [['unknown certificate', '未知的证书'],
    ['The certificate of the cluster{w} is not one that this kubeconfig trusts.', '这个 kubeconfig 不信任集群{w}的证书。'],
    ['See certificate-authority-data: the cluster may have been made anew, or something on the way answers in its place.',
      '检查 certificate-authority-data：集群可能重建过，或途中有别的东西在代答。']],
  'client-certificate': [['client certificate', '客户端证书'],
    ['The cluster{w} does not accept the kubeconfig’s client certificate.', '集群{w}不接受 kubeconfig 的客户端证书。'],
    ['It may have expired or belong to another cluster: renew the kubeconfig.', '它可能已过期，或属于别的集群：请更新 kubeconfig。']],
  'timeout': [['no answer in time', '超时无应答'],
    ['The cluster{w} does not answer in time.', '集群{w}没有及时应答。'],
    ['See whether a VPN or a firewall is in the way.', '检查 VPN 或防火墙。']],
  'frozen': [['stands still', '停住了'],
    ['The API server{w} took the request and then said nothing more.', 'API server{w}收下请求后再没有响应。'],
    ['It may be frozen or overloaded.', '它可能卡住或过载。']],
  'reset': [['connection broke', '连接断开'],
    ['The connection to the cluster{w} was broken off.', '与集群{w}的连接被切断。'],
    ['The API server may be starting again.', 'API server 可能正在重启。']],
  'credentials': [['no credentials', '没有凭据'],
    ['The kubeconfig’s credentials for {c} cannot be used.', '“{c}”的 kubeconfig 凭据不能用。'],
    ['Log in again with the kubeconfig’s own means.', '用 kubeconfig 自己的方式重新登录。']],
  'exec-plugin': [['login helper fails', '登录插件失败'],
    ['The command that gets credentials for {c} fails.', '为“{c}”取凭据的命令失败了。'],
    ['Run it in a terminal; its own words are below.', '在终端里运行它；它自己的话在下面。']],
  'exec-waiting': [['waits for login', '等待登录'],
    ['The command that gets credentials for {c} has not ended yet.', '为“{c}”取凭据的命令还没有结束。'],
    ['It may wait for a browser, or for a password where the server was started.', '它可能在等浏览器登录，或在启动服务器的终端等密码。']],
  'kubeconfig': [['kubeconfig', 'kubeconfig'],
    ['The kubeconfig cannot be used.', 'kubeconfig 不能用。'],
    ['What is wrong in it is told below.', '问题见下面的说明。']],
  'context': [['no such context', '没有这个 context'],
    ['The context {c} cannot be used.', 'context “{c}”不能用。'],
    ['Choose another one, or add it to the kubeconfig.', '请选别的，或把它加进 kubeconfig。']],
  'context-not-served': [['context not served', '未开放的 context'],
    ['This server does not serve the context {c}.', '这个服务器不开放 context “{c}”。'],
    ['Choose another one, or start the server with --contexts that name it.', '请选别的，或用包含它的 --contexts 启动服务器。']],
  'unauthorized': [['401 Unauthorized', '401 Unauthorized'],
    ['The cluster{w} does not accept these credentials (401).', '集群{w}不接受这些凭据（401）。'],
    ['They may have expired: log in again with the kubeconfig’s own means.', '它们可能已过期：用 kubeconfig 自己的方式重新登录。']],
  'forbidden': [['403 Forbidden', '403 Forbidden'],
    ['This user may not list and watch {res} {ns} (403).', '这个用户无权 list 和 watch {ns}的 {res}（403）。'],
    ['Choose a namespace that the user may read, or ask for the right.', '选一个有权读取的 namespace，或申请权限。']],
  'namespace-missing': [['no such namespace', '没有这个 namespace'],
    ['There is no namespace {nsName} in this cluster.', '这个集群里没有 namespace “{nsName}”。'],
    ['Choose another one; if it is created, it shows here.', '请选别的；一旦创建，这里就会显示。']],
  'not-served': [['not served', '不提供'],
    ['{res} cannot be watched here.', '这里不能 watch {res}。'],
    ['Choose another resource.', '请选别的资源。']],
  'other': [['server error', '服务器错误'],
    ['The API server{w} answers with an error.', 'API server{w}返回了错误。'],
    ['It is told below.', '见下面的说明。']],
};

for (const [cause, [name, say, remedy]] of Object.entries(causes)) {
  addWords({ [`cause.${cause}.name`]: name, [`cause.${cause}.say`]: say, [`cause.${cause}.do`]: remedy });
}

addWords({
  'cause.everywhere': ['in all namespaces', '全部 namespace '],
  'cause.inNs': ['in the namespace {ns}', 'namespace “{ns}” '],
  'cause.where': [' at {s}', '（{s}）'],
  'cause.said': ['said in full', '完整的说明'],
  'cause.more': ['more', '详情'],
  'cause.moreLabel': ['more: all that is known of the trouble', '详情：关于这个故障所知的一切'],
  'cause.offer': ['show namespace {ns}', '改看 namespace {ns}'],
  'cause.again': ['try again', '重试'],
  'cause.link': ['give the new link…', '交出新链接…'],
  'cause.trouble': ['trouble', '故障'],
  'cause.lastError': ['the Reflector’s last error', 'Reflector 最近的错误'],

  'answer.unauthorized': ['says 401', '返回 401'],
  'answer.forbidden': ['says 403', '返回 403'],
  'answer.unreached': ['not reached', '未到达'],
  'answer.namespace-missing': ['none there', '不存在'],
  'answer.not-served': ['not served', '不提供'],
  'answer.kubeconfig': ['not asked', '未询问'],
  'answer.context': ['not asked', '未询问'],
  'answer.context-not-served': ['not asked', '未询问'],

  'err.broke': ['the connection broke in the middle of an answer', '连接在响应途中断开'],
  'err.closing': ['the server closes its connections', '服务器正在关闭连接'],
  'err.ended': ['the answer ended in the middle', '响应中途结束'],
  'err.short': ['the watch ended within a second, without an event', 'watch 不到一秒就结束，没有事件'],
  'err.refused': ['connection refused', '连接被拒绝'],
  'err.roundEnded': ['the last watch ended', '上一次 watch 结束了'],
});

/** Whether there are words for a cause. @param {string} cause */
export const known = (cause) => Object.hasOwn(causes, cause);

/** Every cause that has words. */
export const all = () => Object.keys(causes);
