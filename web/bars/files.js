// @ts-check
// Recordings, links and a speaker's own stories. It saves the log as a file, opens a recording or a story (chosen, or dropped on the page),
// exports for Perfetto, and shares a moment. A simulated moment is a link, because its seed and the manual actions lead to the same event again.
// A live moment is a file. So is every moment where the page was built on a runtime that leaves something to chance.
import { attr, button, h, icon, menuRow } from '../kit/dom.js';
import { bytes, exact } from '../kit/format.js';
import * as fragment from '../wire/fragment.js';
import { Superseded } from '../wire/link.js';
import '../kit/words-time.js';

/** How many characters of manual actions a link may have. */
const longest = 1500;

/** How many bytes a file has at most: the worker's memory, which holds all of it, never shrinks. */
const largest = 256 * 2 ** 20;

/** The moment that the name of a file asks for, and back. */
const moment = /-at(\d+)(?=\.jsonl)/;

export class Files {
  /**
   * @param {import('../wire/page-types.js').Ctx} ctx
   * @param {HTMLElement} app
   */
  constructor(ctx, app) {
    this.ctx = ctx;
    this.app = app;
    /** @type {HTMLElement | null} */
    this.veil = null;
    this.depth = 0;
    /** Whether the same seed and actions lead to the same event again, as the worker reports. */
    this.exact = false;
    /** The release of Go that built the page: another one's may play otherwise. */
    this.go = '';
    this.input = /** @type {HTMLInputElement} */ (h('input', { type: 'file', accept: '.jsonl,.json,.gz,.trace,.yaml,.yml', multiple: '', hidden: '',
      'aria-hidden': 'true', tabindex: -1 }));
    this.input.addEventListener('change', () => {
      const all = [...this.input.files ?? []];
      this.input.value = '';
      this.take(all);
    });
    app.append(this.input);
    this.drops();
    ctx.ownStories = () => (this.served ??= this.fetchStories());
    ctx.recording = (name) => this.recording(name);
  }

  /** The recordings that were dropped or opened, by name: a story may play on one. @type {Map<string, File>} */
  recordings = new Map();

  /** The story that was added last and plays on a recording, until it is begun. @type {{id: string, recording: string} | null} */
  waiting = null;

  /** Takes what was dropped or opened: stories, recordings, or a story with its recording, which begins at once. @param {File[]} files */
  async take(files) {
    const isStory = (/** @type {File} */ f) => /\.ya?ml$/i.test(f.name);
    const logs = files.filter((f) => !isStory(f));
    for (const f of logs) this.recordings.set(f.name, f);
    for (const f of files.filter(isStory)) await this.addStory(f);
    const { waiting } = this;
    if (!waiting || !this.recordings.has(waiting.recording)) {
      if (logs.length) await this.load(logs[0]);
      return;
    }
    this.waiting = null;
    await this.ctx.tellStory?.(waiting.id).catch((/** @type {Error} */ err) => this.ctx.say(err.message, true));
  }

  /** The file of a recording on which a story plays: one that was dropped here, or one beside the server's stories. @param {string} name */
  async recording(name) {
    const { ctx } = this;
    const here = this.recordings.get(name);
    if (here) return this.content(here, name);
    if (ctx.relay) {
      // It may contain a live cluster's objects, so it needs the server's token.
      const headers = { Authorization: `Bearer ${ctx.token?.() ?? ''}` };
      const response = await fetch(`stories/recordings/${encodeURIComponent(name)}`, { cache: 'no-store', headers }).catch(() => null);
      if (response?.ok) return this.content(await response.blob(), name);
    }
    throw new Error(ctx.t('file.needs', { name }));
  }

  /** The stories of the server's directory, once they are asked for. @type {Promise<void> | undefined} */
  served;

