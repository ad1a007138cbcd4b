// @ts-check
// The palette that is on: by the address, or as the machine asks for contrast.
import * as fragment from './fragment.js';

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
    this.name = names[(names.indexOf(this.name) + 1) % names.length];
    fragment.write({ theme: this.name === 'dark' ? null : this.name });
    this.apply();
  }

  /** Takes the address's, which somebody may have written. Returns whether it is another one. */
  follow() {
    const asked = fragment.read().get('theme') ?? 'dark';
    if (!names.includes(asked) || asked === this.name) return false;
    this.name = asked;
    this.apply();
    return true;
  }
}
