import {
  AppError,
  type RehearsalData,
  type RehearsalOutcome,
  type RehearsalSelection,
} from '@tollgate/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { images, imageUsage, speech } from '../../../testing/upstream/fake-upstream-media.ts';
import { chat, json } from '../../../testing/upstream/fake-upstream-scripts.ts';
import { type MediaWorld, openMediaWorld } from '../../../testing/worlds/media-world.ts';
import { openTaskWorld } from '../../../testing/upstream/tasks/task-world.ts';
import type { Core } from '../../../boot/site.ts';
import { createRehearsals, type Rehearsals } from './service.ts';

// Real calls of many kinds through a real gateway. The thread that reads their rows prices them again.

const everything: RehearsalSelection = {
  days: 7,
  start: 0,
  end: 0,
  models: [],
  groups: [],
  channel: 0,
  user: 0,
};
let serial = 0;

const open = (core: Core): Rehearsals =>
  createRehearsals({
    store: core.store,
    address: { url: core.env.databaseUrl, dataDir: core.env.dataDir },
    settings: core.settings,
    newId: () => `rehearsal-${(serial += 1)}`,
    clock: core.clock,
    log: core.log,
  });

async function ended(rehearsals: Rehearsals, id: string): Promise<RehearsalData> {
  await expect.poll(() => rehearsals.state(id).state, { timeout: 20_000 }).not.toBe('running');
  return rehearsals.state(id);
}

async function readOutcome(
  rehearsals: Rehearsals,
  draft: Record<string, unknown> = {},
  selection: Partial<RehearsalSelection> = {},
): Promise<RehearsalOutcome> {
  const texts = Object.fromEntries(Object.entries(draft).map(([key, value]) => [key, JSON.stringify(value)]));
  const { outcome } = await ended(rehearsals, rehearsals.start(texts, { ...everything, ...selection }));
  if (!outcome) throw new Error('the rehearsal came to nothing');
  return outcome;
}

/** The code of the thrown error. */
function refusalOf(work: () => unknown): string | undefined {
  try {
    work();
  } catch (error) {
    return error instanceof AppError ? error.code : String(error);
  }
  return undefined;
}

let world: MediaWorld;
let rehearsals: Rehearsals;
let spent: number;

/** Ratios and prices of the calls below. */
const ModelRatio = {
  chatty: 1.25,
  searched: 2,
  'gpt-image-1': 2.5,
  'tts-1': 7.5,
  'text-embedding-3-small': 0.01,
};
const ModelPrice = { 'dall-e-3': 0.04, whole: 0.01 };

beforeAll(async () => {
  world = await openMediaWorld();
  const { gate } = world;
  const models = [...Object.keys(ModelRatio), ...Object.keys(ModelPrice)].join();
  await gate.addChannel({ models });
  await gate.core.settings.set('ModelPrice', JSON.stringify(ModelPrice));
  await gate.core.settings.set('ModelRatio', JSON.stringify(ModelRatio));
  await world.begin();
  await makeCalls(world);
  await gate.core.ledger.flush();
  spent = await world.spent();
  rehearsals = open(gate.core);
});
afterAll(async () => {
  rehearsals.close();
  await world.gate.close();
});

/** A call of each kind that has its own way of pricing. */
async function makeCalls({ gate, openai }: MediaWorld): Promise<void> {
  const messages = [{ role: 'user' as const, content: 'hello' }];
  const ask = (model: string, more: object = {}) =>
    openai.chat.completions.create({ model, messages, ...more } as never) as Promise<unknown>;
  gate.upstream.next(chat({ usage: { prompt_tokens: 1_000, completion_tokens: 50, total_tokens: 1_050 } }));
  await ask('chatty');
  const details = {
    prompt_tokens_details: { cached_tokens: 600, audio_tokens: 30 },
    completion_tokens_details: { reasoning_tokens: 40, audio_tokens: 20 },
  };
  gate.upstream.next(
    chat({
      usage: { prompt_tokens: 1_000, completion_tokens: 100, total_tokens: 1_100, ...details } as never,
    }),
  );
  await ask('chatty');
  gate.upstream.next(chat({ usage: null }));
  await ask('chatty');
  gate.upstream.next(chat());
  await ask('whole');
  gate.upstream.next(searchAnswer);
  await openai.responses.create({ model: 'searched', input: 'x', tools: [{ type: 'web_search' }] } as never);
  gate.upstream.next(images({ images: 2 }));
  await openai.images.generate({ model: 'dall-e-3', prompt: 'cats', n: 2, size: '1792x1024' });
  gate.upstream.next(images({ usage: imageUsage(12, 0, 1_056) }));
  await openai.images.generate({ model: 'gpt-image-1', prompt: 'a cat' });
  gate.upstream.next(speech(Buffer.from('sound')));
  await openai.audio.speech.create({ model: 'tts-1', input: 'hello there', voice: 'alloy' });
  await openai.embeddings.create({ model: 'text-embedding-3-small', input: 'one two three' });
}

const searchAnswer = json({
  id: 'r',
  object: 'response',
  status: 'completed',
  created_at: 1,
  model: 'm',
  output: [{ type: 'web_search_call', id: 'w', status: 'completed', action: { type: 'search', query: 'x' } }],
  usage: { input_tokens: 10, output_tokens: 5, total_tokens: 15 },
});