  /** Adds the stories that the server was started with; an invalid one is reported, and the others are added. @private */
  async fetchStories() {
    const { ctx } = this;
    if (!ctx.relay) return;
    /** @type {{files: {name: string, text: string}[], problems: string[]}} */
    let own;
    try {
      const response = await fetch('stories.json', { cache: 'no-store' });
      if (!response.ok) return; // a server without them
      own = await response.json();
    } catch (err) {
      this.served = undefined; // asked for again with the next look at the stories
      ctx.say(ctx.t('file.noStories', { w: err instanceof Error ? err.message : String(err) }), true);
      return;
    }
    const problems = [...own.problems];
    for (const { name, text } of own.files) {
      await ctx.call('storyAdd', name, new TextEncoder().encode(text).buffer).catch((err) => problems.push(err.message));
    }
    if (problems.length) ctx.say(problems.join('\n'), true);
  }

  /** Adds a story that was dropped or opened. @param {File} file @private */
  async addStory(file) {
    const { ctx } = this;
    const { t } = ctx;
    const name = file.name.replace(/\.yml$/i, '.yaml');
    try {
      await ctx.ownStories?.(); // so that this one takes the place of the server's
      const id = await ctx.call('storyAdd', name, await file.arrayBuffer());
      ctx.storiesChanged?.();
      const recording = (await ctx.call('stories')).stories.find((s) => s.id === id)?.recording;
      this.waiting = recording ? { id, recording } : null;
      ctx.say(recording && !this.recordings.has(recording) ? t('file.storyNeeds', { id, name: recording }) : t('file.story', { id }));
    } catch (err) {
      ctx.say(t('file.badStory', { w: err instanceof Error ? err.message : String(err) }), true);
    }
  }

  /** Hands a file to the person. @param {string} name @param {BlobPart[]} parts @param {string} type @private */
  give(name, parts, type) {
    const blob = new Blob(parts, { type });
    const url = URL.createObjectURL(blob);
    const a = h('a', { download: name, href: url });
    a.click();
    setTimeout(() => URL.revokeObjectURL(url), 10000);
    this.ctx.say(this.ctx.t('file.saved', { name, n: bytes(blob.size) }));
  }

  /**
   * Saves the log; with a moment in its name when it is to open there.
   * @param {number} [at] @param {'names' | 'whole'} [objects] what it holds of them
   */
  async save(at, objects = 'names') {
    const file = await this.ctx.act('record', objects);
    if (!file?.parts) return;
    const name = String(file.name || 'informerscope.jsonl');
    this.give(at ? name.replace(/\.jsonl$/, `-at${at}.jsonl`) : name, file.parts, 'application/jsonl');
  }

  /** Saves the log in the Chrome trace-event format. */
  async export() {
    const file = await this.ctx.act('export');
    if (file?.parts) this.give(String(file.name || 'informerscope.trace.json'), file.parts, 'application/json');
  }

  /** Saves what shows as a picture. @param {'png' | 'svg'} kind */
  async savePicture(kind) {
    const { ctx } = this;
    try {
      const { name, svg, png } = await ctx.picture();
      if (kind === 'svg') this.give(`${name}.svg`, [svg], 'image/svg+xml');
      else this.give(`${name}.png`, [Uint8Array.from(atob(png.replace(/^.*,/, '')), (c) => c.charCodeAt(0))], 'image/png');
    } catch (err) {
      ctx.say(ctx.t('file.noPicture', { w: err instanceof Error ? err.message : String(err) }), true);
    }
  }

  /** Asks for a file and opens it. */
  open() {
    this.input.click();
  }

  /** The content of a file, if the worker has room for it. @param {Blob} file @param {string} name @private */
  content(file, name) {
    if (file.size > largest) throw new Error(this.ctx.t('file.large', { name, n: bytes(file.size), m: bytes(largest) }));
    return file.arrayBuffer();
  }

  /** Progress of reading a file, from the worker. After a while the page shows it, once a second. @param {{loaded: number, total: number}} p */
  progress(p) {
    const now = performance.now();
    this.reading ??= now;
    if (now - this.reading < 300 || now - this.saidAt < 1000) return;
    this.saidAt = now;
    this.ctx.say(this.ctx.t('file.readingOf', { a: bytes(p.loaded), b: bytes(p.total) }));
  }

  /** Since when a file is being read, and when that was last shown. @type {number | undefined} */
  reading;
  saidAt = -1e9;

