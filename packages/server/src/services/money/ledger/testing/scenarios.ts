import type { Store } from '../../../../store/index.ts';
import { checkBooks } from '../checks.ts';
import { defaultEngineSettings, type EngineDeps } from '../engines/engine.ts';
import { type Ledger, ledgerOn } from '../ledger.ts';
import { SqlEngine } from '../engines/sql-engine.ts';
import { SqlWriter } from '../engines/sql-writer.ts';
import type { RequestLedger } from '../plan/types.ts';
import {
  addPerson,
  bill,
  readFigures,
  hold,
  recordingLog,
  openLedger,
  unique,
  holdRequest,
} from './test-bed.ts';

/** Violations that a test found; empty for a correct ledger. */
export type Wrongs = string[];

const clock = () => 1_700_000_000_000;

/** 200 parallel holds of 10 on a balance for ten. A ledger that checks before it takes lets too many through. */
export async function parallelHolds(store: Store, ledger: RequestLedger): Promise<Wrongs> {
  const books = openLedger(store);
  const person = await addPerson(store, books, { balance: 100 });
  const ids = Array.from({ length: 200 }, () => unique('parallelHolds'));
  const results = await Promise.allSettled(ids.map((id) => hold(ledger, holdRequest(person, id, 10))));
  const granted = results.filter(({ status }) => status === 'fulfilled').length;
  const { balance, held } = await readFigures(store, person);
  const wrongs: Wrongs = [];
  if (granted !== 10) wrongs.push(`${granted} of 200 got a hold on a balance for 10`);
  if (held > balance) wrongs.push(`${held} are held of ${balance}`);
  await Promise.all(ids.map((id) => ledger.release(id)));
  await books.close();
  return [...wrongs, ...(await findings(store))];
}

/** Fails every few commits after the database accepted them, like a connection that breaks at a critical moment. */
function losesAnswers(Writer: typeof SqlWriter): typeof SqlWriter {
  return class extends Writer {
    private commits = 0;

    protected override async commit(...args: Parameters<SqlWriter['write']>): Promise<void> {
      await super.commit(...args);
      this.commits += 1;
      if (this.commits % 3 === 1) throw Object.assign(new Error('lost'), { code: 'ECONNRESET' });
    }
  };
}

/** An engine for database servers with a given writer, on any store. */
export function engineWith(store: Store, Writer: typeof SqlWriter, node = 'test') {
  const log = recordingLog();
  const deps: EngineDeps = {
    log,
    clock,
    node,
    settings: { ...defaultEngineSettings, maxRetryMs: 1, maxBatch: 7 },
  };
  const engine = new SqlEngine(store, deps, new Writer(store, deps));
  return { engine, log, ledger: ledgerOn(engine, { store, log, clock, node }) };
}

/** Forty requests while every third commit is done but not confirmed. No charge may be taken twice. */
export async function lostAnswers(store: Store, Writer: typeof SqlWriter): Promise<Wrongs> {
  const { ledger, log } = engineWith(store, losesAnswers(Writer));
  const person = await addPerson(store, ledger, { balance: 100_000, allowance: 50_000 });
  const ids = Array.from({ length: 40 }, () => unique('request'));
  const ended = await Promise.allSettled(
    ids.map(async (id) => {
      await hold(ledger, holdRequest(person, id, 100));
      if (!(await ledger.extend(id, 50))) throw new Error('not extended');
      void ledger.mark(id, 20);
      return ledger.settle(bill(person, id, 120));
    }),
  );
  await ledger.flush();
  const wrongs = failures(ended, log);
  const { balance, remain, requests } = await readFigures(store, person);
  if (balance !== 100_000 - 40 * 120) wrongs.push(`40 requests at 120 left ${balance} of 100000`);
  if (remain !== 50_000 - 40 * 120) wrongs.push(`40 requests at 120 left ${remain} of 50000 on the token`);
  if (requests !== 40) wrongs.push(`40 requests were counted as ${requests}`);
  await ledger.close();
  return [...wrongs, ...(await findings(store))];
}

/**
 * A process is frozen, another one ends its holds, and the first continues and settles: once with a progress mark that
 * recovery has charged (the late settlement takes the difference), once without (it takes all).
 */
export async function lateSettlement(store: Store, Writer: typeof SqlWriter): Promise<Wrongs> {
  const { ledger: frozen, log } = engineWith(store, Writer, 'same');
  const person = await addPerson(store, frozen, { balance: 1000, allowance: 500 });
  const [marked, unmarked] = [unique('marked'), unique('unmarked')];
  for (const id of [marked, unmarked]) {
    await hold(frozen, holdRequest(person, id, 100));
    // Reads the hold a second time, as extensions and marks do: remembered figures equal stored ones.
    await frozen.extend(id, 100);
  }
  void frozen.mark(marked, 70);
  await frozen.flush();
  const other: Ledger = engineWith(store, SqlWriter, 'same').ledger;
  await other.recover();
  const late = await Promise.allSettled([
    frozen.settle(bill(person, marked, 150)),
    // The same in one batch with it.
    frozen.settle(bill(person, marked, 150)),
    frozen.settle(bill(person, unmarked, 150)),
  ]);
  const wrongs = failures(late, log);
  const { balance, held, remain, requests } = await readFigures(store, person);
  const want = 1000 - 150 - 150;
  if (balance !== want) wrongs.push(`the balance is ${balance}, not ${want}`);
  if (remain !== 500 - 150 - 150) wrongs.push(`the token has ${remain} left`);
  if (held !== 0) wrongs.push(`${held} are held when nothing runs`);
  if (requests !== 2) wrongs.push(`2 requests were counted as ${requests}`);
  await Promise.all([frozen.close(), other.close()]);
  return [...wrongs, ...(await findings(store))];
}

/** A refused constraint counts as a failure of the ledger: the database was the last protection. */
function failures(results: PromiseSettledResult<unknown>[], log: ReturnType<typeof recordingLog>): Wrongs {
  const wrongs: Wrongs = [];
  for (const result of results) if (result.status === 'rejected') wrongs.push(String(result.reason));
  for (const { message } of log.lines) {
    if (message.includes('faulty step') || message.includes('step by step')) wrongs.push(message);
  }
  return wrongs;
}

const findings = async (store: Store): Promise<Wrongs> =>
  (await checkBooks(store.db, { atRest: true })).map(({ invariant, detail }) => `${invariant}: ${detail}`);
