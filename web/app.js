// @ts-check
// The page, put together: the worker, the model of what it says, the stage, the bars around it, and what keys do. Each part is a file of its own; what
// belongs to several of them is here.
import { Address } from './page/address.js';
import { Audience } from './hall/audience.js';
import { automation } from './page/automation.js';
import { Away } from './page/away.js';
import { Broadcast } from './hall/broadcast.js';
import { Caption } from './bars/caption.js';
import { Lost } from './page/crash.js';
import { h } from './kit/dom.js';
import { listDrawn } from './wire/drawn.js';
import { openDiagnosis } from './time/diagnosis.js';
import { SecondOpinion } from './time/opinion.js';
import { Explain } from './stage/explain.js';
import { Failures } from './page/failures.js';
import { Files } from './bars/files.js';
import { openFork } from './bars/fork.js';
import { capitalize, exact } from './kit/format.js';
import { FirstVisit, isFirst } from './story/firstvisit.js';
import { releases } from './kit/commands.js';
import * as fragment from './wire/fragment.js';
import { language, setLanguage, t } from './kit/i18n.js';
import { Laboratory } from './views/laboratory.js';
import { Handout } from './story/handout.js';
import { holdable, releaseEverywhere, toggleHold } from './stage/holds.js';
import { Inspector } from './object/inspector.js';
import * as tour from './story/tour.js';
import { bindKeys, openHelp } from './page/keys.js';
import { playKeys } from './wire/boot.js';
import { Link, Superseded } from './wire/link.js';
import { Loading } from './stage/loading.js';
import { Model, places } from './wire/model.js';
import { paintedMoment } from './wire/moment.js';
import { Painter } from './stage/painter.js';
import { picture as draw, sharp, toPNG } from './bars/picture.js';
import { closePopup, openPopup } from './kit/popup.js';
import { Remedy } from './kit/remedy.js';
import { listen } from './page/remote.js';
import { Ride } from './object/ride.js';
import { Scene } from './stage/scene.js';
import { openSimMenu } from './bars/simmenu.js';
import { Theme } from './bars/theme.js';
import { Toast } from './kit/toast.js';
import { Token } from './page/token.js';
import { TopBar } from './bars/topbar.js';
import { Transport } from './time/transport.js';
import { plain } from './kit/trouble.js';
import { Views } from './views/views.js';

const app = /** @type {HTMLElement} */ (document.getElementById('app'));
const live = /** @type {HTMLElement} */ (document.getElementById('live'));
app.replaceChildren(); // the name, which index.html shows until the parts are built
tour.adopt();
const asked = fragment.read();

/** Whether this page came from a server, which may have a relay, or a speaker to follow. A folder on a static host (tools/site) has neither. */
const web = location.protocol === 'http:' || location.protocol === 'https:';
const followable = web && !document.querySelector('meta[name="informerscope-relay"][content="none"]');
const follows = followable ? asked.get('audience') ?? '' : '';

const theme = new Theme();
setLanguage(asked.get('lang') ?? (navigator.language?.startsWith('zh') ? 'zh' : 'en'));

// --- What every part is given.

const model = new Model();
const scene = new Scene(app);
const toast = new Toast(app);
/** The key of the selected object; empty for none. */
let selected = '';
/** The version of the change that is followed, empty for the newest. */
let followed = '';