  /** @param {File} file */
  async load(file) {
    const { ctx } = this;
    const { t } = ctx;
    const name = file.name;
    if (file.size > 4e6) ctx.say(t('file.reading', { name, n: bytes(file.size) }));
    let o;
    try {
      this.reading = undefined;
      o = await ctx.call('load', await this.content(file, name));
    } catch (err) {
      if (err instanceof Superseded) return;
      ctx.say(t('file.bad', { name, w: err instanceof Error ? err.message : String(err) }), true);
      return;
    }
    ctx.select('');
    fragment.write({ at: null });
    const n = exact(o.events ?? 0);
    if (o.warning) ctx.say(t('file.damaged', { n, name, w: o.warning }), true);
    else ctx.say(t(o.namesOnly ? 'file.loadedNames' : 'file.loaded', { n, name }));
    const at = Number(moment.exec(name)?.[1]);
    if (at) await ctx.act('seek', at);
  }

  /** The fragment from which a simulated moment can be played again; null when it is too long, or impossible. @param {number} seq */
  async story(seq) {
    if (!this.exact) return null;
    const o = await this.ctx.call('story', seq);
    return o.do.length > longest ? null : {
      seed: o.seed, objects: o.objects, rate: o.rate, era: o.era, selector: o.selector || null, from: o.from || null, do: o.do,
      fork: o.fork || null, at: seq, go: this.go,
    };
  }

  /** The fragment of a link to a simulated moment. @param {Record<string, string | number | null>} story @private */
  scene(story) {
    const { state, factory } = this.ctx.model;
    const resource = factory ? factory.resources.join(',') : fragment.formatResource(state.resource);
    const namespace = factory ? factory.namespace : state.resource.namespace;
    return { source: 'sim', ...story, resource, namespace, transform: state.indexer.transform || null };
  }

  /** Keeps the fragment of the moment after each action, because a worker that has ended cannot be asked for it. */
  remember() {
    clearTimeout(this.timer);
    this.keptStory = null;
    this.timer = setTimeout(async () => {
      if (this.ctx.model.state.source.kind !== 'sim') return;
      // The newest frame may be older than what was done.
      this.keptStory = await this.ctx.call('state').then(({ view }) => this.story(view.head)).catch(() => null);
    }, 300);
  }

  /** Starts the page again and goes to the moment shown; null when no address leads there. */
  restart() {
    const { seq } = this.ctx.model.view;
    const { keptStory } = this;
    return !keptStory || !seq || this.ctx.model.state.source.kind !== 'sim' ? null : () => {
      fragment.write({ ...this.scene({ ...keptStory, at: seq }), speed: null, story: null });
      location.reload();
    };
  }

  /** @type {Record<string, string | number | null> | null} */
  keptStory = null;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  timer;

  /** Gives the moment away: a link to a simulated one, a file of any other. @param {Element} [anchor] */
  async share(anchor) {
    const { ctx } = this;
    const seq = ctx.model.view.seq;
    if (ctx.model.state.source.kind !== 'sim') return this.save(seq);
    const story = await this.story(seq);
    if (!story) {
      await this.save(seq);
      ctx.say(ctx.t(this.exact ? 'file.long' : 'file.inexact'));
      return;
    }
    const url = fragment.shareable(this.scene(story));
    if (await copy(url)) ctx.say(ctx.t('file.copied', { n: exact(seq) }));
    else if (anchor) this.show(anchor, url);
  }

  /** The link, to be copied by hand. @param {Element} anchor @param {string} url @private */
  show(anchor, url) {
    const { t } = this.ctx;
    this.ctx.popup(anchor, (root) => {
      const field = /** @type {HTMLInputElement} */ (h('input', { class: 'linkfield', type: 'text', readonly: '', value: url, 'aria-label': t('file.link') }));
      root.append(h('p', { class: 'note' }, t('file.copyThis')), field);
      setTimeout(() => field.select());
    }, { width: 560, label: t('file.link') });
  }

