// @ts-check
// The palette that is on: by the address, or as the machine asks for contrast.
import * as fragment from '../wire/fragment.js';

const names = ['dark', 'light', 'contrast', 'contrast-light'];

export class Theme {
  constructor() {
    const asked = names.find((name) => name === fragment.read().get('theme'));
    this.name = asked ?? (matchMedia('(prefers-contrast: more)').matches ? 'contrast' : 'dark');
    this.apply();
  }

  /** @private */
  apply() {
    const c = document.documentElement.classList;
    c.toggle('is-light', this.name === 'light' || this.name === 'contrast-light');
    c.toggle('is-contrast', this.name.startsWith('contrast'));
  }

  /** Puts one on that the address does not name. @param {string} name */
  wear(name) {
    this.name = name;
    this.apply();
  }

  /** Goes to the next one, and writes it into the address. */
  next() {
    this.choose(names[(names.indexOf(this.name) + 1) % names.length]);
  }

  /** Goes to one, and writes it into the address. @param {string} name */
  choose(name) {
    if (!names.includes(name)) throw new Error(`There is no theme ${JSON.stringify(name)}; there are ${names.join(', ')}.`);
    fragment.write({ theme: name === 'dark' ? null : name });
    this.wear(name);
  }

  /** Takes the theme of the address, which may have any value. Returns whether it changed. */
  follow() {
    const asked = fragment.read().get('theme') ?? 'dark';
    if (!names.includes(asked) || asked === this.name) return false;
    this.name = asked;
    this.apply();
    return true;
  }
}
