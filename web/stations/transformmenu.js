// @ts-check
// What the store weighs, and the menu that chooses the TransformFunc of the informer.
import { attr, h, menuRow, reveal, Txt } from '../kit/dom.js';
import { exact } from '../kit/format.js';
import { caret } from '../kit/glyphs.js';
import { addWords } from '../kit/i18n.js';

/** @import { Ctx, Lane } from '../wire/page-types.js' */

addWords({
  'idx.weight': ['JSON of the objects in the store: {n} [n:byte|bytes]; choose a transform', '本地缓存里对象的 JSON：{n} 字节；选择 transform'],
  'idx.weightFrom': [
    'JSON of the objects: {m} [m:byte|bytes] as they came, {n} in the store; choose a transform',
    '对象的 JSON：到达时 {m} 字节，本地缓存里 {n} 字节；选择 transform',
  ],
  'idx.transform': ['Transform: what the store keeps of an object', 'Transform：本地缓存保留对象的哪些部分'],
  'idx.transform.off': ['none: objects as they came', '无：原样保存'],
  'idx.transform.managedFields': ['without managedFields', '去掉 managedFields'],
  'idx.transform.metadata': ['metadata only', '只留 metadata'],
  'idx.came': ['as they came', '到达时'],
  'idx.stored': ['in the store', '本地缓存里'],
  'idx.byteCount': ['{n} [n:byte|bytes] of JSON', '{n} 字节 JSON'],
  'idx.transformNote': [
    'SetTransform is refused once an informer has started, so a choice starts a new informer, as another release does.',
    'informer 启动后 SetTransform 会报错，所以选择后 informer 会重新启动，和换版本一样。',
  ],
});

/** @type {import('../wire/types.js').CallArgs['transform'][0][]} */
const transforms = ['off', 'managedFields', 'metadata'];

/** Writes the weights into three elements: one, or with a transform both and an arrow. @param {Element[]} parts */
export function weights(parts) {
  const [came, arrow, held] = parts.map((el) => new Txt(el));
  /** @param {Lane} lane */
  return (lane) => {
    const { transform } = lane.state.indexer;
    came.bind(lane, transform && 'indexer.cameBytes', 'bytes');
    arrow.set(transform && ' → ');
    held.bind(lane, 'indexer.bytes', 'bytes');
  };
}

/**
 * The button on the main stage that shows the bytes of the store.
 * @param {Ctx} ctx
 * @param {HTMLElement} press where the button goes
 */
export function weightButton(ctx, press) {
  const { t } = ctx;
  const parts = [h('span'), h('span'), h('span')];
  const write = weights(parts);
  const button = h('button', { class: 'sbtn quiet idxb detail', type: 'button', 'aria-haspopup': 'dialog', hidden: '', 'data-x': 644 });
  button.append(h('span', {}, ...parts), caret());
  button.addEventListener('click', () => openTransform(ctx, button, 808)); // beside the cells, which stay in sight
  press.append(button);
  return {
    /** @param {Lane} lane @param {boolean} on */
    paint(lane, on) {
      reveal(button, on);
      if (!on) return;
      const store = lane.state.indexer;
      write(lane);
      const words = { n: exact(store.bytes), m: exact(store.cameBytes) };
      const said = t(store.transform ? 'idx.weightFrom' : 'idx.weight', words);
      attr(button, 'aria-label', `${parts.map((el) => el.textContent).join('')}: ${said}`); // it begins with the visible text, for voice control
      attr(button, 'title', said);
    },
  };
}

/** The transform that runs, in words. @param {Ctx} ctx */
export function transformWords({ t, model }) {
  return t(`idx.transform.${/** @type {(typeof transforms)[number]} */ (model.state.indexer.transform || 'off')}`);
}

/** Opens the menu, below its button or `left` units from the stage's edge. @param {Ctx} ctx @param {Element} anchor @param {number} [left] */
export function openTransform(ctx, anchor, left) {
  const { t, model } = ctx;
  ctx.popup(anchor, (root, close) => {
    const { indexer, source } = model.state;
    root.append(h('h2', {}, t('idx.transform')));
    // An informer that does not run here cannot be restarted here.
    if (!ctx.follower && source.kind !== 'file' && source.kind !== 'probe') {
      const list = h('div', { class: 'list', role: 'radiogroup', 'aria-label': t('idx.transform') });
      for (const name of transforms) {
        const on = name === (indexer.transform || 'off');
        list.append(menuRow(close, () => on || ctx.act('transform', name), { role: 'radio', 'aria-checked': String(on) }, h('span', { class: 'tick' }),
          h('span', {}, t(`idx.transform.${name}`))));
      }
      root.append(list, h('p', { class: 'note' }, t('idx.transformNote')));
    }
    for (const [word, n] of /** @type {[string, number][]} */ ([['idx.came', indexer.cameBytes], ['idx.stored', indexer.bytes]])) {
      root.append(h('p', { class: 'note' }, `${t(word)}: ${t('idx.byteCount', { n: exact(n) })}`));
    }
  }, { width: 380, left, label: t('idx.transform') });
}
