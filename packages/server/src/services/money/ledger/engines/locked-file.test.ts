import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { inTransaction, migrate, openStore, type Store } from '../../../../store/index.ts';
import { lockSqlite } from '../../../../testing/lock-sqlite.ts';
import { checkBooks } from '../checks.ts';
import {
  addChannel,
  addPerson,
  bill,
  readFigures,
  hold,
  recordingLog,
  openLedger,
  type Person,
  unique,
  holdRequest,
} from '../testing/test-bed.ts';
import { defaultEngineSettings } from './engine.ts';
import { SqliteEngine } from './sqlite-engine.ts';
import { LedgerUnavailable } from '../plan/types.ts';

describe('the ledger while another process has locked its file', () => {
  let store: Store;
  let ledger: ReturnType<typeof openLedger>;
  let person: Person;
  let channelId: number;

  beforeEach(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tollgate-locked-'));
    store = await openStore({ url: `sqlite:${join(folder, 'test.db')}` });
    await migrate(store);
    // Settlements would wait longer than any test.
    ledger = openLedger(store, { settings: { reserveWaitMs: 300, settleWaitMs: 600_000 } });
    person = await addPerson(store, ledger, { balance: 1000, allowance: 500 });
    channelId = await addChannel(store);
    await holdNow();
    return async () => {
      await ledger.close();
      await store.close();
      await rm(folder, { recursive: true, force: true });
    };
  });

  /** A written hold. The engine knows the payer afterwards. */
  async function holdNow(): Promise<string> {
    const id = unique('r');
    await hold(ledger, holdRequest(person, id, 100));
    return id;
  }

  /** A call whose complete answer arrived before its hold was written. */
  async function callAtOnce(id: string, cost: number, deferrable = false): Promise<unknown> {
    const given = await ledger.reserve({
      ...holdRequest(person, id, 100),
      ...(deferrable && { deferrable: true }),
    });
    given.durable.catch(() => undefined);
    return ledger.settle(bill(person, id, cost, channelId));
  }

  const txns = async (): Promise<string[]> => {
    const rows = await store.db.selectFrom('ledger').select('txn').where('kind', '=', 'usage').execute();
    return rows.map(({ txn }) => txn);
  };

  it('refuses calls whose whole answer came before the outage was noticed, and charges nothing for them', async () => {
    const running = await holdNow();
    const unlock = await lockSqlite(store.sqlite!.path);
    const settling = ledger.settle(bill(person, running, 80, channelId));
    const dropped = unique('r');
    await ledger.reserve(holdRequest(person, dropped, 100));
    await ledger.release(dropped);
    const refused = [unique('r'), unique('r')];
    const calls = refused.map((id, index) => callAtOnce(id, 60, index === 1));
    // All rejections arrive while the file is locked.
    for (const call of calls) await expect(call).rejects.toThrow(LedgerUnavailable);
    // From now on no call waits, although only settlements remain to be written.
    await expect(callAtOnce(unique('r'), 60)).rejects.toThrow(LedgerUnavailable);
    await unlock();
    expect(await settling).toMatchObject({ charged: 80, balance: 920 });
    await ledger.flush();
    expect(await txns()).toEqual([running]);
    expect(await readFigures(store, person)).toMatchObject({
      balance: 920,
      remain: 420,
      requests: 1,
      used: 80,
    });
    // Refused calls may be sent again.
    expect(await callAtOnce(refused[0]!, 50)).toMatchObject({ charged: 50, balance: 870 });
    expect(await checkBooks(store.db)).toEqual([]);
    const hours = await store.db.selectFrom('quota_data').select(['count', 'quota', 'token_used']).execute();
    expect(hours).toEqual([{ count: 2, quota: 130, token_used: 14 }]);
  });

  it('answers a release and a repeated settlement of a refused hold at once', async () => {
    const unlock = await lockSqlite(store.sqlite!.path);
    const [released, settled] = [unique('r'), unique('r')];
    const given = await Promise.all(
      [released, settled].map(async (id) => ledger.reserve(holdRequest(person, id, 100))),
    );
    for (const { durable } of given) await expect(durable).rejects.toThrow(LedgerUnavailable);
    await ledger.release(released);
    // The next attempt has nothing to write. A successful read proves nothing.
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect(() => ledger.reserve(holdRequest(person, unique('r'), 1))).toThrow(LedgerUnavailable);
    await expect(ledger.settle(bill(person, settled, 50))).rejects.toThrow(LedgerUnavailable);
    await unlock();
    await ledger.flush();
    expect(await readFigures(store, person)).toMatchObject({ balance: 1000, held: 100, requests: 0 });
    expect(await checkBooks(store.db)).toEqual([]);
  });

  it('refuses a settlement whose payer must be read again, and does not charge it later', async () => {
    const settings = { ...defaultEngineSettings, reserveWaitMs: 300, settleWaitMs: 600_000 };
    const engine = new SqliteEngine(store.sqlite!, store.dialect, {
      log: recordingLog(),
      clock: () => 0,
      node: 'test',
      settings,
    });
    await hold(engine, holdRequest(person, unique('r'), 1));
    const unlock = await lockSqlite(store.sqlite!.path);
    const id = unique('r');
    const given = await engine.reserve(holdRequest(person, id, 100));
    given.durable.catch(() => undefined);
    // The same invalidation as after a balance change.
    engine.forget({
      accounts: new Set([person.accountId]),
      tokens: new Set(),
      members: new Set(),
      budgets: new Set(),
    });
    await expect(engine.settle(bill(person, id, 50))).rejects.toThrow(LedgerUnavailable);
    await unlock();
    await engine.close();
    expect(await readFigures(store, person)).toMatchObject({ balance: 1000, requests: 0 });
    expect(await callAtOnce(unique('r'), 50)).toMatchObject({ charged: 50 });
    expect(await checkBooks(store.db)).toEqual([]);
  });

  it('refuses as soon when another user in this process has the only connection', async () => {
    const { promise: end, resolve: finish } = Promise.withResolvers<void>();
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    const busy = inTransaction(store.db, async () => {
      begin();
      await end;
    });
    await begun;
    await expect(callAtOnce(unique('r'), 60)).rejects.toThrow(LedgerUnavailable);
    finish();
    await busy;
    await ledger.flush();
    expect(await callAtOnce(unique('r'), 50)).toMatchObject({ charged: 50, balance: 950 });
    expect(await checkBooks(store.db)).toEqual([]);
  });
});
