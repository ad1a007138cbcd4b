// @ts-check
// What the button of the two-releases view does: a burst of changes in which one object changes around another, behind a held Pop.

/** @param {() => boolean} done @param {number} ms at most */
function waitUntil(done, ms) {
  return new Promise((resolve) => {
    const end = performance.now() + ms;
    const look = () => (done() || performance.now() > end ? resolve(undefined) : requestAnimationFrame(look));
    look();
  });
}

/** Whether an object changed, then another one, then the first again. @param {import('../wire/types.js').SentChange[]} changes */
function isCrossed(changes) {
  const between = (/** @type {number} */ i, /** @type {number} */ j) => changes.slice(i + 1, j).some((c) => c.key !== changes[i].key);
  return changes.some((a, i) => changes.some((b, j) => j > i + 1 && b.key === a.key && between(i, j)));
}

export class Burst {
  /** @param {import('../wire/page-types.js').Ctx} ctx */
  constructor(ctx) {
    this.ctx = ctx;
    this.busy = false;
    /** Numbers the deployments that were made. */
    this.serial = 1;
  }

  /** Holds Pop and makes the changes. */
  async make() {
    const { ctx } = this;
    const { model } = ctx;
    if (this.busy) return;
    this.busy = true;
    const total = () => (model.compare?.held ? model.compare.total : 0);
    try {
      if (model.view.mode !== 'live') await ctx.act('live');
      if ((model.state.source.rate ?? 0) > 0 || model.state.api.writesPerSecond > 1) await ctx.act('cluster', 'rate', { perSecond: 0 });
      await ctx.act('hold', 'pop');
      await waitUntil(() => !!model.hold('pop'), 1500);
      const few = model.state.resource.resource === 'pods' && model.state.indexer.count > 0 && model.state.indexer.count <= 4;
      if (few) await this.change(total);
      else await this.create();
    } finally {
      this.busy = false;
    }
  }

  /** Changes the few objects there are, until one has changed around another. @param {() => number} total @private */
  async change(total) {
    for (let i = 0; i < 4 && !isCrossed(this.ctx.model.compare?.changes ?? []); i++) {
      const was = total();
      const n = i ? 1 : 3;
      await this.ctx.act('cluster', 'burst', { n });
      await waitUntil(() => total() >= was + n, 800);
    }
  }

  /** Makes two deployments: the pod of each is added, scheduled and started while the other's is. @private */
  async create() {
    const namespace = this.ctx.model.state.resource.namespace || 'shop';
    const name = (/** @type {number} */ i) => `${['alpha', 'beta', 'gamma', 'delta'][i % 4]}-${this.serial++}`;
    await Promise.all([0, 1].map((i) => this.ctx.act('cluster', 'create', { namespace, name: name(i), replicas: 1 })));
  }
}
