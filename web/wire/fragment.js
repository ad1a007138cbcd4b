// @ts-check
// The URL fragment: everything that selects a view is in it, so a link is a scene. Members that this file does not use, above all the token,
// stay as they are; only a shared link has no token.
import { limits } from '../kit/commands.js';
import { exact } from '../kit/format.js';
import { t } from '../kit/i18n.js';
import '../kit/words-time.js';

export { limits };

/**
 * The fragment's keys are those of the table in core/page/command; no other can be asked for.
 * @typedef {import('./types.js').AddressKey} Key
 * @typedef {Omit<URLSearchParams, 'get' | 'has'> & {get(name: Key): string | null, has(name: Key): boolean}} Fragment
 * @typedef {Partial<Record<Key, string | number | null>>} Members
 */

/** @returns {Fragment} */
export function read() {
  return new URLSearchParams(location.hash.replace(/^#/, ''));
}

/** @param {Fragment} p */
function text(p) {
  return p.toString().replace(/%2C/g, ',').replace(/%3A/g, ':').replace(/%2F/g, '/');
}

/** @param {Fragment} p @param {Members} members */
function put(p, members) {
  for (const k of /** @type {Key[]} */ (Object.keys(members))) {
    const v = members[k];
    if (k === 'token') continue;
    // "namespace=" is all of them; without it, it is the context's own.
    if (v === null || v === undefined || (v === '' && k !== 'namespace')) p.delete(k);
    else p.set(k, String(v));
  }
}

/**
 * Writes members into the fragment without a new entry in the history; empty and null remove one, but for an empty namespace, which means all.
 * @param {Members} members
 */
export function write(members) {
  const p = read();
  put(p, members);
  const next = '#' + text(p);
  if (next !== location.hash && !(next === '#' && !location.hash)) history.replaceState(null, '', next);
}

/** Takes a member out of the fragment; of the namespace `write` keeps the empty one. @param {Key} name */
export function drop(name) {
  const p = read();
  if (!p.has(name)) return;
  p.delete(name);
  history.replaceState(null, '', '#' + text(p));
}

/**
 * Puts the token of the server's present launch into the address.
 * @param {string} token
 * @param {string} [before] the fragment that stood there before: an address of nothing but a token goes on with its scene
 */
export function setToken(token, before = '') {
  let p = read();
  if (before && [...p.keys()].every((k) => k === 'token')) p = new URLSearchParams(before.replace(/^.*?#/, ''));
  p.set('token', token);
  history.replaceState(null, '', `#${text(p)}`);
}

/**
 * The address of this scene with some members changed, to be shared. The token, which opens this computer's clusters, is never in it, nor
 * is the origin that embeds this page.
 * @param {Members} members
 */
export function shareable(members) {
  const p = read();
  put(p, members);
  if (!p.has('namespace')) p.set('namespace', '');
  for (const k of ['token', 'context', 'presenter', 'story', 'level', 'embedder']) p.delete(k);
  return `${location.href.replace(/#.*$/, '')}#${text(p)}`;
}

/**
 * What the fragment selects, as the call `select` takes it. What is not a number throws an error with a message for the user.
 * @param {Fragment} p
 * @returns {Record<string, string | number>}
 */
export function selection(p) {
  /** @type {Record<string, string | number>} */
  const o = { source: p.get('source') === 'live' ? 'live' : 'sim' };
  // In another process only the informer can be chosen.
  if (p.get('source') === 'probe') return { source: 'probe', ...(p.get('resource') ? { resource: p.get('resource') ?? '' } : {}) };
  for (const k of /** @type {Key[]} */ (['context', 'resource', 'era'])) {
    const v = p.get(k);
    if (v) o[k] = v;
  }
  // What a link does not name is off; it does not stay as it was in the page that opens the link.
  o.transform = p.get('transform') || 'off';
  o.selector = p.get('selector') || '';
  if (p.has('namespace')) o.namespace = p.get('namespace') ?? '';
  const sim = o.source === 'sim' && !p.get('story');
  if (sim && (p.has('do') || p.has('at') || p.has('fork'))) o.do = p.get('do') ?? '';
  if ('do' in o && p.get('fork')) o.fork = p.get('fork') ?? '';
  for (const k of /** @type {(keyof typeof limits)[]} */ (['seed', 'objects', 'rate', ...('do' in o ? ['from', 'at'] : [])])) {
    const v = p.get(k);
    if (!v) continue;
    const n = Number(v);
    if (!(n >= 0 && n <= limits[k]) || (k !== 'rate' && !Number.isInteger(n))) throw new Error(
      t('frag.bad', { name: k, value: v.slice(0, 40), max: exact(limits[k]) }));
    o[k] = n;
  }
  return o;
}

/** The speed that the fragment asks for, 0 for none. "1/8" is understood. @param {Fragment} p */
export function speed(p) {
  const v = p.get('speed');
  if (!v) return 0;
  const [a, b] = v.split('/');
  const n = b === undefined ? Number(a) : Number(a) / Number(b);
  if (!(n >= 1 / 32 && n <= 8)) throw new Error(t('frag.speed', { value: v.slice(0, 40) }));
  return n;
}

/**
 * "deployments.v1.apps" and "deployments.apps" and "pods" as their parts.
 * @param {string} text
 * @returns {{group: string, version: string, resource: string}}
 */
export function parseResource(text) {
  const parts = text.split('.');
  const resource = parts[0];
  if (parts.length > 1 && /^v\d+((alpha|beta)\d+)?$/.test(parts[1])) return { resource, version: parts[1], group: parts.slice(2).join('.') };
  return { resource, version: '', group: parts.slice(1).join('.') };
}

/** @param {{group: string, version?: string, resource: string}} r */
export function formatResource(r) {
  if (!r.group) return r.resource;
  return r.group.includes('.') && r.version ? `${r.resource}.${r.version}.${r.group}` : `${r.resource}.${r.group}`;
}