/** @type {import('./wire/page-types.js').Ctx} */
const ctx = {
  model,
  scene,
  still: matchMedia('(prefers-reduced-motion: reduce)'),
  t,
  now: () => painter.now(),
  call: (name, ...args) => link.call(name, args),
  // A call whose failure is shown on the page.
  act: (name, ...args) =>
    address.perform(name, args).catch((err) => {
      if (!(err instanceof Superseded)) ctx.say(capitalize(plain(ctx, err.message)), true);
      return undefined;
    }),
  select: (key, lane, rv) => pick(key, true, lane, rv),
  selected: () => selected,
  popup: (anchor, build, options) => openPopup(app, anchor, build, options),
  say: (words, bad) => toast.say(words, bad),
  attempt: (part, act) => failures.attempt(part, act),
  repaint: () => {
    painter.dirty = true;
    painter.wake();
  },
  // Without the token, which is in the address that the server prints, the worker reports what is missing.
  relay: followable && !follows,
  follower: !!follows,
  picture: (caption) => picture(caption),
  spotlight: (ids) => {
    views.stage.spot = ids;
    ctx.repaint();
  },
  get opinion() {
    return opinion;
  },
};
const opinion = new SecondOpinion(ctx);

// --- The parts, in the order in which the page has them.

const failures = new Failures(ctx, app);
failures.listen();

const top = new TopBar(ctx, app, {
  theme: nextTheme, language: nextLanguage, help, save: () => files.save(), open: () => files.open(),
  presenter: () => views.present(), stories: (b) => views.stories.open(b),
});
/** An object of the cluster. */
const anyKey = () => [...model.worlds.cells.values()].filter((c) => c.places & places.cluster).map((c) => c.key).sort()[0] ?? '';
ctx.clusterMenu = (anchor) => openSimMenu(ctx, anchor, selected || anyKey());
const captionLine = h('span', { class: 'say' });
const remedy = new Remedy(ctx, 'remedy', 'key', () => caption.complete);
app.append(h('div', { class: 'cap' }, captionLine, remedy.root));
const caption = new Caption(ctx, captionLine, live);
const files = new Files(ctx, app);
const transport = new Transport(ctx, app, { mark: (n) => views.stage.foot.overview.mark(n), share: (anchor) => files.menu(anchor) });
const inspector = new Inspector(ctx, app, () => {
  if (selected) pick('');
}, (key, lane) => rideOn(key, lane));
const laboratory = new Laboratory(ctx, app);
ctx.laboratory = () => laboratory.open();
ctx.diagnose = () => openDiagnosis(ctx, app);
const ride = new Ride(ctx, app, {
  words: (hop) => inspector.words(hop, 'ride.at.'), leaves: () => !!views.stories.story,
  opened: (key) => {
    inspector.shut();
    if (selected !== key) follow(key, '');
    views.stories.rideOpened();
  },
  closed: () => {
    views.stage.time.ride(null);
    views.stories.rideClosed();
  },
  shows: (millis) => views.stage.time.ride(millis),
});
ctx.riding = () => ride.position;
ctx.inspects = () => inspector.isOpen;
const loading = new Loading(app);
const explain = new Explain(ctx, app);
const away = new Away(ctx);
const lost = new Lost(ctx, app, () => files.restart());
/** @type {Broadcast | null} */
const broadcast = ctx.follower ? null : new Broadcast(ctx, app, {
  page: () => ({ presenter: views.presenting, story: views.stories.position(), object: selected, lane: model.factory?.shown ?? -1 }),
});
if (broadcast) top.icons.prepend(broadcast.button);
ctx.broadcast = broadcast ? (anchor) => broadcast.open(anchor) : undefined;
const views = new Views(ctx, app, {
  caption, top, transport, theme: nextTheme, language: nextLanguage, find: () => views.stage.worlds.find(), explain: () => explain.step(1), ride,
  say: (clock) => sayCaption(clock),
});
ctx.explain = (id) => explain.open(id);
const handout = new Handout(ctx, views.stories, { light });
ctx.handout = (id) => printStory(id).catch(() => {}); // the error was shown already
const audience = ctx.follower ? new Audience(ctx, app, views, { pick: (key) => pick(key, false) }) : null;
/** The card over the stage on a first visit. */
const firstVisit = isFirst(asked) ? new FirstVisit(ctx, {
  tour: () => views.stories.beginTour(),
  stories: () => views.stories.open(views.isPhone ? views.phone.storyB : top.story, 'handlers'),
  cluster: () => {
    const b = views.isPhone ? views.phone.src : top.src;
    b.focus(); // where it returns to when the menu closes
    top.openSources(b);
  },
}) : null;
const token = new Token(ctx, app);
ctx.token = () => token.value;
ctx.newLink = () => token.dialog.open();
// Selecting the present selection again makes the server ask at once.
ctx.again = () => ctx.act('select', {});

