// @ts-check
// The card of a first visit, over the stage, which runs on behind it: the tour, and three other ways to begin. It comes once in a browser.
import { h, icon, put } from '../kit/dom.js';
import * as fragment from '../wire/fragment.js';
import { addWords, language } from '../kit/i18n.js';
import * as tour from './tour.js';

addWords({
  'first.title': ['See inside an informer', '看看 informer 内部'],
  'first.reads': ['Your controller does not ask the API server. It reads a copy.', '你的 controller 不去问 API server，它读的是一份本地副本。'],
  'first.shows': ['Here is how that copy is made, and how it goes wrong.', '这里演示这份副本怎样得来，又会怎样出错。'],
  'first.tour': ['Follow one change · 7 minutes', '跟随一次变更 · 7 分钟'],
  'first.stories': ['I write controllers: show me what bites', '我写 controller：看看有哪些坑'],
  'first.cluster': ['Watch my cluster', '观察我的集群'],
  // Where no server runs, the menu of sources says how to get one.
  'first.clusterNeeds': ['Watch my cluster: what it takes', '观察我的集群：需要准备什么'],
  'first.look': ['Just let me look', '我先自己看看'],
});

/** What an address may have and still choose nothing of what shows. */
const looks = ['token', 'lang', 'theme'];

/**
 * Whether this is a first visit: neither the browser nor the address knows of a choice. A reload is no visit, also where the browser keeps nothing, and a
 * page in a frame belongs to the page around it.
 * @param {URLSearchParams} asked
 */
export function isFirst(asked) {
  const [load] = /** @type {PerformanceNavigationTiming[]} */ (performance.getEntriesByType('navigation'));
  return tour.isBare(asked) && !tour.wasOffered() && parent === window && (load?.type ?? 'navigate') === 'navigate';
}

export class FirstVisit {
  /**
   * @param {import('../wire/page-types.js').Ctx} ctx
   * @param {{tour: () => void, stories: () => void, cluster: () => void}} ways
   */
  constructor(ctx, ways) {
    this.ctx = ctx;
    this.title = h('h2', { id: 'first-title' });
    this.says = h('p', { id: 'first-says' }, h('span'), ' ', h('span'));
    /** @type {{words: string, b: HTMLElement, label: HTMLElement}[]} */
    this.ways = Object.entries({ ...ways, look: () => {} }).map(([name, go]) => {
      const label = h('span');
      const b = h('button', { type: 'button', 'data-do': name }, label);
      if (name !== 'tour') b.append(icon('M2 8h11M9 4l4 4-4 4'));
      b.addEventListener('click', () => {
        this.end();
        go();
      });
      return { words: name === 'cluster' && !ctx.relay ? 'first.clusterNeeds' : `first.${name}`, b, label };
    });
    this.root = /** @type {HTMLDialogElement} */ (h('dialog', { class: 'first', 'aria-labelledby': 'first-title', 'aria-describedby': 'first-says' },
      h('div', { class: 'card' }, this.title, this.says, ...this.ways.map((way) => way.b))));
    // A press that only ends beside the card was meant for the card.
    let beside = false;
    this.root.addEventListener('pointerdown', (e) => {
      beside = e.target === this.root;
    });
    this.root.addEventListener('click', (e) => {
      if (beside && e.target === this.root) this.end();
    });
    this.root.addEventListener('close', () => this.end()); // a phone's way back
    /** The language that its words are in. */
    this.lang = '';
    this.over = false;
  }

  /** Comes, once there is a stage to see: unless its reader was quicker, and has found something to open. */
  open() {
    if (this.over || this.root.isConnected) return;
    this.over = this.showsOther || !!document.querySelector('.pop, .ov, .black');
    if (this.over) return;
    document.body.append(this.root);
    this.paint();
    this.root.showModal();
    addEventListener('keydown', this.press, true);
  }

  /** Whether the page shows something else than it began with, which a script, a link or a file has chosen. @private */
  get showsOther() {
    const { lost, state: { source } } = this.ctx.model;
    return !!lost || !['', 'sim'].includes(source.kind) || [...fragment.read().keys()].some((k) => !looks.includes(k));
  }

  paint() {
    if (!this.root.isConnected) return;
    if (this.showsOther) return this.end();
    if (this.lang === language()) return;
    this.lang = language();
    const { t } = this.ctx;
    put(this.title, t('first.title'));
    ['first.reads', 'first.shows'].forEach((k, i) => put(this.says.children[i], t(k)));
    for (const { words, label } of this.ways) put(label, t(words));
  }

  /** Goes, for good; the focus returns to where it was. */
  end() {
    if (!this.root.isConnected) return;
    this.over = true;
    removeEventListener('keydown', this.press, true);
    this.root.close();
    this.root.remove();
    tour.remember();
  }

  /** No key of the page works behind the card, but for those of theme and language. @param {KeyboardEvent} e @private */
  press = (e) => {
    if (/^[tl]$/i.test(e.key)) return;
    e.stopPropagation();
    if (e.key === 'Escape') this.end();
    else if (e.key === 'ArrowDown' || e.key === 'ArrowUp') {
      const i = this.ways.findIndex(({ b }) => b === document.activeElement) + (e.key === 'ArrowDown' ? 1 : -1);
      this.ways[Math.max(0, Math.min(this.ways.length - 1, i))].b.focus();
    } else return;
    e.preventDefault();
  };
}
