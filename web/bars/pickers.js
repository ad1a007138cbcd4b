// @ts-check
// The pickers of the top bar: where the objects come from, which resource, which namespace. What cannot be chosen is shown with why.
import { h, menuRow } from '../kit/dom.js';
import { exact, middle } from '../kit/format.js';
import * as fragment from '../wire/fragment.js';
import { addWords } from '../kit/i18n.js';
import { searchList } from '../kit/popup.js';
import { remedies } from '../kit/remedy.js';
import { plain, trouble } from '../kit/trouble.js';

/** @typedef {import('../wire/page-types.js').Ctx} Ctx */
/** @typedef {{group: string, version: string, resource: string, kind: string, namespaced: boolean, unwatchable?: string}} Entry */

addWords({
  'pick.typeNs': ['type a namespace, or search', '输入 namespace 或搜索'],
  'pick.use': ['show namespace {ns}', '查看 namespace {ns}'],
  'pick.default': ['default of the context', 'context 的默认'],
  'pick.recent': ['used before', '用过'],
  'pick.offer': ['may be readable', '也许可读'],
  'pick.asking': ['Asking the cluster for its namespaces; you can type a name meanwhile.', '正在询问集群有哪些 namespace；可以先输入名字。'],
  'pick.nsForbidden': ['This user may not list the cluster’s namespaces. Type the name of one that you may read.', '这个用户无权列出集群的 namespace。请输入一个有权读取的名字。'],
  'pick.nsNotServed': [
    'The server was started with --resources, and namespaces are not among them, so it does not list them. Type a name.',
    '服务器启动时的 --resources 里没有 namespaces，所以不列出。请输入名字。',
  ],
  'pick.nsUnreachable': ['The cluster cannot be asked for its namespaces now. Type a name.', '现在无法询问集群的 namespace。请输入名字。'],
  'pick.nsBad': ['{ns} is not the name of a namespace: small letters, digits and hyphens, at most 63 of them.', '{ns} 不是 namespace 的名字：小写字母、数字和连字符，最多 63 个。'],
  'pick.askingResources': ['Asking the cluster which resources it serves…', '正在询问集群提供什么……'],
  'pick.several': ['several…', '多个…'],
  'pick.severalTitle': ['Choose up to {n} resources: a factory then has an informer for each', '最多选 {n} 种资源：factory 为每种建一个 informer'],
  'pick.watch': ['Watch {n} together', '一起看 {n} 种'],
  'pick.atMost': ['Up to {n} resources can be watched together.', '最多可以一起看 {n} 种资源。'],
  'pick.groupDown': ['the whole API group', '整个 API group'],
  'pick.attached': ['the attached process', '已连接的进程'],
  'pick.attachedAll': ['all its informers', '它的全部 informer'],
  'pick.attachedNote': ['{n} [n:informer|informers] of client-go {v}, observed only', 'client-go {v} 的 {n} 个 informer，只观察'],
  'pick.attachedObjects': ['{n} [n:object|objects]', '{n} 个对象'],
  'pick.attachedOff': ['not seen: {w}', '看不到：{w}'],
  'pick.attachedNone': ['The process has not given the probe an informer yet.', '进程还没有把 informer 交给 probe。'],
  'pick.cluster': ['cluster {c}', '集群 {c}'],
  'pick.user': ['user {u}', '用户 {u}'],
  'pick.ns': ['namespace {ns}', 'namespace {ns}'],
});

/** Which namespaces were used with each context, newest first; the browser keeps them for the next time. */
const kept = 'informerscope.namespaces';

/** @param {string} context @returns {string[]} */
function usedIn(context) {
  try {
    const list = JSON.parse(localStorage.getItem(kept) ?? '{}')[context];
    return Array.isArray(list) ? list.filter((ns) => typeof ns === 'string' && isNamespaceName(ns)).slice(0, 8) : [];
  } catch {
    return []; // a browser that keeps nothing, or what it kept is damaged
  }
}

/** @param {string} context @param {string} ns */
export function remember(context, ns) {
  if (!ns) return;
  try {
    const old = JSON.parse(localStorage.getItem(kept) ?? '{}');
    const all = /** @type {[string, string[]][]} */ (Object.entries(old && typeof old === 'object' ? old : {})).filter(([c]) => c !== context).slice(-19);
    localStorage.setItem(kept, JSON.stringify(Object.fromEntries([...all, [context, [ns, ...usedIn(context).filter((x) => x !== ns)].slice(0, 8)]])));
  } catch {
    // It is a convenience.
  }
}