  /** What can be done with the log, as a menu. @param {Element} anchor */
  menu(anchor) {
    const { ctx } = this;
    const { t } = ctx;
    const sim = ctx.model.state.source.kind === 'sim';
    const n = exact(ctx.model.view.seq);
    ctx.popup(anchor, (root, close) => {
      const row = (/** @type {string} */ k, /** @type {() => any} */ f) => {
        root.append(menuRow(close, f, {}, h('span', {}, t('file.' + k)), h('small', {}, t(`file.${k}.x`, { n }))));
      };
      row(sim && this.exact ? 'link' : 'moment', () => this.share(anchor));
      root.append(h('hr'));
      row('save', () => this.save());
      row('saveWhole', () => this.save(0, 'whole'));
      row('export', () => this.export());
      if (!ctx.follower) row('open', () => this.open());
      root.append(h('hr'));
      row('png', () => this.savePicture('png'));
      row('svg', () => this.savePicture('svg'));
      if (ctx.follower) { // who has neither faults nor stories
        root.append(h('hr'));
        row('diagnose', () => ctx.diagnose?.());
      }
      if (ctx.relay && ctx.broadcast) {
        root.append(h('hr'));
        root.append(menuRow(close, () => ctx.broadcast?.(anchor), {}, h('span', {}, t('air.menu')), h('small', {}, t('air.menu.x'))));
      }
    }, { width: 420, label: t('file.menu') });
  }

  /** A recording or a story can be dropped anywhere on the page. @private */
  drops() {
    const files = (/** @type {DragEvent} */ e) => !!e.dataTransfer && [...e.dataTransfer.types].includes('Files');
    addEventListener('dragenter', (e) => {
      if (!files(e)) return;
      e.preventDefault();
      this.depth++;
      this.cover(true);
    });
    addEventListener('dragover', (e) => {
      if (!files(e)) return;
      e.preventDefault();
      if (e.dataTransfer) e.dataTransfer.dropEffect = 'copy';
    });
    addEventListener('dragleave', (e) => {
      if (files(e) && --this.depth <= 0) this.cover(false);
    });
    addEventListener('drop', (e) => {
      if (!files(e)) return;
      e.preventDefault();
      this.cover(false);
      const all = [...e.dataTransfer?.files ?? []];
      if (all.length) this.take(all);
      else this.ctx.say(this.ctx.t('file.none'), true);
    });
  }

  /** @param {boolean} on @private */
  cover(on) {
    if (!on) {
      this.depth = 0;
      this.veil?.remove();
      this.veil = null;
    } else if (!this.veil) {
      const { t } = this.ctx;
      this.veil = h('div', { class: 'drop' }, h('div', { class: 'scrim' }),
        h('div', { class: 'in' }, h('b', {}, t('file.drop')), h('span', {}, t('file.dropNote'))));
      document.body.append(this.veil);
    }
  }
}

/**
 * A file of the worker as a script gets it.
 * @param {{name: string, parts: ArrayBuffer[]}} file
 * @returns {Promise<{name: string, text: string}>}
 */
export async function asText(file) {
  return { name: file.name, text: await new Blob(file.parts).text() };
}

/** The button that opens the menu. @param {import('../wire/page-types.js').Ctx} ctx @param {(anchor: Element) => void} open */
export function shareButton(ctx, open) {
  const b = button({ class: 'key share', 'aria-haspopup': 'dialog' }, () => open(b), icon('M8 10V2M5 4.8L8 2l3 2.8M4.5 7.5H3v6.5h10V7.5h-1.5'));
  const paint = () => {
    attr(b, 'title', ctx.t('file.menu'));
    attr(b, 'aria-label', `${ctx.t('file.button')}: ${ctx.t('file.menu')}`);
  };
  return { b, paint };
}

/** Puts a text into the clipboard. Returns whether it is there. @param {string} text */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Without a secure origin, or the person's leave, there is the older way.
    const area = /** @type {HTMLTextAreaElement} */ (h('textarea', { class: 'sr', readonly: '', 'aria-hidden': 'true' }));
    area.value = text;
    document.body.append(area);
    const back = /** @type {HTMLElement | null} */ (document.activeElement);
    area.select();
    const done = document.execCommand('copy');
    area.remove();
    back?.focus();
    return done;
  }
}
