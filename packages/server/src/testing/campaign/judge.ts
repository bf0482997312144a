import { setTimeout as sleep } from 'node:timers/promises';
import { type Bill, recomputeQuota } from '@tollgate/contract';
import { checkBooks, defaultEngineSettings } from '../../services/money/ledger/index.ts';
import { holds, type Store } from '../../store/index.ts';
import type { CallRecord } from './calls.ts';
import { completionRatio, imagePrice, modelRatios, promptOf, promptTokens, type World } from './world.ts';

const quotaPerDollar = 500_000;

const ratioOf = (record: CallRecord): number => (modelRatios as Record<string, number>)[record.model] ?? NaN;

/** The published price (docs/compatibility.md#charge), calculated independently of the program's own function. */
const priceOf = (record: CallRecord, input: number, output: number): number =>
  Math.max(1, Math.round((input + output * completionRatio) * ratioOf(record)));

/** Full price of a whole answer by the upstream's own report; for images their number, for sound its minutes. */
export function fullPrice(record: CallRecord): number {
  const { chunks } = record.script;
  if (record.kind === 'image') return chunks * imagePrice * quotaPerDollar;
  if (record.kind === 'transcription') return priceOf(record, Math.round((chunks / 60) * 1_000), 0);
  return priceOf(record, promptTokens, chunks);
}

/** Images and sound cost the same with or without reported usage. */
const hasOnePrice = ({ kind }: CallRecord): boolean => kind === 'image' || kind === 'transcription';

/** Maximum charge of a call without reported usage: its text at one token for every two characters. */
function mostExpensive(record: CallRecord): number {
  if (hasOnePrice(record)) return fullPrice(record);
  const input = promptOf(record.script).length + 100;
  const output = record.script.chunks * 'word999 '.length;
  return Math.max(fullPrice(record), priceOf(record, Math.ceil(input / 2), Math.ceil(output / 2)));
}

interface Charge {
  txn: string;
  /** Ledger note on anything unusual about the charge. */
  note: string;
  accountId: number;
  amount: number;
  writtenOff: number;
}

/** Usage in the books by request id, and the number of log rows of each. */
async function readBooks({
  db,
}: Store): Promise<{ charges: Map<string, Charge>; logged: Map<string, number[]> }> {
  const entries = await db
    .selectFrom('ledger')
    .select(['txn', 'note', 'account_id', 'account_delta', 'writeoff_delta'])
    .where('kind', '=', 'usage')
    .execute();
  // The cost of tasks is judged by their rows.
  const tasks = await db.selectFrom('tasks').select('request_id').execute();
  const ofTasks = new Set(tasks.map(({ request_id: id }) => id));
  const rows = await db.selectFrom('logs').select(['request_id', 'quota']).where('type', '=', 2).execute();
  const ofCalls = entries.filter(({ txn }) => !ofTasks.has(txn));
  const charges = ofCalls.map(
    ({ txn, note, account_id, account_delta, writeoff_delta }): [string, Charge] => [
      txn,
      { txn, note, accountId: account_id, amount: 0 - account_delta, writtenOff: 0 - writeoff_delta },
    ],
  );
  const logged = new Map<string, number[]>();
  for (const { request_id: id, quota } of rows) logged.set(id, [...(logged.get(id) ?? []), quota]);
  return { charges: new Map(charges), logged };
}

/**
 * The answer was there, and the database accepted no settlement for this long: the call is charged later
 * (docs/money.md).
 */
const waitedInVain = ({ status, waitedMs }: CallRecord): boolean =>
  status === 503 && waitedMs >= defaultEngineSettings.settleWaitMs;

/** Errors of one call whose request id the client received; empty without any. */
function judgeCall(record: CallRecord, charge: Charge | undefined, rows: readonly number[]): string[] {
  const wrong: string[] = [];
  const about = `${record.requestId} (${record.end}, ${record.kind}, ${record.model}${record.stream ? ', stream' : ''})`;
  const say = (text: string): void => void wrong.push(`${about}: ${text}`);
  const amount = charge?.amount ?? 0;
  if (record.end === 'whole') {
    if (!charge) say('acknowledged, but not in the ledger (I7)');
    // A socket has no cost header.
    else if (record.kind !== 'voice' && record.cost !== amount)
      say(`told ${record.cost}, charged ${amount} (I7)`);
    if (rows.length !== 1) say(`has ${rows.length} log rows instead of one`);
    else if (rows[0] !== amount) say(`logged ${rows[0]}, charged ${amount}`);
    if ((record.script.usage || hasOnePrice(record)) && amount !== fullPrice(record))
      say(`costs ${amount} instead of ${fullPrice(record)}`);
  }
  if (record.end === 'refused' && amount !== 0 && !waitedInVain(record))
    say(`refused, yet charged ${amount} (I9)`);
  if (amount > mostExpensive(record)) say(`charged ${amount}, more than it can have cost`);
  if ((charge?.writtenOff ?? 0) !== 0)
    say(`${charge?.writtenOff} was written off although the balance was there`);
  return wrong;
}

