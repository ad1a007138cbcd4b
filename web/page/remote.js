// @ts-check
// The page in a slide, driven by messages. Only the page that embeds this one gets answers, and only when its origin is in the address,
// as embedder=https://slides.example. docs/present.md has the messages.
import * as fragment from '../wire/fragment.js';

/** An origin as the browser writes it; empty for an invalid one. @param {string} name */
function originOf(name) {
  try {
    const { protocol, origin } = new URL(name);
    return /^https?:$/.test(protocol) && origin === name.replace(/\/$/, '') ? origin : '';
  } catch {
    return '';
  }
}

/** The origins that the address names. */
function allowedOrigins() {
  return (fragment.read().get('embedder') ?? '').split(',').map(originOf).filter(Boolean);
}

/**
 * Listens to the page that embeds this one.
 * @param {{
 *   address: import('./address.js').Address, link: import('../wire/link.js').Link, stories: import('../story/stories.js').Stories,
 *   theme: (name: string) => void, present: () => void
 * }} page
 */
export function listen({ address, link, stories, theme, present }) {
  if (parent === window) return;
  const at = () => ({ story: stories.story?.id ?? '', step: stories.i, steps: stories.story?.steps.length ?? 0, done: !!stories.state?.done });
  /** Does what a clicker does: goes on in the story, or to the next mark. @param {1 | -1} n */
  const turn = async (n) => {
    if (stories.story) stories.turn(n);
    else await address.perform('mark', [n]);
    return at();
  };
  /** @type {Record<string, (...args: any[]) => unknown>} */
  const calls = {
    next: () => turn(1),
    back: () => turn(-1),
    story: async (id, presenter) => {
      if (presenter) present();
      await stories.start(String(id));
      return at();
    },
    seek: (seq) => address.perform('seek', [seq]),
    hold: (stage, listener) => address.perform('hold', [stage, listener]),
    release: (stage, n = 1, listener = undefined) => address.perform('release', [stage, n, listener]),
    play: (speed = 0) => address.perform('play', [speed]),
    pause: () => address.perform('pause', []),
    theme,
    state: async () => ({ ...await link.call('state', []), story: at() }),
  };
  addEventListener('message', async (e) => {
    const { source, origin, data } = e;
    if (source !== parent || !allowedOrigins().includes(origin) || data?.to !== 'informerscope') return;
    const { id, call, args = [] } = data;
    /** @param {object} what */
    const answer = (what) => parent.postMessage({ from: 'informerscope', id, ...what }, origin);
    try {
      if (!Object.hasOwn(calls, call)) throw new Error(`There is no call ${JSON.stringify(call)}; there are ${Object.keys(calls).join(', ')}.`);
      if (!Array.isArray(args)) throw new Error('args must be an array.');
      await address.ready;
      answer({ result: await calls[call](...args) ?? true });
    } catch (err) {
      answer({ error: err instanceof Error ? err.message : String(err) });
    }
  });
  for (const origin of allowedOrigins()) parent.postMessage({ from: 'informerscope', ready: true }, origin);
}
