import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { bookWindows, logs, migrate, openStore, type Store } from '../../../store/index.ts';
import { figures, makeCall, openReratings } from '../../../testing/rerating/bed.ts';
import { checkBooks } from '../ledger/index.ts';
import { addPerson, openLedger } from '../ledger/testing/test-bed.ts';
import { createLogMover } from '../../upkeep/logs/index.ts';

const wrong = { chat: 10 };
const right = { chat: 1 };

async function openArchived(): Promise<{ store: Store; settle: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-rerating-'));
  const store = await openStore({ url: `sqlite:${folder}/main.db`, logUrl: `sqlite:${folder}/log.db` });
  onTestFinished(async () => {
    await store.close();
    await rm(folder, { recursive: true, force: true });
  });
  await migrate(store);
  let passed = 0;
  const mover = createLogMover({
    db: store.db,
    archive: store.archive!,
    clock: () => Date.now() + passed,
    sleep: () => Promise.resolve(),
    log: { info: () => undefined, warn: (fields) => expect.fail(JSON.stringify(fields)) },
  });
  const settle = async () => {
    for (let round = 0; round < 4; round += 1, passed += 121_000) await mover.work(60_000);
  };
  return { store, settle };
}

it('corrects and restores charges whose rows have moved to another database', async () => {
  const { store, settle } = await openArchived();
  const ledger = openLedger(store);
  const person = await addPerson(store, ledger, { balance: 1_000_000, allowance: 900_000 });
  const reratings = openReratings(store, ledger, { right, wrong });
  for (const requestId of ['a', 'b', 'c'])
    await makeCall(ledger, wrong, { person, requestId, model: 'chat', input: 100, output: 0 });
  await settle();
  const before = await figures(store, [person]);
  const spent = async () => {
    const { quota, refunded } = await logs.stat(store.db, {}, 0);
    return quota - refunded;
  };
  const charged = await spent();
  expect(await store.db.selectFrom('logs').select('id').execute()).toEqual([]);

  const { id } = await reratings.start(1, { rehearsal: 'right', reason: 'mistyped', collect: false });
  await reratings.work();
  expect(await reratings.get(id)).toMatchObject({ corrected_rows: 3, state: 'done' });
  await settle();
  expect(await spent()).toBe(charged / 10);
  expect(await checkBooks(store.db, { atRest: true })).toEqual([]);
  const upTo = await bookWindows.newestId(store.db);
  expect((await bookWindows.faultsWithin(store.db, { after: 0, upTo })).mislogged).toEqual([]);

  await reratings.revert(1, id, 'it was right');
  await reratings.work();
  await settle();
  expect(await spent()).toBe(charged);
  expect(await figures(store, [person])).toEqual(before);
  expect(await checkBooks(store.db, { atRest: true })).toEqual([]);
  // The check also finds an error in the archive.
  await store
    .archive!.db.updateTable('logs')
    .set({ refunded: 1 })
    .where('request_id', '=', 'b')
    .where('type', '=', 2)
    .execute();
  expect(await checkBooks(store.db)).toMatchObject([{ invariant: 'I17 log refunded' }]);
  await ledger.close();
});
