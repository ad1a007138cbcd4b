// @ts-check
// The calm stage: each station is its name, one number, one sentence and its drawing. Its details show while the pointer or the keyboard is at it,
// or while a story's step is about it.
import { stationAt } from '../layouts/stage.js';

/** Where this browser keeps the reader's choice. */
const kept = 'informerscope.calm';

/** What this browser keeps: whether the stage opens calm. */
function readChoice() {
  try {
    return localStorage.getItem(kept) !== 'false';
  } catch {
    return true; // a browser that keeps nothing
  }
}

export class Calm {
  /**
   * @param {import('../wire/page-types.js').Ctx} ctx
   * @param {HTMLElement} app
   * @param {() => string[] | null} lit the stations that a story's step is about
   */
  constructor({ scene }, app, lit) {
    this.app = app;
    this.scene = scene;
    /** The station at which the pointer is, and that of the keyboard. */
    this.pointed = '';
    this.focused = '';
    this.lit = lit;
    this.set(readChoice());
    app.addEventListener('pointermove', (e) => this.point(e));
    app.addEventListener('pointerleave', () => this.visit('pointed', ''));
    app.addEventListener('focusin', (e) => this.visit('focused', stationOf(e.target)));
    app.addEventListener('focusout', () => this.visit('focused', ''));
  }

  /** Makes the stage calm, or shows all details. @param {boolean} on */
  set(on) {
    this.isOn = on;
    this.app.classList.toggle('calm', on);
  }

  /** Changes to the other, and keeps that. */
  toggle() {
    this.set(!this.isOn);
    try {
      localStorage.setItem(kept, String(this.isOn));
    } catch {
      // A browser that keeps nothing opens as before.
    }
  }

  /** @param {PointerEvent} e @private */
  point(e) {
    const { scene } = this;
    const box = scene.svg.getBoundingClientRect();
    const [x, y] = [(e.clientX - box.left) / scene.scale, (e.clientY - box.top) / scene.scale];
    this.visit('pointed', y > 44 && y < 545 ? stationAt(x) : '');
  }

  /** @param {'pointed' | 'focused'} by @param {string} id @private */
  visit(by, id) {
    if (this[by] === id) return;
    this[by] = id;
    this.open();
  }

  /** Opens the stations whose details show, and shuts the others. */
  open() {
    const lit = this.lit() ?? [];
    for (const el of this.app.querySelectorAll('[data-station]')) {
      const id = el.getAttribute('data-station') ?? '';
      el.classList.toggle('opened', id === this.pointed || id === this.focused || lit.includes(id));
    }
  }
}

/** The station of what has the keyboard. @param {EventTarget | null} el */
function stationOf(el) {
  return el instanceof Element ? el.closest('[data-station]')?.getAttribute('data-station') ?? '' : '';
}
