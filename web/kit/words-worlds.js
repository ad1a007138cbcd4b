// @ts-check
// The words around the two maps, the cluster and the store.
import { addWords } from './i18n.js';

addWords({
  'worlds.cluster': ['The cluster', '集群'],
  'worlds.seen': ['The cluster, as it came', '集群（收到的部分）'],
  'worlds.store': ['This store', '本地缓存'],
  'worlds.objects': ['{n} {r}', '{n} 个 {r}'],
  'worlds.object': ['{n} object', '{n} 个对象'],
  'worlds.unsent': ['{n} {r}, {u} never sent here', '{n} 个 {r}，其中 {u} 个从不发来'],
  'worlds.apart': ['changes apart', '个变更之差'],
  'worlds.apartOne': ['change apart', '个变更之差'],
  'worlds.ofOne': ['of one object, {s} ago', '涉及一个对象，{s} 前'],
  'worlds.ofOneMany': ['of one object, the oldest {s} ago', '涉及一个对象，最早 {s} 前'],
  'worlds.of': ['of {n} {r}, the oldest {s} ago', '涉及 {n} 个 {r}，最早 {s} 前'],
  'worlds.same': ['the same', '相同'],
  'worlds.sameAll': ['the store has every change', '本地缓存已有全部变更'],
  'worlds.sameSent': ['the store has every change that is sent to it', '发来的变更本地缓存都有'],
  'worlds.sameSeen': ['as far as it came, {s} ago', '以 {s} 前收到的为准'],
  'worlds.old': ['no watch: nothing newer than {s} ago', '没有 watch：最新的也是 {s} 前的'],
  'worlds.unknown': ['Nothing is known of the cluster yet.', '对集群还一无所知。'],
  'worlds.none': ['none', '无'],
  'worlds.each': ['{n} a square', '每格 {n} 个'],
  'worlds.mark.same': ['the same in both', '两边相同'],
  'worlds.mark.older': ['newer in the cluster', '集群里更新'],
  'worlds.mark.missing': ['not in the store yet', '本地缓存还没有'],
  'worlds.mark.gone': ['gone from the cluster, still here', '集群里已删除，这里还有'],
  'worlds.mark.unsent': ['never sent to this informer', '从不发给这个 informer'],
  'worlds.mark.left': ['no longer sent, still here', '不再发来，这里还有'],
  'worlds.reduced': ['fields dropped', '字段已去掉'],
  'worlds.mapLabel': ['{name}: {n} {r}', '{name}：{n} 个 {r}'],
  'worlds.cellLabel': ['{k}, {m}', '{k}，{m}'],
});
