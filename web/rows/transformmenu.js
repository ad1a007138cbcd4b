// @ts-check
// The menu that chooses the TransformFunc of the informer, with what the store weighs.
import { h, menuRow } from '../kit/dom.js';
import { exact } from '../kit/format.js';
import { addWords } from '../kit/i18n.js';

/** @import { Ctx } from '../wire/page-types.js' */

addWords({
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

/** The transform that runs, in words. @param {Ctx} ctx */
export function transformWords({ t, model }) {
  return t(`idx.transform.${/** @type {(typeof transforms)[number]} */ (model.state.indexer.transform || 'off')}`);
}

/** Opens the menu below its button. @param {Ctx} ctx @param {Element} anchor */
export function openTransform(ctx, anchor) {
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
  }, { width: 380, label: t('idx.transform') });
}