describe('a rehearsal', () => {
  it('at the prices of today equals what was charged', async () => {
    const { total, apart, users, dry, costed } = await readOutcome(rehearsals);
    expect(costed).toEqual({ rows: 0, before: 0, after: 0, cost: 0 });
    expect({ total, apart }).toEqual({ total: { rows: 9, before: spent, after: spent }, apart: [] });
    expect({ users, dry }).toEqual({ users: [], dry: [] });
  });

  it('names models, keys and users by the size of the change', async () => {
    const draft = { ModelPrice: { ...ModelPrice, 'dall-e-3': 0.06 } };
    const { models, users, keys, total, changed } = await readOutcome(rehearsals, draft);
    // Two images at twice the price: 4 × $0.04 and 4 × $0.06.
    expect(models).toEqual([{ name: 'dall-e-3', rows: 1, before: 80_000, after: 120_000 }]);
    expect(users).toEqual([
      expect.objectContaining({ id: world.caller.userId, rows: 9, before: spent, after: spent + 40_000 }),
    ]);
    expect(keys).toEqual([
      expect.objectContaining({ id: world.caller.tokenId, user_id: world.caller.userId }),
    ]);
    expect(total.after).toBe(spent + 40_000);
    expect(changed).toEqual({ users: 1, keys: 1, models: 1 });
  });

  it('shows the margin, where costs are known', async () => {
    const { db } = world.gate.core.store;
    await db.updateTable('logs').set({ cost: 30_000 }).where('model_name', '=', 'dall-e-3').execute();
    const { costed } = await readOutcome(rehearsals, { ModelPrice: { ...ModelPrice, 'dall-e-3': 0.06 } });
    expect(costed).toEqual({ rows: 1, before: 80_000, after: 120_000, cost: 30_000 });
  });

  it('leaves out what a selection does not include', async () => {
    const { total } = await readOutcome(rehearsals, {}, { models: ['dall-e-3', 'whole'] });
    expect(total).toEqual({ rows: 2, before: 85_000, after: 85_000 });
    expect((await readOutcome(rehearsals, {}, { groups: ['default'] })).total.rows).toBeGreaterThan(2);
    expect((await readOutcome(rehearsals, {}, { groups: ['vip'] })).total.rows).toBe(0);
    expect((await readOutcome(rehearsals, {}, { user: world.caller.userId + 1 })).total.rows).toBe(0);
    expect((await readOutcome(rehearsals, {}, { end: 1, start: 1 })).total.rows).toBe(0);
  });

  it('shows whose balance would be used up by now, and for how many days the rest lasts', async () => {
    const price = 100;
    const { dry, dry_count: count } = await readOutcome(rehearsals, {
      ModelPrice: { ...ModelPrice, whole: price },
    });
    expect(count).toBe(1);
    expect(dry[0]).toMatchObject({ kind: 'user', id: world.caller.userId, below_zero: true });
    expect(dry[0]!.days_left).toBeLessThan(1);
    expect(dry[0]!.balance).toBe(5_000_000 - spent);
  });

  it('names what a draft would refuse, and prices no row of it', async () => {
    const { searched: _, ...rest } = ModelRatio;
    const { apart, total } = await readOutcome(rehearsals, { ModelRatio: rest });
    expect(apart).toEqual([expect.objectContaining({ reason: 'unpriced', rows: 1 })]);
    expect(total.rows).toBe(8);
  });

  it('refuses an invalid draft with the message of the setting', () => {
    expect(refusalOf(() => rehearsals.start({ ModelRatio: '{"a": -1}' }, everything))).toMatch(/^setting_/);
    expect(refusalOf(() => rehearsals.start({ SystemName: 'x' }, everything))).toBe('rehearsal_not_a_price');
    expect(refusalOf(() => rehearsals.start({}, { ...everything, start: 9, end: 5 }))).toBe('rehearsal_span');
  });

  it('runs alone, is deleted when it is stopped, and another one can start then', async () => {
    const id = rehearsals.start({}, everything);
    expect(refusalOf(() => rehearsals.start({}, everything))).toBe('rehearsal_running');
    expect(refusalOf(() => rehearsals.ended(id))).toBe('rehearsal_not_done');
    rehearsals.stop(id);
    expect(refusalOf(() => rehearsals.state(id))).toBe('rehearsal_gone');
    expect((await readOutcome(rehearsals)).total.rows).toBe(9);
  });
});

describe('tasks', () => {
  it('are priced by the price of a call, drawings without one by the default price', async () => {
    const tasks = await openTaskWorld();
    const mine = open(tasks.gate.core);
    try {
      await tasks.call('/mj/submit/imagine', { prompt: 'a cat' });
      await tasks.gate.core.ledger.flush();
      expect((await readOutcome(mine)).apart).toEqual([{ reason: 'task_open', rows: 1, quota: 50_000 }]);
      await tasks.gate.core.store.db.updateTable('tasks').set({ state: 'succeeded' }).execute();
      const prices = tasks.gate.core.settings.get('ModelPrice');
      expect((await readOutcome(mine)).total).toEqual({ rows: 1, before: 50_000, after: 50_000 });
      const dearer = await readOutcome(mine, { ModelPrice: { ...prices, mj_imagine: 0.3 } });
      expect(dearer.total).toEqual({ rows: 1, before: 50_000, after: 150_000 });
      const { mj_imagine: _, ...without } = prices;
      expect((await readOutcome(mine, { ModelPrice: without })).total.after).toBe(50_000);
    } finally {
      mine.close();
      await tasks.close();
    }
  });
});