/** Whether a namespace can be called so. @param {string} ns */
function isNamespaceName(ns) {
  return /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(ns);
}

/**
 * Chooses a namespace: from those that the cluster lists, or, whether it lists them or not, by typing its name.
 * @param {Ctx} ctx @param {HTMLElement} anchor
 */
export function openNamespaces(ctx, anchor) {
  const { t } = ctx;
  const { source, resource } = ctx.model.state;
  const cur = resource.namespace;
  const usual = source.namespace ?? '';
  const offer = trouble(ctx)?.offer ?? '';
  const used = usedIn(source.context ?? '');
  // What is known without asking: all of them, the context's own, what was offered, what was used before.
  const own = [...new Set(['', cur, usual, offer, ...used])].filter((n, i) => i === 0 || n);
  /** What the cluster lists. @type {string[]} */
  let listed = [];
  let complete = false;
  own.sort((a, b) => Number(a !== '') - Number(b !== '') || Number(b === usual) - Number(a === usual));
  ctx.popup(anchor, (root, close) => {
    const note = h('p', { class: 'note', role: 'status' }, t('pick.asking'));
    const tell = (/** @type {string} */ words, bad = false) => {
      note.className = bad ? 'note bad' : 'note';
      note.textContent = words;
      note.hidden = !words;
    };
    const field = searchList(root, {
      items: /** @type {(string | {typed: string})[]} */ (own),
      words: (n) => (typeof n === 'object' ? n.typed : n || t('top.allNs')),
      row: (n) => typeof n === 'object'
        ? { label: t('pick.use', { ns: middle(n.typed, 40) }), title: n.typed }
        : { label: n ? middle(n, 40) : t('top.allNs'), on: n === cur, title: n,
          aside: !n ? '' : n === usual ? t('pick.default') : n === offer ? t('pick.offer') : used.includes(n) ? t('pick.recent') : '' },
      choose: (n) => {
        const ns = typeof n === 'object' ? n.typed : n;
        if (typeof n === 'object' && !isNamespaceName(ns)) {
          field.setAttribute('aria-invalid', 'true');
          tell(t('pick.nsBad', { ns: `“${middle(ns, 40)}”` }), true);
          field.focus();
          return;
        }
        close();
        remember(source.context ?? '', ns);
        ctx.act('select', { namespace: ns });
      },
      // Where the cluster lists its namespaces a part of a name is enough; what it does not list must be typed whole, and is the first choice.
      typed: (text) => {
        const q = text.toLowerCase();
        if (own.includes(text) || listed.includes(text)) return null;
        return { item: { typed: text }, first: !t('top.allNs').toLowerCase().startsWith(q) && !(complete && listed.some((n) => n.includes(q))) };
      },
      placeholder: t('pick.typeNs'),
      none: t('top.noNs'),
    });
    field.addEventListener('input', () => {
      if (!field.hasAttribute('aria-invalid')) return;
      field.removeAttribute('aria-invalid');
      tell('');
    });
    root.append(note);
    ctx.call('namespaces').then(
      (o) => {
        if (!root.isConnected) return;
        listed = (Array.isArray(o) ? o : o?.items) ?? [];
        const why = /** @type {Record<string, string>} */ ({ forbidden: 'pick.nsForbidden', 'not-served': 'pick.nsNotServed',
          unreachable: 'pick.nsUnreachable' })[o?.reason ?? ''];
        complete = listed.length > 0 && !why && !o?.error;
        tell(why ? t(why) : plain(ctx, o?.error ?? ''), !why && !!o?.error);
        field.fillWith([...own, ...listed.filter((n) => !own.includes(n))]);
      },
      (err) => tell(`${t('pick.nsUnreachable')} ${plain(ctx, String(err?.message ?? err))}`),
    );
  }, { width: 400, label: 'namespace' });
}

/** How many resources can be watched together, as core/lab/selection allows. */
const most = 8;

/**
 * Chooses the resource: one with one press, or several after "several…".
 * @param {Ctx} ctx @param {HTMLElement} anchor
 */
