import { beforeEach, expect, it } from 'vitest';
import type { Store } from '../../../store/index.ts';
import { eachDialect } from '../../../store/each-dialect.ts';
import { createReceipts } from '../../upkeep/logs/index.ts';
import { BookAudit } from './audit.ts';
import { checkBooks } from './checks.ts';
import { SqlWriter } from './engines/sql-writer.ts';
import type { Ledger } from './ledger.ts';
import { engineWith } from './testing/scenarios.ts';
import {
  addChannel,
  addPerson,
  bill,
  readFigures,
  hold,
  type Person,
  unique,
  holdRequest,
} from './testing/test-bed.ts';

/** A process freezes during a call and counts as dead. Then it resumes, and the call ends. */
eachDialect('a call that is settled after recovery has charged its mark', ({ open }) => {
  let store: Store;
  let frozen: Ledger;
  let other: Ledger;
  let channelId: number;
  beforeEach(async () => {
    store = await open();
    frozen = engineWith(store, SqlWriter, 'same').ledger;
    other = engineWith(store, SqlWriter, 'same').ledger;
    channelId = await addChannel(store);
    return () => Promise.all([frozen.close(), other.close()]);
  });

  /** A call with a hold of `amount` that has delivered `progress`. Another process has ended its hold. */
  async function fencedCall(person: Person, amount: number, progress: number): Promise<string> {
    const id = unique('r');
    await hold(frozen, { ...holdRequest(person, id, amount), channelId });
    void frozen.mark(id, progress);
    await frozen.flush();
    await other.recover();
    return id;
  }

  const readEntries = (id: string) =>
    store.db
      .selectFrom('ledger')
      .select(['txn', 'account_delta', 'writeoff_delta', 'token_delta'])
      .where('txn', 'in', [id, `late:${id}`])
      .orderBy('id')
      .execute();
  const readRows = (id: string) =>
    store.db.selectFrom('logs').selectAll().where('request_id', '=', id).execute();

  async function expectBooksRight(): Promise<void> {
    await Promise.all([frozen.flush(), other.flush()]);
    expect(await checkBooks(store.db, { atRest: true })).toEqual([]);
    const audit = new BookAudit(store.db);
    await audit.run();
    expect((await audit.whole()).findings).toEqual([]);
  }

  it('is charged its cost in all, once, however often it is settled, and its log row shows it', async () => {
    const person = await addPerson(store, frozen, { balance: 1000, allowance: 500 });
    const id = await fencedCall(person, 300, 70);
    const bills = [1, 2, 3].map(() => frozen.settle(bill(person, id, 180, channelId)));
    for (const settled of await Promise.all(bills)) {
      expect(settled).toMatchObject({ charged: 180, writtenOff: 0, balance: 820 });
    }
    expect(await frozen.settle(bill(person, id, 180, channelId))).toMatchObject({ charged: 180 });
    expect(await readEntries(id)).toEqual([
      { txn: id, account_delta: -70, writeoff_delta: 0, token_delta: -70 },
      { txn: `late:${id}`, account_delta: -110, writeoff_delta: 0, token_delta: -110 },
    ]);
    expect(await readFigures(store, person)).toEqual({
      balance: 820,
      held: 0,
      remain: 320,
      tokenHeld: 0,
      tokenUsed: 180,
      used: 180,
      requests: 1,
      reward: 0,
    });
    expect(await readRows(id)).toMatchObject([
      { quota: 180, prompt_tokens: 3, completion_tokens: 4, content: '模型倍率 1.00', other: '{}' },
    ]);
    const hours = await store.db.selectFrom('quota_data').select(['count', 'quota', 'token_used']).execute();
    expect(hours).toEqual([{ count: 1, quota: 180, token_used: 7 }]);
    const receipts = createReceipts({
      db: store.db,
      channelName: () => '',
      signed: { ofTxns: async () => [] },
    });
    const receipt = await receipts.find({ id: person.userId, role: 1 }, id);
    expect(receipt.ledger).toMatchObject({ charged: 180, written_off: 0, token_charged: 180 });
    await expectBooksRight();
  });

  it('is charged no more than its hold was; the rest is booked as a loss', async () => {
    const person = await addPerson(store, frozen, { balance: 1000 });
    const id = await fencedCall(person, 100, 70);
    expect(await frozen.settle(bill(person, id, 180))).toMatchObject({ charged: 100, writtenOff: 80 });
    expect(await readFigures(store, person)).toMatchObject({ balance: 900, used: 100 });
    expect(await readRows(id)).toMatchObject([{ quota: 100 }]);
    await expectBooksRight();
  });

  it('is charged as far as the balance goes beside other holds', async () => {
    const person = await addPerson(store, frozen, { balance: 300 });
    const id = await fencedCall(person, 300, 70);
    const running = unique('r');
    await hold(other, holdRequest(person, running, 210));
    expect(await frozen.settle(bill(person, id, 180))).toMatchObject({ charged: 90, writtenOff: 90 });
    expect(await readFigures(store, person)).toMatchObject({ balance: 210, held: 210 });
    await other.settle(bill(person, running, 210));
    await expectBooksRight();
  });

  it('keeps the charge of its mark where it cost no more', async () => {
    const person = await addPerson(store, frozen, { balance: 1000 });
    const id = await fencedCall(person, 300, 70);
    expect(await frozen.settle(bill(person, id, 60))).toMatchObject({ charged: 70, balance: 930 });
    expect(await readEntries(id)).toHaveLength(1);
    await expectBooksRight();
  });

  it('is charged its cost, whether recovery or the settlement comes first', { timeout: 60_000 }, async () => {
    const person = await addPerson(store, frozen, { balance: 100_000, allowance: 50_000 });
    const ids = Array.from({ length: 30 }, () => unique('r'));
    await Promise.all(ids.map((id) => hold(frozen, holdRequest(person, id, 300))));
    for (const id of ids) void frozen.mark(id, 70);
    await frozen.flush();
    const settled = ids.map((id) => frozen.settle(bill(person, id, 180)));
    await Promise.all([other.recover(), ...settled, other.recover()]);
    expect(await readFigures(store, person)).toMatchObject({
      balance: 100_000 - 30 * 180,
      remain: 50_000 - 30 * 180,
      held: 0,
      requests: 30,
    });
    await expectBooksRight();
  });
});
