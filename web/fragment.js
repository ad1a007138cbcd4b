// @ts-check
// The URL fragment: everything that selects a view stands in it, so a link is a scene. What this page does not know,
// the token above all, stays as it was.

/** @returns {URLSearchParams} */
export function read() {
  return new URLSearchParams(location.hash.replace(/^#/, ''));
}

/**
 * Writes members into the fragment without a new entry in the history; empty and null remove one.
 * @param {Record<string, string | number | null | undefined>} members
 */
export function write(members) {
  const p = read();
  for (const k in members) {
    const v = members[k];
    if (k === 'token') continue;
    if (v === null || v === undefined || v === '') p.delete(k);
    else p.set(k, String(v));
  }
  const next = '#' + p.toString().replace(/%2C/g, ',').replace(/%3A/g, ':').replace(/%2F/g, '/');
  if (next !== location.hash && !(next === '#' && !location.hash)) history.replaceState(null, '', next);
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
