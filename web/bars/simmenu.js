// @ts-check
// What a person can do to the simulated cluster: it hangs from the API server's name.
import { button, h } from '../kit/dom.js';
import { exact } from '../kit/format.js';
import { levers } from '../kit/commands.js';
import { appendKnobs } from './knobs.js';

/** @import { Lever, Param } from '../kit/commands.js' */

/**
 * @param {import('../wire/page-types.js').Ctx} ctx
 * @param {HTMLElement} anchor
 * @param {string} sample a key of the cluster, to propose a deployment
 */
export function openSimMenu(ctx, anchor, sample) {
  const { t } = ctx;
  const st = ctx.model.state;
  ctx.popup(anchor, (root, close) => {
    root.append(h('h2', {}, t('sim.title')));
    // The menu covers the stations that show what was done.
    const did = (/** @type {Promise<any>} */ p) => {
      close();
      return p.then((said) => {
        if (said) ctx.say(String(said));
      });
    };
    /** What a field proposes, by parameter. @type {Record<string, string>} */
    const proposals = { deployment: deploymentOf(sample, st.resource.resource), pod: ctx.selected() || sample, replicas: '3' };
    /** @type {Map<string, HTMLInputElement>} */
    const inputs = new Map();
    /** The arguments that a field gives. @param {Param} p */
    const read = ({ name, members: [first, second], max }) => {
      const v = inputs.get(name)?.value.trim() ?? '';
      if (max) return { [first]: Math.max(0, Math.round(Number(v) || 0)) };
      if (!second) return { [first]: v };
      const i = v.indexOf('/');
      return i < 0 ? { [first]: st.resource.namespace || 'default', [second]: v } : { [first]: v.slice(0, i), [second]: v.slice(i + 1) };
    };
    /** The buttons of a lever: one, or one for each number that it offers. @param {Lever} l */
    const keys = (l) => {
      const key = (/** @type {string} */ words, /** @type {string} */ call, /** @type {() => object} */ args) =>
        button({ class: 'key', 'data-call': call }, () => did(ctx.act('cluster', l.name, args())), t(words));
      const isOn = l.held && (l.name === 'crowd' ? st.api.crowd : ctx.model.fault(l.strikes ?? '')?.on);
      if (!l.offers) return [key(`sim.${l.name}`, `cluster ${l.name}`, () => Object.assign({}, ...(l.params ?? []).map(read)))];
      return (isOn ? [0] : l.offers).map((n) => key(`sim.${l.name}.${n}`, `cluster ${l.name} ${n}`, () => ({ n })));
    };
    // Levers of the same thing stand together, below its fields.
    const offered = levers.filter((l) => l.menu === 'cluster');
    const thingOf = (/** @type {Lever} */ l) => l.params?.[0].name ?? '';
    for (const thing of new Set(offered.map(thingOf))) {
      const group = offered.filter((l) => thingOf(l) === thing);
      const all = group.flatMap(keys);
      for (const { name, max, looks } of group.flatMap((l) => l.params ?? [])) {
        if (inputs.has(name)) continue;
        const label = t(`sim.${name}`);
        const input = /** @type {HTMLInputElement} */ (h('input', { value: proposals[name] ?? '', 'aria-label': label,
          ...(max ? { type: 'number', min: 0, max } : { type: 'text', spellcheck: 'false', autocomplete: 'off', placeholder: looks }) }));
        inputs.set(name, input);
        root.append(h('div', { class: 'form' }, h('span', {}, label), input, name === thing && all.length === 1 ? all[0] : h('span')));
      }
      if (!thing) all.push(button({ class: 'key' }, () => did(ctx.act('fault', 'cut', {}).then(() => '')), t('sim.cut')));
      if (!thing || all.length > 1) root.append(h('div', { class: 'btnrow' }, ...all));
      root.append(h('hr'));
    }
    appendKnobs(ctx, root, close);
    if (st.api.writes) root.append(h('p', { class: 'note' }, `${t('sim.writes', { n: exact(st.api.writes) })} · rv ${st.api.resourceVersion}`));
  }, { width: 400, label: t('sim.title') });
}

/** The deployment behind a pod's key, or a new one's name. @param {string} key @param {string} resource */
function deploymentOf(key, resource) {
  if (!key.includes('/')) return 'default/web';
  const [ns, name] = key.split('/');
  const parts = name.split('-');
  if (resource === 'pods' && parts.length > 2) return `${ns}/${parts.slice(0, -2).join('-')}`;
  if (resource === 'replicasets' && parts.length > 1) return `${ns}/${parts.slice(0, -1).join('-')}`;
  return resource === 'deployments' ? key : `${ns}/web`;
}