const link = new Link({
  init: {
    fragment: location.hash.replace(/^#/, ''),
    token: token.value,
    audience: follows,
    page: location.href.replace(/#.*$/, ''),
    relay: ctx.relay ? `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/relay` : '',
  },
  came: (frame) => painter.note(frame),
  progress: (p) => {
    if (p.stage === 'file') files.progress(p);
    else loading.progress(p);
    ctx.repaint();
  },
  ready: (exactly, go) => {
    files.exact = exactly;
    files.go = go;
    loading.progress({ stage: 'first', loaded: 0, total: 0 });
    address.begin();
    ctx.repaint();
  },
  crash: (c) => {
    firstVisit?.end(); // the buttons of what ended are under it
    lost.end(c);
  },
  onAir: (state) => {
    broadcast?.hear(state);
    ctx.repaint();
  },
  failed: (message) => failures.report(message),
  hearing: (state) => {
    audience?.hear(state);
    ctx.repaint();
  },
  silent: (seconds) => lost.reportSilence(seconds, link.dead),
});
const address = new Address(ctx, link, {
  files,
  token,
  restart: () => loading.progress({ stage: 'first', loaded: 0, total: 0 }),
  fail: () => {
    loading.fail();
    playKeys();
  },
  story: (id) => views.stories.takeUp(id).finally(() => {
    storyComes = false;
    takeKeys();
  }),
  selected: (elsewhere) => {
    pick('');
    // A message about another source must not stay over this one.
    if (elsewhere) toast.clear();
  },
  broadcast: () => broadcast?.ask().catch(() => {}), // the menu shows why when it is opened
});
/** Whether a frame was shown, whether a story that the address names has yet to begin, and whether keys are kept. */
let [hasShown, storyComes, keepsKeys] = [false, asked.has('story'), true];
/** How long the page waits for that story before it takes keys, in ms. */
const patience = 30_000;
/** Takes the keys that were kept, with a story when its first step shows. The last frame may come before the answer that the story has begun, or after it. */
function takeKeys() {
  if (!keepsKeys || !hasShown || storyComes || (views.stories.story && views.stories.starting)) return;
  keepsKeys = false;
  playKeys();
}
const painter = new Painter(ctx, {
  link, views, caption, bars: paintBars, before: paintBefore, failed: (error) => failures.report(error),
  took: (frame, first, clock) => {
    away.note(frame);
    views.apply(frame, clock);
    if (first) {
      loading.end();
      firstVisit?.open();
      hasShown = true;
      if (storyComes) setTimeout(playKeys, patience);
    }
    takeKeys();
    address.followLog();
  },
});

// --- What belongs to several of them.

/** The moment from which the bars around the stage were last painted. @type {import('./wire/moment.js').Painted | undefined} */
let barsPainted;

/** The moment that an element was painted from. @param {Element} el */
function paintedFrom(el) {
  return transport.root.contains(el) ? barsPainted : views.painted;
}

/** Paints the bars around the stage. @param {number} clock */
function paintBars(clock) {
  barsPainted = paintedMoment(ctx);
  const parts = {
    top: () => top.paint(), broadcast: () => broadcast?.paint(), audience: () => audience?.paint(), transport: () => transport.paint(),
    explain: () => explain.paint(), inspector: () => inspector.refresh(), ride: () => ride.paint(), remedy: () => remedy.paint(),
    token: () => token.offer(!!blackout || views.presenting), firstVisit: () => firstVisit?.paint(), caption: () => sayCaption(clock),
    opinion: () => opinion.watch(),
  };
  for (const [part, paint] of Object.entries(parts)) ctx.attempt(part, paint);
}

/** Writes the sentence, or one in place of the log's own. @param {number} clock */
function sayCaption(clock) {
  const playing = address.hurry ? t('file.playing', { n: exact(address.hurry) }) : audience?.trouble;
  caption.paint(clock, address.asking || lost.words || playing || undefined);
}

/** What there is to see before the log has its first event. @param {number} clock */
function paintBefore(clock) {
  top.pending = model.unbegun = lost.ended ? '' : address.failed;
  top.paint();
  transport.paint();
  remedy.paint();
  audience?.paint();
  caption.paint(clock, address.asking || beforeAll());
  views.paintBefore(clock);
}

/** The caption before there is a log; nothing where an error takes its place. */
function beforeAll() {
  if (lost.ended) return lost.words;
  if (audience && loading.stage >= 3) return audience.trouble || t('hall.first');
  if (address.failed) return undefined;
  return t(loading.stage < 3 ? 'cap.loading' : 'cap.start');
}

/**
 * @param {string} key @param {boolean} [byHand] the person of this page does it, and not the speaker who is followed
 * @param {number} [lane] @param {string} [rv] of the change to follow, the newest without one
 */
function pick(key, byHand = true, lane = 0, rv = '') {
  if (byHand && key !== selected) ctx.leaveSpeaker?.();
  if (selected === key) {
    if (key && followed !== rv) follow(key, rv);
    if (key && (!inspector.isOpen || inspector.lane !== lane)) inspector.open(key, lane);
    return;
  }
  follow(key, rv);
  if (key) inspector.open(key, lane);
  else inspector.close();
}

/** Follows a change of an object: its cells and its way are marked. @param {string} key @param {string} rv empty for the newest */
function follow(key, rv) {
  selected = key;
  followed = rv;
  link.call('follow', [key, rv]).catch(() => {});
  ctx.repaint();
}

/** Rides the newest change of an object. @param {string} key @param {number} [lane] */
async function rideOn(key, lane) {
  try {
    if (selected !== key) pick(key);
    await ride.open(key, lane);
  } catch (err) {
    ctx.say(capitalize(plain(ctx, /** @type {Error} */ (err).message)), true);
    throw err;
  }
}

/** The size of the window, the palette or the language is another one. */
function resize() {
  scene.readColours();
  views.resize();
  ctx.repaint();
}

/** A still of the stage. @param {boolean} [caption] with its sentence */
async function picture(caption = true) {
  views.stage.pose(sharp);
  painter.paintWhole();
  const at = views.pictureBox();
  const drawn = draw(app, at, captionLine.textContent ?? '', caption);
  const name = `informerscope-${model.view.seq}`;
  views.stage.pose(1);
  painter.paintWhole();
  return { name, at: at.toJSON(), svg: drawn.svg, png: await toPNG(drawn) };
}

/** Puts the page on white until what it gives is called. */
function light() {
  const before = theme.name;
  const wear = (/** @type {string} */ name) => {
    theme.wear(name);
    resize();
  };
  wear(before.startsWith('contrast') ? 'contrast-light' : 'light');
  return () => wear(before);
}

/** Prints a story, and shows what prevents it. @param {string} id */
function printStory(id) {
  return handout.print(id).catch((err) => {
    ctx.say(capitalize(plain(ctx, err.message)), true);
    throw err;
  });
}

function nextTheme() {
  theme.next();
  resize();
}

/** Puts a palette on, by its name. @param {string} name */
function chooseTheme(name) {
  theme.choose(name);
  resize();
}

function nextLanguage() {
  setLanguage(language() === 'zh' ? 'en' : 'zh');
  fragment.write({ lang: language() === 'zh' ? 'zh' : null });
  caption.repaint();
  loading.paint();
  inspector.render();
  laboratory.paint();
  closePopup();
  resize();
}

/** Opens the list of keys, with a button for the tour; a follower has no tour. */
function help() {
  openHelp(app, ctx.follower ? undefined : { words: t('tour.begin'), go: () => views.stories.beginTour() });
}

/** Holds or releases a stage by its number on the keyboard; "deliver" is that of the open handler, or of the first. @param {number} digit */
function hold(digit) {
  const stage = holdable[digit - 1];
  if (stage) toggleHold(ctx, stage, stage === 'deliver' ? views.stage.handler : undefined);
}

/** What makes the screen dark for a moment, as speakers do. @type {HTMLElement | null} */
let blackout = null;
function black() {
  if (blackout) {
    blackout.remove();
    blackout = null;
    return true;
  }
  blackout = h('div', { class: 'black' });
  blackout.addEventListener('click', black);
  document.body.append(blackout);
  return false;
}

/** Shuts what lies on top. Returns whether there was something. */
function escape() {
  if (blackout) return black();
  if (explain.close() || ride.close() || views.escape()) return true;
  if (!inspector.isOpen) return false;
  inspector.close();
  return true;
}

/** Does what changes the experiment; a follower gets a message that only the speaker can. @param {() => unknown} act */
function byOwner(act) {
  if (ctx.follower) ctx.say(t('hall.noAct'));
  else act();
}

bindKeys({
  toggle: () => transport.toggle(),
  // Until a story's first step shows there is nothing to step through: the press is for the story.
  step: (n) => views.stories.story && views.stories.starting ? views.stories.turn(n) : transport.step(n),
  faster: (n) => transport.changeSpeed(n),
  start: () => transport.toStart(),
  live: () => transport.live(),
  mark: (n) => views.stage.foot.overview.mark(n),
  find: () => views.stage.worlds.find(),
  escape,
  hold: (d) => byOwner(() => hold(d)),
  release: (n) => byOwner(() => releaseEverywhere(ctx, n)),
  fault: (name) => byOwner(() => top.fault(name)),
  black,
  theme: nextTheme,
  language: nextLanguage,
  era: () => byOwner(() => {
    const now = releases.findIndex((r) => r.era === model.state.era.split(',')[0]);
    ctx.act('select', { era: releases[(now + 1) % releases.length].era });
  }),
  help,
  fork: () => byOwner(() => openFork(ctx, transport.fork.b)),
  explain: (n) => explain.step(n),
  air: () => {
    if (audience?.hearing.own) audience.rejoinSpeaker();
    else if (broadcast && ctx.relay) broadcast.open(broadcast.button.hidden ? transport.share.b : broadcast.button);
  },
  qr: () => broadcast?.isOn && broadcast.enlarge(),
});

// A press with the pointer does not keep the focus, so that the space bar still plays and pauses.
document.addEventListener('click', (e) => {
  const b = /** @type {HTMLElement} */ (e.target).closest('button');
  if (b && e.detail > 0 && !b.closest('.pop, .ov, .drawer') && document.activeElement === b) b.blur();
});

let resizing = 0;
addEventListener('resize', () => {
  cancelAnimationFrame(resizing);
  resizing = requestAnimationFrame(() => {
    scene.measure();
    resize();
  });
});

addEventListener('hashchange', (e) => {
  tour.adopt();
  const p = fragment.read();
  if (followable && (p.get('audience') ?? '') !== follows) return location.reload();
  if (token.follow(e.oldURL, link.alive)) return location.reload();
  address.followAddress(e.oldURL);
  if (theme.follow()) resize();
  laboratory.follow();
  const l = p.get('lang');
  if (l && l !== language()) nextLanguage();
});

/** @type {any} */ (globalThis).informerscope = automation({
  address, link, views, audience, pick, ride: rideOn, drawn: () => listDrawn(app, paintedFrom), picture, handout: printStory,
});
listen({ address, link, stories: views.stories, theme: chooseTheme, present: () => views.present(true) });
views.resize();
painter.wake();
address.ready.then(() => laboratory.follow());
