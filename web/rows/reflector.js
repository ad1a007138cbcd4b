// @ts-check
// What is special to the Reflector's row: whether it watches, as of which version, and what it asked last.
import { span, version } from '../kit/format.js';
import { cut } from './parts.js';

/** How long the Reflector waits still. */
const left = 's=remainder reflector.backoffSince + reflector.backoffMillis - now max 0';

/** What tells one request of an informer from another. */
const telling = /^(resourceVersion|sendInitialEvents|limit|continue|timeoutSeconds)=/;

/** @type {import('./parts.js').Station} */
export const reflector = {
  name: () => 'Reflector',
  present({ lane, t, silent, phone, two, ctx: { model } }) {
    const r = lane.state.reflector;
    const other = two ? model.lane(1).state : null;
    if (other && other.reflector.phase !== r.phase && !model.fork) {
      const [x, y] = [r.phase, other.reflector.phase].map((phase) => t(`row.phase.${phase}`));
      const tone = [r.phase, other.reflector.phase].includes('backoff') ? 'warn' : 'mid';
      return phone ? { words: t('row.both', { a: lane.state.era, x, b: other.era, y }), tone }
        : { words: t('row.phaseOf', { a: lane.state.era, x }), tone, underWords: t('row.phaseOf', { a: other.era, x: y }) };
    }
    const side = r.resourceVersion && !phone ? 'rv=version reflector.resourceVersion' : '';
    if (silent) return { words: t('row.looksOpen'), tone: 'warn', side };
    if (r.phase === 'backoff') return { words: t('row.noWatch'), tone: 'warn', under: left, underAs: phone ? 't row.againShort' : 't row.again', side };
    if (r.phase === 'watch-listing' && r.tempStore && !phone) {
      return { words: t('row.phase.watch-listing'), tone: 'mid', under: 'n=exact reflector.tempStore', underAs: 't row.tempStore', side };
    }
    if (lane.facts.ahead > 1) return { number: 'facts.ahead', unit: t(phone ? 'row.ahead' : 'row.decodedAhead'), side };
    return { words: t(`row.phase.${/** @type {'idle'} */ (r.phase)}`), tone: r.phase === 'stopped' ? 'warn' : 'mid', side };
  },
  say({ lane, t, silent }) {
    const r = lane.state.reflector;
    if (!silent && r.phase !== 'backoff' && lane.facts.ahead > 1) return t('row.say.ahead', { n: lane.facts.ahead });
    const words = silent ? t('row.looksOpen') : r.phase === 'backoff' ? t('row.noWatch') : t(`row.phase.${/** @type {'idle'} */ (r.phase)}`);
    return t('row.say.reflector', { words, rv: r.resourceVersion || '—' });
  },
  inside({ lane, t, now }) {
    const r = lane.state.reflector;
    const [path, query = ''] = r.lastRequest.replace(/^https?:\/\/[^/]+/, '').split('?');
    const asked = query.split('&').filter((p) => telling.test(p));
    return {
      title: t('inside.reflector'),
      aside: r.resourceVersion && `rv ${version(r.resourceVersion)}`,
      lines: [
        { words: path ? cut(`${r.verb} ${path}`, 46) : t('inside.noRequest'), mono: !!path },
        ...(asked.length ? [{ words: cut(asked.join(' '), 46), mono: true }] : []),
        { path: 'n=exact reflector.lists; m=exact reflector.watches; k=exact reflector.relists', as: 't inside.requests' },
        { path: 'n=exact reflector.events; m=exact reflector.bookmarks', as: 't inside.events' },
        ...(lane.facts.features.decodesAhead
          ? [{ path: 'n=exact facts.ahead', as: /** @type {const} */ ('t inside.ahead'), aside: lane.facts.ahead ? t('inside.aheadSent') : '' }] : []),
        ...(r.backoffs.length ? [{ words: t('inside.backoffs', { s: r.backoffs.slice(-5).map(span).join(', ') }), tone: /** @type {const} */ ('warn') }] : []),
        ...(r.lastError ? [{ words: cut(r.lastError, 50), aside: t('inside.ago', { s: span(now - r.lastErrorMillis) }) }] : []),
      ],
    };
  },
};
