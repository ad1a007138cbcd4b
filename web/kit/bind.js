// @ts-check
// What the words of a text are bound to, and how they are made.
import * as formats from './format.js';
import { t } from './i18n.js';

/**
 * What makes words of a value: a function of format.js, with its other arguments behind a space (`version 8`). A text is the `same`, or cut to its room
 * (`fit`, `middle`). A sentence of i18n.js is `t` and its key.
 * @typedef {'same' | 'fit' | keyof typeof formats | `version ${number}` | `seconds behind ${string}` | `t ${string}`} As
 */
/** What is painted. @typedef {Partial<import('../wire/page-types.js').Lane> & {factory?: object, lanes?: object[]}} From */
/** @typedef {(from: From) => any} Value */

/** @type {Record<string, (a: number, b: number) => number>} */
const operators = { '+': (a, b) => a + b, '-': (a, b) => a - b, '*': (a, b) => a * b, '/': (a, b) => a / b, max: Math.max, min: Math.min };

/** A number, or what is at a path into State, `facts` or `view`. `[stage=pop]` finds a member of a list. @param {string} word @returns {Value} */
function operand(word) {
  if (/^[\d.]+$/.test(word)) return () => Number(word);
  const path = word.replace(/^(atMillis|seq)$/, 'view.$1').replace(/^(lanes\.\d+\.)?(?!(facts|view|factory|lanes|now)\b)/, '$1state.');
  const steps = path.split(/[.[]/).map((name) => {
    const [, key, value] = /^(\w+)=(.*)\]$/.exec(name) ?? [];
    return key ? (/** @type {any[] | undefined} */ list) => list?.find((x) => String(x[key]) === value) : name;
  });
  return (from) => {
    /** @type {any} */
    let v = from;
    for (const step of steps) v = typeof step === 'string' ? v?.[step] : step(v);
    return v;
  };
}

/**
 * The value of an expression. It is evaluated from left to right, with + - * / max min between spaces, and `now` is the moment that is painted
 * (`now - reflector.requestMillis max 0`).
 * @param {string} sum
 * @returns {Value}
 */
export function compile(sum) {
  const [first, ...rest] = sum.split(' ');
  let value = operand(first);
  for (let i = 0; i < rest.length; i += 2) {
    const [a, operator, b] = [value, operators[rest[i]], operand(rest[i + 1])];
    if (!operator) throw new Error(`“${sum}”: “${rest[i]}” is none of ${Object.keys(operators).join(' ')}`);
    value = (from) => operator(a(from), b(from));
  }
  return value;
}

/** The function that makes words of a value. @param {string} as @returns {(value: any) => string} */
function formatOf(as) {
  const [name, ...more] = as.split(' ');
  if (['same', 'fit', 'middle'].includes(name)) return String;
  const format = /** @type {any} */ (formats)[name];
  if (!format) throw new Error(`“${as}”: format.js has no “${name}”`);
  if (more[0] === 'behind') return (value) => `${t(more[1])}, ${format(value)}`;
  const rest = more.map(Number);
  return (value) => format(value, ...rest);
}

/**
 * What a text is bound to, compiled: the value, what makes words of it, and what makes those in full. The value of a sentence are its words, and its
 * path has its arguments (`a=span now - reflector.requestMillis; b=exact reflector.timeoutSeconds`).
 * @param {string} path @param {string} as @param {string} whole
 */
export function sourceOf(path, as, whole) {
  const full = whole ? formatOf(whole) : () => '';
  if (!as.startsWith('t ')) return { value: compile(path), format: formatOf(as), full };
  const args = path.split('; ').map((arg) => {
    const [, name, how, sum] = /^(\w+)=(\w+) (.*)$/.exec(arg) ?? [];
    if (!name) throw new Error(`“${arg}” is no argument: write its name, =, a function of format.js, and an expression`);
    return { name, format: formatOf(how), value: compile(sum) };
  });
  /** @type {Value} */
  const words = (from) => t(as.slice(2), Object.fromEntries(args.map(({ name, format, value }) => [name, format(value(from))])));
  return { value: words, format: String, full };
}