export function openResources(ctx, anchor) {
  const { t } = ctx;
  const cur = ctx.model.state.resource;
  /** The names of those that are watched together. */
  const together = [...new Set((ctx.model.factory?.rows ?? []).filter((r) => !r.unshared).sort((a, b) => a.lane - b.lane).map((r) => r.resource))];
  /** Those that are chosen, in order; null while one press chooses one. @type {string[] | null} */
  let chosen = together.length > 1 ? together : null;
  const nameOf = (/** @type {Entry} */ r) => (r.group ? `${r.resource}.${r.group}` : r.resource);
  ctx.popup(anchor, (root, close) => {
    /** @type {Entry[]} */
    let all = [];
    const several = h('button', { class: 'key', type: 'button', title: t('pick.severalTitle', { n: most }) }, t('pick.several'));
    const watch = h('button', { class: 'key', type: 'button' });
    const note = h('p', { class: 'note', role: 'status', hidden: '' });
    const tell = () => {
      several.hidden = !!chosen;
      watch.hidden = !chosen;
      watch.textContent = t('pick.watch', { n: chosen?.length ?? 0 });
      /** @type {HTMLButtonElement} */ (watch).disabled = !chosen?.length;
      note.hidden = (chosen?.length ?? 0) < most;
      note.textContent = t('pick.atMost', { n: most });
    };
    const field = searchList(root, {
      items: /** @type {Entry[] | null} */ (null),
      words: (r) => `${r.resource}.${r.version}.${r.group} ${r.kind}`,
      row: (r) => ({
        label: r.resource ? middle(r.resource, 34) : middle(`${r.group}/${r.version}`, 48),
        aside: !r.resource ? '' : middle(r.group ? `${r.group}/${r.version}` : r.version, 36),
        lines: r.resource ? [] : [t('pick.groupDown')],
        on: !!r.resource && (chosen ? chosen.includes(nameOf(r)) : r.resource === cur.resource && r.group === cur.group &&
          (!cur.version || r.version === cur.version)),
        title: `${r.kind ?? ''} ${r.group}/${r.version}`.trim(), off: plain(ctx, r.unwatchable ?? ''),
      }),
      choose: (r) => {
        if (!chosen) {
          close();
          ctx.act('select', { group: r.group, version: r.version, resource: r.resource });
          return;
        }
        const name = nameOf(r);
        if (chosen.includes(name)) chosen = chosen.filter((x) => x !== name);
        else if (chosen.length < most) chosen = [...chosen, name];
        field.fillWith(all);
        tell();
      },
      placeholder: t('top.findResource'),
      none: t('top.noResource'),
      waiting: t('pick.askingResources'),
    });
    several.addEventListener('click', () => {
      chosen = [cur.group ? `${cur.resource}.${cur.group}` : cur.resource];
      field.fillWith(all);
      tell();
      field.focus();
    });
    watch.addEventListener('click', () => {
      close();
      const names = (chosen ?? []).map((name) => {
        const r = all.find((x) => nameOf(x) === name);
        return r ? fragment.formatResource(r) : name;
      });
      ctx.act('select', { resource: names.join(',') });
    });
    root.append(note, h('div', { class: 'btnrow' }, several, watch));
    tell();
    ctx.call('resources').then(
      (list) => {
        all = list ?? [];
        if (root.isConnected) field.fillWith(all);
      },
      (err) => {
        field.fillWith([]);
        root.append(h('p', { class: 'note bad', role: 'status' }, plain(ctx, String(err?.message ?? err))));
      },
    );
  }, { width: 480, label: t('top.resource') });
}

/** The names of the informers that show. @param {Ctx} ctx */
function shownOf({ model }) {
  const rows = model.factory?.rows ?? [];
  if (rows.length) return [...new Set(rows.map((r) => r.resource))];
  const { resource, group } = model.state.resource;
  return [group ? `${resource}.${group}` : resource];
}

/**
 * @param {Ctx} ctx @param {HTMLElement} anchor
 * @param {{save: () => void, open: () => void}} does
 */
