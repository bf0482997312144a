/** @module-tag deep */
import type { AppError, ModelMonth } from '@tollgate/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chat } from '../../../testing/upstream/fake-upstream-scripts.ts';
import { imageUsage, images } from '../../../testing/upstream/fake-upstream-media.ts';
import { type MediaWorld, openMediaWorld } from '../../../testing/worlds/media-world.ts';
import { createModelMonths, type ModelMonthDeps, type ModelMonths } from './model-months.ts';
import { noTotals, type Totals } from './totals.ts';

// Real calls through a real gateway. The thread that reads their rows prices them as calls to another model.

let world: MediaWorld;
let months: ModelMonths;
let image: number;
/** Advances the clock, so that an answer differs from the previous one or a new month begins. */
let later = 0;

const day = 86_400_000;
const none = { rows: 0, quota: 0 };

beforeAll(async () => {
  world = await openMediaWorld();
  const { core } = world.gate;
  await world.gate.addChannel({ models: 'chatty,gpt-image-1' });
  await core.settings.set('ModelPrice', JSON.stringify({ whole: 0.01 }));
  await core.settings.set('ModelRatio', JSON.stringify({ chatty: 1, dearer: 3, 'gpt-image-1': 2.5 }));
  await core.settings.set('CompletionRatio', JSON.stringify({ chatty: 2, dearer: 4 }));
  await world.begin();
  for (let call = 0; call < 3; call += 1) await ask();
  world.gate.upstream.next(images({ usage: imageUsage(12, 0, 1_056) }));
  const before = await world.spent();
  await world.openai.images.generate({ model: 'gpt-image-1', prompt: 'a cat' });
  await core.ledger.flush();
  image = (await world.spent()) - before;
  months = createModelMonths(depsOf());
});
afterAll(() => world.gate.close());

function depsOf(): ModelMonthDeps {
  const { core } = world.gate;
  return {
    store: core.store,
    address: { url: core.env.databaseUrl, dataDir: core.env.dataDir },
    settings: core.settings,
    pricing: core.pricing,
    clock: () => core.clock() + later,
  };
}

async function ask(): Promise<void> {
  world.gate.upstream.next(chat({ usage: { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 } }));
  await world.openai.chat.completions.create({
    model: 'chatty',
    messages: [{ role: 'user', content: 'hello' }],
  });
}

const sums = ({ rows, before, after, left_out, complete }: ModelMonth) => ({
  rows,
  before,
  after,
  left_out,
  complete,
});

describe('a month at another model’s prices', () => {
  it('is priced by the function that charges, call by call, and leaves out what the model cannot do', async () => {
    expect(sums(await months.of('dearer', world.caller.userId))).toEqual({
      rows: 3,
      before: 3 * (100 + 2 * 10),
      after: 3 * 3 * (100 + 4 * 10),
      left_out: { rows: 1, quota: image },
      complete: true,
    });
    expect(await months.of('whole', world.caller.userId)).toMatchObject({ rows: 3, after: 3 * 5_000 });
  });

  it('at the model of the calls equals what was charged, also with images', async () => {
    const { userId } = world.caller;
    expect(await months.of('chatty', userId)).toMatchObject({ before: 360, after: 360 });
    const drawn = await months.of('gpt-image-1', userId);
    expect(drawn).toMatchObject({ rows: 1, before: image, after: image, left_out: { rows: 3, quota: 360 } });
  });

  it('is of one’s own calls only, and of the site’s for administrators', async () => {
    const own = world.caller;
    await world.begin();
    await ask();
    await world.gate.core.ledger.flush();
    expect(await months.of('dearer', world.caller.userId)).toMatchObject({ rows: 1, before: 120 });
    expect(await months.of('dearer', 0)).toMatchObject({ rows: 4, before: 480 });
    expect(await months.of('dearer', own.userId)).toMatchObject({ rows: 3 });
  });

  it('is not priced by a model without a price', async () => {
    const refused = months.of('nameless', 0).catch((error: unknown) => (error as AppError).code);
    expect(await refused).toBe('model_without_price');
  });

  it('begins with the first of the month', async () => {
    later = 40 * day;
    try {
      expect(sums(await months.of('dearer', 0))).toEqual({
        rows: 0,
        before: 0,
        after: 0,
        left_out: none,
        complete: true,
      });
    } finally {
      later = 0;
    }
  });

  it('is computed for a few requests at a time, one after the other, and cached for a while', async () => {
    // The test ends each plan itself, so the results do not depend on the speed of a thread.
    const begun: { userId: number; end: (totals: Totals) => void; fail: (why: Error) => void }[] = [];
    const held = createModelMonths({
      ...depsOf(),
      run: (_deps, { filter }) => {
        const { promise, resolve, reject } = Promise.withResolvers<Totals>();
        begun.push({ userId: filter.userId, end: resolve, fail: reject });
        return { result: promise, stop: () => undefined };
      },
    });
    const asked = Array.from({ length: 10 }, (_, user) => held.of('dearer', 1 + user));
    const codes = asked
      .slice(8)
      .map((each) => each.then(String, (error: unknown) => (error as AppError).code));
    expect(await Promise.all(codes)).toEqual(['month_busy', 'month_busy']);
    expect(begun.map(({ userId }) => userId)).toEqual([1]);

    const failed = asked[0]!.catch((error: unknown) => (error as Error).message);
    begun[0]!.fail(new Error('no database'));
    expect(await failed).toBe('no database');
    for (const index of [1, 2, 3, 4, 5, 6, 7]) {
      await expect.poll(() => begun.length).toBe(index + 1);
      begun[index]!.end({ ...noTotals(), total: { rows: index, before: 0, after: 0 } });
      expect(await asked[index]).toMatchObject({ rows: index });
    }
    expect(begun.map(({ userId }) => userId)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);

    // An answered plan is not asked again; a failed plan is.
    expect(await held.of('dearer', 2)).toBe(await asked[1]);
    expect(begun).toHaveLength(8);
    const again = held.of('dearer', 1);
    await expect.poll(() => begun.length).toBe(9);
    begun[8]!.end(noTotals());
    expect(await again).toMatchObject({ rows: 0 });
  });
});
