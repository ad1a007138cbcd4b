// @ts-check
// The words of a broadcast: what a speaker's page says while it is on the air, and what a follower's page says of the speaker.
import { addWords } from './i18n.js';

addWords({
  'air.button': ['broadcast', '直播'],
  'air.title': ['Broadcast to an audience', '向观众直播'],
  'air.what': [
    'Whoever opens the audience link sees in their own browser what you see here, live, and can stop, step back and look around. Nobody '
      + 'but you acts.',
    '打开观众链接的人会在自己的浏览器里实时看到你在这里看到的内容，也可以停下、回退、自行查看。只有你能操作。',
  ],
  'air.bodies': ['The bodies of objects go out too (--broadcast-objects), redacted as everything is.', '对象内容也会发出（--broadcast-objects），与其他内容一样经过脱敏。'],
  'air.noBodies': [
    'Of an object its name, metadata that identifies it and its phase go out. Its body stays here, unless the server was started with '
      + '--broadcast-objects.',
    '对象只发出名称、用于识别的元数据和阶段。除非服务器以 --broadcast-objects 启动，其内容留在这里。',
  ],
  'air.asking': ['The server is asked…', '正在询问服务器…'],
  'air.notOffered': [
    'This server was started without --broadcast. Start it again with it, and open the address that it then prints.',
    '此服务器启动时没有 --broadcast。请带上它重新启动，然后打开它打印的地址。',
  ],
  'air.other': ['Another page of this server is on the air.', '此服务器的另一个页面正在直播。'],
  'air.begin': ['Go on the air', '开始直播'],
  'air.take': ['Go on the air in its place', '接替它直播'],
  'air.end': ['Stop', '停止'],
  'air.ended': ['Off the air. What was broadcast stays under the same link, as a recording.', '直播已停止。已播内容作为录制保留在同一链接下。'],
  'air.on': ['on the air', '直播中'],
  'air.lost': ['on the air, but the server does not answer', '直播中，但服务器没有应答'],
  'air.taken': ['Another page has taken the broadcast over.', '另一个页面接管了直播。'],
  'air.failed': ['The broadcast has stopped: {w}', '直播已中断：{w}'],
  'air.followers': ['{n} [n:follower|followers]', '{n} 位观众'],
  'air.sent': ['sent up to event {n}, {b} in all', '已发送到事件 {n}，共 {b}'],
  'air.behind': ['{n} [n:event is|events are] not sent yet', '还有 {n} 个事件未发送'],
  'air.skipped': ['A part of the log could not be sent, and followers went on behind it.', '日志有一部分未能发送，观众从其后继续。'],
  'air.link': ['audience link', '观众链接'],
  'air.qr': ['QR code of the audience link', '观众链接的二维码'],
  'air.copy': ['copy', '复制'],
  'air.copied': ['The audience link is copied.', '已复制观众链接。'],
  'air.uncopied': ['The browser does not let the page copy; the link stands selected.', '浏览器不允许页面复制；链接已选中。'],
  'air.large': ['show large', '放大显示'],
  'air.local': [
    'This address is this computer’s own, so nobody else reaches it. Others do when the server listens elsewhere (--listen) or is '
      + 'published at another address.',
    '这是本机自己的地址，其他人无法访问。让服务器监听别处（--listen）或以其他地址发布即可。',
  ],
  'air.scan': ['Scan to follow', '扫码跟随'],
  'air.menu': ['broadcast to an audience', '向观众直播'],
  'air.menu.x': ['a link and a QR code', '链接与二维码'],
  'air.lampTip': ['{phase}: {n}', '{phase}：{n}'],

  'hall.cast': ['{name} · broadcast', '{name} · 直播'],
  'hall.castSim': ['simulated · broadcast', '模拟 · 直播'],
  'hall.recorded': ['{name} · recording of a broadcast', '{name} · 直播录制'],
  'hall.recordedSim': ['simulated · recording of a broadcast', '模拟 · 直播录制'],
  'hall.joining': ['what was said so far is being fetched', '正在获取已讲的内容'],
  'hall.waiting': ['nobody is on the air yet', '还没有人直播'],
  'hall.following': ['following the speaker', '正在跟随讲者'],
  'hall.slow': ['you are {s} s behind: your connection is slow', '你落后 {s} 秒：你的网络较慢'],
  'hall.silent': ['the speaker’s server does not answer; trying again', '讲者的服务器没有应答；正在重试'],
  'hall.quiet': ['nothing comes from the speaker’s page; waiting', '讲者的页面没有传来内容；等待中'],
  'hall.unknown': ['this link’s token is not known here', '这里不认识此链接的 token'],
  'hall.over': ['the talk is over: this is its recording', '讲演已结束：这是它的录制'],
  'hall.damaged': ['a part of the talk cannot be read; trying again', '讲演有一部分无法读取；正在重试'],
  'hall.before': ['the speaker shows a moment from before you came', '讲者展示的是你到来之前的时刻'],
  'hall.first': ['What was said so far is being fetched.', '正在获取已讲的内容。'],
  'hall.own': ['you look around alone', '你在自行查看'],
  'hall.back': ['Back to the speaker', '回到讲者'],
  'hall.goOn': ['Go on with the talk', '继续讲演'],
  'hall.noAct': ['Only the speaker acts. You can stop, step, and look at any object.', '只有讲者能操作。你可以停下、单步、查看任何对象。'],

  'keys.a': ['broadcast; back to the speaker', '直播；观众：回到讲者'],
  'keys.Q': ['audience link as a large QR code', '放大显示观众链接的二维码'],
});