export function openSources(ctx, anchor, does) {
  const { t } = ctx;
  const st = ctx.model.state.source;
  ctx.popup(anchor, (root, close) => {
    root.append(h('h2', {}, t('top.sources')));
    // What is long is scrolled as one.
    const body = h('div', { class: 'whole flat' });
    root.append(body);
    const list = h('div', { class: 'list', role: 'listbox', 'aria-label': t('top.sources') });
    const row = (/** @type {string} */ label, /** @type {string[]} */ lines, /** @type {boolean} */ on, /** @type {() => void} */ f, error = '') => {
      return menuRow(close, f, { class: 'row tall', role: 'option', 'aria-selected': String(on) }, h('span', { class: 'tick' }),
        h('span', { class: 'rl' }, h('span', {}, label), ...lines.filter(Boolean).map((w) => h('small', {}, w)),
          ...(error ? [h('small', { class: 'off-why' }, error)] : [])));
    };
    list.append(row(t('top.simRow'), [t('top.simNote')], st.kind === 'sim', () => ctx.act('select', { source: 'sim', context: '' })));
    body.append(list);
    const tr = trouble(ctx);
    if (tr) {
      body.append(h('p', { class: 'note bad' }, tr.whole));
      if (tr.detail) body.append(h('p', { class: 'note', lang: 'en' }, tr.detail));
      const does2 = remedies(ctx);
      if (does2.length) {
        body.append(h('div', { class: 'btnrow' }, ...does2.map((d) => menuRow(close, d.act, { class: 'key', 'aria-label': d.name }, d.words))));
      }
    }
    // The process of --attach, where there is one.
    const probe = h('div', { hidden: '' });
    body.append(probe);
    if (ctx.relay) ctx.call('attached').then((o) => {
      if (!o?.offered) return;
      const names = shownOf(ctx);
      const rows = o.informers.map((i) => {
        const off = Object.keys(i.off ?? {}).sort().map((k) => (i.off ?? {})[k]);
        return row(i.name, [`${t('pick.attachedObjects', { n: exact(i.objects) })}${i.synced ? '' : ` · ${t('notSynced')}`}`,
          ...(off.length ? [t('pick.attachedOff', { w: [...new Set(off)].join('; ') })] : [])],
        st.kind === 'probe' && names.length === 1 && names[0] === i.name, () => ctx.act('select', { source: 'probe', resource: i.name }));
      });
      const all = row(t('pick.attachedAll'), [t('pick.attachedNote', { n: rows.length, v: o.clientGo })], st.kind === 'probe' && names.length > 1,
        () => ctx.act('select', { source: 'probe' }));
      if (rows.length > 1) rows.unshift(all);
      const words = o.error ? plain(ctx, o.error) : rows.length ? '' : t('pick.attachedNone');
      probe.append(h('div', { class: 'grp' }, t('pick.attached')), words ? h('p', { class: o.error ? 'note bad' : 'note' }, words)
        : h('div', { class: 'list', role: 'listbox', 'aria-label': t('pick.attached') }, ...rows));
      probe.hidden = false;
    }, () => {}); // the contexts below say why the relay does not answer
    const live = h('div', { class: 'list' });
    body.append(h('div', { class: 'grp' }, t('top.contexts')), live);
    live.append(h('p', { class: 'note' }, ctx.relay ? '…' : t('top.noRelay')));
    if (ctx.relay) ctx.call('sources').then(
      (o) => {
        const l = o?.live;
        /** @type {HTMLElement[]} */
        const rows = [];
        for (const c of l?.contexts ?? []) {
          // The address distinguishes clusters the least.
          const who = [c.cluster && c.cluster !== c.name ? t('pick.cluster', { c: c.cluster }) : '', c.user ? t('pick.user', { u: c.user }) : '',
            c.namespace ? t('pick.ns', { ns: c.namespace }) : ''].filter(Boolean).join(' · ');
          const [name, note] = c.simulated ? [t('top.sharedRow'), t('top.sharedNote')] : [c.name, who];
          rows.push(row(name, [note, c.server ?? ''], st.kind === 'live' && st.context === c.name,
            () => ctx.act('select', { source: 'live', context: c.name }), plain(ctx, c.error ?? '')));
        }
        if (rows.length) {
          live.setAttribute('role', 'listbox');
          live.setAttribute('aria-label', t('top.contexts'));
        }
        if (l?.error) rows.push(h('p', { class: 'note bad' }, plain(ctx, l.error)));
        if (l?.cause === 'token') {
          rows.push(h('div', { class: 'btnrow' }, menuRow(close, () => ctx.newLink?.(), { class: 'key' }, t('cause.link'))));
        }
        else if (!l) rows.push(h('p', { class: 'note' }, t('top.noRelay')));
        else if (!rows.length) rows.push(h('p', { class: 'note' }, t('top.noContexts')));
        live.replaceChildren(...rows);
      },
      (err) => live.replaceChildren(h('p', { class: 'note bad' }, plain(ctx, String(err?.message ?? err)))),
    );
    root.append(h('hr'), h('div', { class: 'grp' }, t('top.files')));
    for (const [k, f] of /** @type {[string, () => void][]} */ ([['top.save', does.save], ['top.open', does.open]])) {
      root.append(menuRow(close, f, {}, h('span', {}, t(k))));
    }
  }, { width: 520, label: t('top.sources') });
}
