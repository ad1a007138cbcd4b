// @ts-check
// What is wrong between the page and its cluster, in words. Every view takes the words from here: the stage, two releases, presenter mode
// and the phone agree about a moment.
import { known } from './causes.js';
import { capitalize, middle, reason } from './format.js';
import { language } from './i18n.js';

/** @typedef {import('../wire/page-types.js').Ctx} Ctx */
/** @typedef {import('../wire/types.js').State} State */

/**
 * The trouble in the log at the moment shown, or null.
 * @param {Ctx} ctx
 * @returns {{cause: string, name: string, say: string, whole: string, detail: string, offer: string} | null}
 *   `name` is two or three words, `say` one sentence, `whole` all that a user needs. `detail` is the server's own text where `whole` is
 *   not that text
 */
export function trouble(ctx) {
  const { model } = ctx;
  const src = model.state.source;
  const said = capitalize(plain(ctx, ((model.any ? src.trouble : model.unbegun) ?? '').trim()));
  const cause = src.cause ?? '';
  if (!said && !cause) return null;
  const offer = src.offer?.namespace ?? '';
  if (!known(cause)) {
    const whole = said || capitalize(ctx.t('cause.trouble'));
    return { cause: cause || 'other', name: shortText(whole), say: firstSentence(whole), whole, detail: '', offer };
  }
  const args = argsOf(ctx);
  const say = ctx.t(`cause.${cause}.say`, args);
  const name = ctx.t(`cause.${cause}.name`);
  // The server's text is English, has the details, and ends with what to do. In other languages it stands below the page's own words.
  if (said && language() === 'en') return { cause, name, say, whole: said, detail: '', offer };
  const remedy = src.kind === 'file' || ctx.follower ? '' : ctx.t(`cause.${cause}.do`, args);
  return { cause, name, say, whole: language() === 'en' ? `${say} ${remedy}`.trim() : say + remedy, detail: said, offer };
}

/**
 * The words in the API server's station when nothing comes from it: the trouble, or why the Reflector waits.
 * @param {Ctx} ctx
 * @returns {{cause: string, name: string, whole: string}}
 */
export function silenceWords(ctx) {
  const tr = trouble(ctx);
  if (tr) return tr;
  const r = ctx.model.state.reflector;
  const words = plain(ctx, r.backoffCause || r.lastError);
  const refused = ctx.model.facts.trouble.cause === 'refused';
  return { cause: refused ? 'refused' : '', name: refused ? ctx.t('err.refused') : words, whole: capitalize(words) };
}

/** The words in place of the API server: that it does not answer, or what it, or the server before it, answered. @param {Ctx} ctx */
export function answer(ctx) {
  const kind = ctx.model.facts.trouble.answer;
  return ctx.t(!kind || kind === 'none' ? 'api.noAnswer' : `answer.${kind}`);
}

/** @param {Ctx} ctx */
function argsOf({ model, t }) {
  const { source, resource } = model.state;
  const ns = resource.namespace;
  return {
    c: middle(source.context || '?', 40), w: source.server ? t('cause.where', { s: middle(source.server, 40) }) : '',
    ns: ns ? t('cause.inNs', { ns }) : t('cause.everywhere'), nsName: ns || '?', res: resource.resource, hook: '',
    user: t('cause.user'), verb: t('cause.verbs'), role: ns ? t('cause.role', { ns }) : t('cause.clusterRole'),
  };
}

/** The first sentence of a text. @param {string} words */
function firstSentence(words) {
  return /^.*?(?:。|[.!?](?=\s|$))/s.exec(words)?.[0] ?? words;
}

/** A text that has no name of its own, for where there is room for a few words. @param {string} words */
function shortText(words) {
  return firstSentence(words).replace(/[.。]$/, '');
}

/**
 * The longest description of a trouble that fits: all of it, its first sentence, or the page's own sentence. If none fits it is the
 * shortest, which is then cut; "more" opens the rest.
 * @param {NonNullable<ReturnType<typeof trouble>>} tr
 * @param {(words: string) => boolean} fits
 */
export function line(tr, fits) {
  const all = [tr.whole, firstSentence(tr.whole), tr.say];
  return all.find(fits) ?? all.reduce((a, b) => (b.length < a.length ? b : a));
}

/**
 * An error in words for a user: errors of HTTP/2 on the way to the cluster are replaced by what happened.
 * @param {Pick<Ctx, 't'>} ctx
 * @param {string} error
 */
export function plain({ t }, error) {
  if (!error) return '';
  error = error.slice(0, 1000); // more has no room; and how long the patterns below look grows with the square of it
  const words = reason(error);
  if (error === 'the last round ended') return t('err.roundEnded');
  if (/^(unexpected )?EOF$/.test(words)) return t('err.ended');
  if (/^very short watch: /.test(words)) return t('err.short');
  return words.replace(closing, t('err.closing')).replace(broke, t('err.broke')).replace(quoted, '$1');
}

/** The texts of net/http and HTTP/2 for a connection that ends; the words around them stay. */
const closing = /(?:http2: )?(?:[a-z]+ )*sent GOAWAY[^.\n]*?(?:debug="[^"]*"|closed the connection|$)/gi;
const broke = new RegExp([
  '(?:(?:stream|connection) error: )?(?:stream ID \\d+; )?\\b(?:INTERNAL_ERROR|PROTOCOL_ERROR|REFUSED_STREAM|ENHANCE_YOUR_CALM|',
  'STREAM_CLOSED|FLOW_CONTROL_ERROR|CONNECT_ERROR|HTTP_1_1_REQUIRED)\\b(?:; received from peer)?|',
  'http2: (?:client connection (?:lost|force closed)|timeout awaiting response headers|response body closed|Transport[^.;\n]*)[^.;\n]*',
].join(''), 'g');
const quoted = /^["“]([^"”]+)["”]$/;
