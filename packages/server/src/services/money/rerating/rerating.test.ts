import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Store, logs, marginSums, pricedRows, quotaData } from '../../../store/index.ts';
import { eachDialect } from '../../../store/each-dialect.ts';
import { addMember, addTeam } from '../ledger/testing/team-bed.ts';
import { addChannel, addPerson, openLedger, type Person, unique } from '../ledger/testing/test-bed.ts';
import { checkBooks } from '../ledger/index.ts';
import {
  callTime,
  figures,
  makeCall,
  openReratings,
  planOf,
  type Ratios,
} from '../../../testing/rerating/bed.ts';
import { bookOf, reprice, readCorrections } from '../rehearsal/index.ts';
import type { Reratings } from './index.ts';

const wrong: Ratios = { chat: 10, draw: 2, cheap: 1 };
const right: Ratios = { chat: 1, draw: 3, cheap: 1 };

interface World {
  store: Store;
  ledger: ReturnType<typeof openLedger>;
  people: Person[];
  reratings: Reratings;
}

/** A person with a limited key, one without, and a member of a team with a limit. */
async function openWorld(store: Store): Promise<World> {
  const ledger = openLedger(store);
  const team = await addTeam(store, ledger, { balance: 10_000_000 });
  const people = [
    await addPerson(store, ledger, { balance: 10_000_000, allowance: 9_000_000 }),
    await addPerson(store, ledger, { balance: 10_000_000 }),
    await addMember(store, ledger, team, { limit: 8_000_000, allowance: 7_000_000 }),
  ];
  return { store, ledger, people, reratings: openReratings(store, ledger, { right, wrong }) };
}

/** Makes equal calls by the first `callers` people in parallel: the ledger batches them into few transactions. */
async function makeMany({ ledger, people }: World, count: number, callers: number): Promise<void> {
  const call = { model: 'chat', input: 10, output: 1 };
  const made = Array.from({ length: count }, (_, index) =>
    makeCall(ledger, wrong, { person: people[index % callers]!, requestId: unique('m'), ...call }),
  );
  await Promise.all(made);
}

async function correct({ reratings }: World, rehearsal: string, collect = false): Promise<number> {
  const { id } = await reratings.start(1, { rehearsal, reason: 'a "mistyped" price', collect });
  await reratings.work();
  return id;
}

async function undo({ reratings }: World, id: number): Promise<void> {
  await reratings.revert(1, id, 'it was right');
  await reratings.work();
}

const inOrder = async ({ store, people }: World): Promise<void> => {
  expect(await checkBooks(store.db, { atRest: true })).toEqual([]);
  // The hourly sums match the ledger and the rows.
  const period = { start: callTime - (callTime % 3600), end: callTime + 3600 };
  const shown = (rows: readonly { user_id: number; model_name: string; quota: number; count: number }[]) =>
    rows
      .map(({ user_id, model_name, quota, count }) => `${user_id} ${model_name} ${quota} ${count}`)
      .toSorted();
  expect(shown(await quotaData.within(store.db, period))).toEqual(
    shown(await quotaData.fromLedger(store.db, period)),
  );
  // The sums of the log also match. They never change the original charges.
  const taken = await store.db
    .selectFrom('ledger')
    .select((eb) => ['user_id', eb.fn.sum<number>('account_delta').as('delta')])
    .where('kind', 'in', ['usage', 'rerate'])
    .groupBy('user_id')
    .execute();
  for (const { userId } of people) {
    const { quota, refunded } = await logs.stat(store.db, { userId }, 0);
    const delta = taken.find((row) => row.user_id === userId)?.delta ?? 0;
    expect(quota - refunded).toBe(0 - Number(delta));
  }
};

