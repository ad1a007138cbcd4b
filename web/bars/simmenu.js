// @ts-check
// What a person can do to the simulated cluster: it hangs from the API server's name.
import { button, h } from '../kit/dom.js';
import { exact } from '../kit/format.js';
import { appendKnobs } from './knobs.js';

/**
 * @param {import('../wire/page-types.js').Ctx} ctx
 * @param {HTMLElement} anchor
 * @param {string} sample a key of the store, to propose a deployment
 */
export function openSimMenu(ctx, anchor, sample) {
  const { t } = ctx;
  const st = ctx.model.state;
  ctx.popup(anchor, (root, close) => {
    root.append(h('h2', {}, t('sim.title')));
    const field = (/** @type {string} */ value, /** @type {string} */ label) =>
      /** @type {HTMLInputElement} */ (h('input', { type: 'text', value, 'aria-label': label, spellcheck: 'false', autocomplete: 'off',
      placeholder: t('sim.where') }));
    /** @type {(k: string, f: () => Promise<any>, makes?: string) => HTMLElement} */
    const key = (k, f, makes) => button({ class: 'key', ...(makes ? { 'data-call': makes } : {}) }, f, t(k));
    // The menu covers the stations that show what was done.
    const did = (/** @type {Promise<any>} */ p) => {
      close();
      return p.then((said) => {
        if (said) ctx.say(String(said));
      });
    };
    const dep = field(deploymentOf(sample, st.resource.resource), t('sim.deployment'));
    const replicas = /** @type {HTMLInputElement} */ (h('input', { type: 'number', min: 0, max: 5000, value: 3, 'aria-label': t('sim.replicas') }));
    const where = () => {
      const v = dep.value.trim();
      const i = v.indexOf('/');
      return i < 0 ? { namespace: st.resource.namespace || 'default', name: v } : { namespace: v.slice(0, i), name: v.slice(i + 1) };
    };
    const n = () => Math.max(0, Math.round(Number(replicas.value) || 0));
    root.append(
      h('div', { class: 'form' }, h('span', {}, t('sim.deployment')), dep, h('span'), h('span', {}, t('sim.replicas')), replicas, h('span')),
      h('div', { class: 'btnrow' },
        key('sim.create', () => did(ctx.act('cluster', 'create', { ...where(), replicas: n() }))),
        key('sim.scale', () => did(ctx.act('cluster', 'scale', { ...where(), replicas: n() }))),
        key('sim.restart', () => did(ctx.act('cluster', 'restart', where())), 'cluster restart')),
      h('hr'),
    );
    const obj = field(ctx.selected() || sample, t('sim.object'));
    root.append(h('div', { class: 'form' }, h('span', {}, t('sim.object')), obj,
      key('sim.delete', () => did(ctx.act('cluster', 'delete', { key: obj.value.trim() })))), h('hr'));
    root.append(
      h('div', { class: 'btnrow' },
        key('sim.one', () => did(ctx.act('cluster', 'burst', { n: 1 })), 'cluster burst 1'),
        key('sim.burst', () => did(ctx.act('cluster', 'burst', { n: 100 }))),
        key('sim.cut', () => did(ctx.act('fault', 'cut', {}).then(() => ''))),
        key(st.api.crowd ? 'sim.noCrowd' : 'sim.crowd', () => did(ctx.act('cluster', 'crowd', { n: st.api.crowd ? 0 : 1000 }))),
        key('sim.compact', () => did(ctx.act('cluster', 'compact', {})))),
      h('hr'),
    );
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