/**
 * Charges for calls of which the client received nothing, not even a request id. Such a call may have been settled just
 * before the process died (settled): then in full. Otherwise it costs nothing.
 */
function judgeUnseen(records: readonly CallRecord[], charges: readonly Charge[], account: number): string[] {
  const isExact = (record: CallRecord): boolean => record.script.usage || hasOnePrice(record);
  const prices = records.filter(isExact).map(fullPrice);
  const counted = records.filter((record) => !isExact(record)).map(mostExpensive);
  const wrong: string[] = [];
  for (const { txn, note, amount } of charges) {
    if (amount === 0) continue;
    const exact = prices.indexOf(amount);
    const near = exact < 0 ? counted.findIndex((most) => amount <= most) : -1;
    if (exact >= 0) prices.splice(exact, 1);
    else if (near >= 0) counted.splice(near, 1);
    else wrong.push(`${txn}: account ${account} paid ${amount} for nothing that it saw (I9) ${note}`);
  }
  return wrong;
}

/** Log rows with lines that do not add up to the ledger's charge. Rows that recovery wrote have a mark and no lines. */
async function judgeBills({ db }: Store): Promise<string[]> {
  const rows = await db
    .selectFrom('logs')
    .innerJoin('ledger', 'ledger.txn', 'logs.request_id')
    .select(['ledger.txn', 'logs.other', 'ledger.account_delta', 'ledger.writeoff_delta'])
    .where('logs.type', '=', 2)
    .where('ledger.kind', '=', 'usage')
    .execute();
  return rows.flatMap(({ txn, other, account_delta: taken, writeoff_delta: lost }) => {
    const { receipt, end_reason: reason } = JSON.parse(other) as LoggedBill;
    if (!receipt) return reason === 'crash' ? [] : [`${txn}: the row does not say what it charges for`];
    const computed = recomputeQuota(receipt);
    return computed === -taken - lost
      ? []
      : [`${txn}: its lines give ${computed}, charged were ${-taken - lost}`];
  });
}

interface LoggedBill {
  receipt?: Pick<Bill, 'terms' | 'minimum'>;
  end_reason?: string;
}

/** Refused because the database was unavailable. A session gets an event with the error. */
export const isSentAway = ({ kind, status }: CallRecord): boolean =>
  status === 503 || (kind === 'voice' && status === 0);

/**
 * A hold is some statements and a commit: if one write takes half of the time that new money waits, all together may
 * take the whole time.
 */
const slowWriteMs = defaultEngineSettings.reserveWaitMs / 2;

/**
 * Calls that were refused although no fault of the processes justifies it. A call that waits two seconds for the
 * database is refused (S1): if the campaign's own writes wait as long on this machine, that is not an error.
 */
export function judgeRefusals(
  records: readonly CallRecord[],
  { slowestWriteMs, isAllowed }: { slowestWriteMs: number; isAllowed: (record: CallRecord) => boolean },
): string[] {
  const isSlow = slowestWriteMs >= slowWriteMs;
  const refused = records.filter(
    (record) => record.end === 'refused' && !isAllowed(record) && !(isSlow && isSentAway(record)),
  );
  const wrong = refused.slice(0, 3).map(({ status, body }) => `refused with ${status}: ${body}`);
  if (refused.length > 0)
    wrong.push(
      `${refused.length} callers were refused in all; the slowest write took ${Math.round(slowestWriteMs)} ms`,
    );
  return wrong;
}

/** Waits until no call runs: hang-ups are settled a moment after the disconnect. */
async function untilQuiet(store: Store): Promise<void> {
  for (let tries = 0; tries < 200; tries += 1) {
    if ((await holds.listHolds(store.db)).length === 0) return;
    await sleep(25);
  }
}

/**
 * Compares the clients' records with the books, and the books with each other, while no call runs: every call with a
 * seen end is there exactly once, at its price, and there are no other charges. Returns the errors as texts.
 */
export async function judge(
  store: Store,
  world: Pick<World, 'callers'>,
  records: readonly CallRecord[],
): Promise<string[]> {
  await untilQuiet(store);
  const wrong = (await checkBooks(store.db, { atRest: true })).map(
    (one) => `${one.invariant}: ${one.detail}`,
  );
  wrong.push(...(await judgeBills(store)));
  const { charges, logged } = await readBooks(store);
  const seen = new Set<string>();
  for (const record of records) {
    if (record.requestId === '') continue;
    if (seen.has(record.requestId)) wrong.push(`${record.requestId} was given to two calls`);
    seen.add(record.requestId);
    wrong.push(...judgeCall(record, charges.get(record.requestId), logged.get(record.requestId) ?? []));
  }
  // By wallet, not by caller: members of a team share one.
  for (const accountId of new Set(world.callers.map((caller) => caller.accountId))) {
    const unseen = records.filter(
      ({ caller, requestId }) => requestId === '' && world.callers[caller]?.accountId === accountId,
    );
    const others = [...charges.values()].filter((one) => one.accountId === accountId && !seen.has(one.txn));
    wrong.push(...judgeUnseen(unseen, others, accountId));
  }
  return wrong;
}