/** Changes of charges by row ID, computed with the rehearsal's function. */
async function rehearsed({ store }: World, ratios: Ratios): Promise<Map<number, number>> {
  const { filter, values } = planOf(ratios);
  const rows = await pricedRows.next(store.db, filter, { after: 0, upTo: 1e9 }, 10_000);
  const { corrected } = await readCorrections(store.db, rows);
  const book = bookOf(values);
  return new Map(
    rows.flatMap((row) => {
      const priced = reprice(row, book, corrected.get(row.id));
      return typeof priced === 'string' || priced.after === priced.before
        ? []
        : [[row.id, priced.after - priced.before] as const];
    }),
  );
}

const calls = fc.array(
  fc.record({
    who: fc.nat({ max: 2 }),
    model: fc.constantFrom('chat', 'draw', 'cheap'),
    input: fc.integer({ min: 0, max: 3_000 }),
    output: fc.integer({ min: 0, max: 500 }),
  }),
  { minLength: 1, maxLength: 60 },
);

eachDialect('corrections of charges', ({ open }) => {
  it(
    'are what was rehearsed row by row, done once, and undone to the unit',
    { timeout: 120_000 },
    async () => {
      const world = await openWorld(await open());
      const { store, ledger, people, reratings } = world;
      const channelId = await addChannel(store);
      await fc.assert(
        fc.asyncProperty(calls, fc.boolean(), async (made, collect) => {
          await Promise.all(
            made.map(({ who, ...call }) =>
              makeCall(ledger, wrong, { person: people[who]!, requestId: unique('r'), channelId, ...call }),
            ),
          );
          const before = await figures(store, people);
          const expected = await rehearsed(world, right);
          const id = await correct(world, 'right', collect);
          const { items } = await reratings.rows(id, { p: 1, page_size: 100_000 });
          const differences = new Map(items.map(({ log_id: log, difference }) => [log, difference]));
          const wanted = [...expected].filter(([, difference]) => collect || difference < 0);
          expect(differences).toEqual(new Map(wanted));
          await inOrder(world);
          const after = await figures(store, people);
          await correct(world, 'right', collect);
          expect(await figures(store, people)).toEqual(after);
          const again = (await reratings.list({ p: 1, page_size: 1 })).items[0]!;
          expect(again.corrected_rows).toBe(0);
          await undo(world, again.id);
          await undo(world, id);
          expect(await figures(store, people)).toEqual(before);
          await inOrder(world);
        }),
        { numRuns: 5 },
      );
      await ledger.close();
    },
  );

  it('never take a balance below zero: the rest is written off, and forgiven when undone', async () => {
    const world = await openWorld(await open());
    const { store, ledger, reratings } = world;
    const poor = await addPerson(store, ledger, { balance: 2_500, allowance: 2_100 });
    await makeCall(ledger, wrong, { person: poor, requestId: 'a', model: 'draw', input: 1_000, output: 0 });
    const before = await figures(store, [poor]);
    const id = await correct(world, 'right', true);
    expect(await reratings.get(id)).toMatchObject({ collected: 500, uncollected: 500, state: 'done' });
    expect((await figures(store, [poor])).people[0]).toMatchObject({ balance: 0, remain: 0, used: 2_500 });
    await inOrder(world);
    const again = await correct(world, 'right', true);
    expect(await reratings.get(again)).toMatchObject({ corrected_rows: 0, collected: 0 });
    await undo(world, id);
    expect(await figures(store, [poor])).toEqual(before);
    await inOrder(world);
    await ledger.close();
  });

  it('that are undone take back what is still there, and report what was spent', async () => {
    const world = await openWorld(await open());
    const { store, ledger, reratings } = world;
    const poor = await addPerson(store, ledger, { balance: 10_000 });
    await makeCall(ledger, wrong, { person: poor, requestId: 'a', model: 'chat', input: 1_000, output: 0 });
    const id = await correct(world, 'right');
    expect((await figures(store, [poor])).people[0]).toMatchObject({ balance: 9_000 });
    await makeCall(ledger, wrong, { person: poor, requestId: 'b', model: 'cheap', input: 8_000, output: 0 });
    await undo(world, id);
    expect((await figures(store, [poor])).people[0]).toMatchObject({ balance: 0 });
    expect(await reratings.get(id)).toMatchObject({ state: 'reverted', not_taken_back: 8_000 });
    await inOrder(world);
    await ledger.close();
  });

  it('leave cost and margin that add up to the charge with its corrections', async () => {
    const world = await openWorld(await open());
    const { store, ledger, people } = world;
    const call = { person: people[0]!, model: 'chat', input: 1_000, output: 0 };
    await makeCall(ledger, wrong, { ...call, requestId: 'a', cost: 700 });
    await makeCall(ledger, wrong, { ...call, requestId: 'b' });
    await correct(world, 'right');
    const [sum] = await marginSums.marginSums(store.db, 'model', { start: 0, end: callTime + 3600 });
    expect(sum).toMatchObject({
      calls: 1,
      charge: 1_000,
      cost: 700,
      unknown_calls: 1,
      unknown_charge: 1_000,
    });
    await ledger.close();
  });

  it('that changed the same charges are undone from the last to the first, one at a time', async () => {
    const world = await openWorld(await open());
    const { store, ledger, people, reratings } = world;
    await makeCall(ledger, wrong, {
      person: people[0]!,
      requestId: 'a',
      model: 'chat',
      input: 100,
      output: 9,
    });
    const before = await figures(store, people);
    const first = await correct(world, 'right');
    const second = await correct(world, 'wrong', true);
    expect(await figures(store, people)).toEqual(before);
    await expect(reratings.revert(1, first, 'x')).rejects.toMatchObject({ code: 'rerating_overlaid' });
    await reratings.revert(1, second, 'x');
    await expect(reratings.revert(1, first, 'x')).rejects.toMatchObject({ code: 'rerating_running' });
    await expect(correct(world, 'right')).rejects.toMatchObject({ code: 'rerating_running' });
    await reratings.work();
    await undo(world, first);
    expect(await figures(store, people)).toEqual(before);
    await expect(reratings.revert(1, first, 'x')).rejects.toMatchObject({ code: 'rerating_not_ended' });
    await ledger.close();
  });

  it('that are stopped keep what is done, and are undone like any other', async () => {
    const world = await openWorld(await open());
    const { store, ledger, people, reratings } = world;
    await makeMany(world, 90, 1);
    const before = await figures(store, people);
    const { id } = await reratings.start(1, { rehearsal: 'right', reason: 'x', collect: false });
    let steps = 0;
    await reratings.work(() => (steps += 1) === 1);
    const stopped = await reratings.stop(id);
    expect(stopped).toMatchObject({ state: 'stopped', corrected_rows: 40 });
    expect(stopped.progress).toBeGreaterThan(0.3);
    await reratings.work();
    expect((await reratings.get(id)).corrected_rows).toBe(40);
    await expect(reratings.stop(id)).rejects.toMatchObject({ code: 'rerating_not_running' });
    await undo(world, id);
    expect(await figures(store, people)).toEqual(before);
    await inOrder(world);
    await ledger.close();
  });

  it('done by two processes at once are done once', async () => {
    const world = await openWorld(await open());
    const { store, ledger, people, reratings } = world;
    await makeMany(world, 130, 3);
    const before = await figures(store, people);
    const neighbour = openReratings(store, ledger, {});
    const { id } = await reratings.start(1, { rehearsal: 'right', reason: 'x', collect: false });
    await Promise.all([reratings.work(), neighbour.work()]);
    expect(await reratings.get(id)).toMatchObject({ state: 'done', corrected_rows: 130, progress: 1 });
    await inOrder(world);
    await reratings.revert(1, id, 'x');
    await Promise.all([reratings.work(), neighbour.work()]);
    expect(await figures(store, people)).toEqual(before);
    await inOrder(world);
    await ledger.close();
  });
});
