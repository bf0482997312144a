import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { type CampaignCall, type CallRecord, makeCall } from './calls.ts';
import type { Campaign } from './campaign.ts';
import type { Child } from './child.ts';
import { goodModel } from './world.ts';

const keyedCalls = 120;
const atOnce = 24;
/** Longer than another process may need to take the hold of a call that it has recorded (services/calls/idempotency). */
const comesAgainFor = { tries: 900, pauseMs: 100 };
let round = 0;

type Keyed = Pick<
  CampaignCall,
  'caller' | 'index' | 'model' | 'stream' | 'script' | 'hangUpAfter' | 'headers'
>;

/** One call per key: some are over before the kill, some are cut by it, some never start. */
export function planCalls(campaign: Campaign): Keyed[] {
  const { callers } = campaign.world;
  round += 1;
  return Array.from({ length: keyedCalls }, (_, i) => ({
    caller: callers[i % callers.length]!,
    index: i % callers.length,
    model: goodModel,
    stream: i % 3 !== 0,
    script: { chunks: 3 + (i % 40), paceMs: i % 3 === 0 ? 0 : 15, usage: true },
    hangUpAfter: i % 10 === 4 ? 2 : 0,
    headers: { 'idempotency-key': `campaign-${round}-${i}` },
  }));
}

/** Makes the calls, a limited number at a time. */
export async function makeAll(
  calls: readonly Keyed[],
  make: (call: Keyed) => Promise<CallRecord>,
): Promise<CallRecord[]> {
  const records: CallRecord[] = [];
  let next = 0;
  const client = async (): Promise<void> => {
    for (let i = next++; i < calls.length; i = next++) records[i] = await make(calls[i]!);
  };
  await Promise.all(Array.from({ length: atOnce }, client));
  return records;
}

export async function makeFirst({ url }: Child, calls: readonly Keyed[]): Promise<CallRecord[]> {
  const agent = new Agent({ keepAlive: true });
  const records = await makeAll(calls, (call) => makeCall({ url, agent, ...call }));
  agent.destroy();
  return records;
}

/**
 * Makes a call with a key on its own connection, like a client that lost its answer: it repeats the call while another
 * process has it, the database is unavailable, or no process listens.
 */
export async function makeKeyed(call: Omit<CampaignCall, 'agent'>): Promise<CallRecord> {
  for (let tries = 0; ; tries += 1) {
    const record = await makeCall({ ...call, agent: new Agent() });
    const isTaken =
      record.end === 'unreached' ||
      record.status === 503 ||
      (record.status === 409 && record.body.includes('idempotency_key_in_use'));
    if (!isTaken || tries === comesAgainFor.tries) return record;
    await sleep(comesAgainFor.pauseMs);
  }
}

/** Request ids with a charge. */
export async function chargedCalls(campaign: Campaign): Promise<Set<string>> {
  const { db } = await campaign.store();
  const rows = await db
    .selectFrom('ledger')
    .select('txn')
    .where('kind', '=', 'usage')
    .where('account_delta', '<', 0)
    .execute();
  return new Set(rows.map(({ txn }) => txn));
}

/**
 * Compares calls with their repetitions with the same keys, each to its end, and notes both. After any fate of the
 * first call, no key is charged twice, and a caller that saw an answer sees it again or gets the error that it is not
 * stored.
 */
export async function noteRepeated(
  campaign: Campaign,
  fault: string,
  { first, again }: { first: readonly CallRecord[]; again: readonly CallRecord[] },
): Promise<void> {
  const charged = await chargedCalls(campaign);
  const { wrong } = campaign.row(fault);
  const noted: CallRecord[] = [];
  for (const [i, one] of first.entries()) {
    const repeated = again[i]!;
    const sameAnswer = repeated.replayed && repeated.requestId === one.requestId;
    const goneAnswer = repeated.status === 409 && repeated.body.includes('idempotency_answer_gone');
    if (one.end === 'whole' && !sameAnswer && !goneAnswer) {
      wrong.push(`${one.requestId}: acknowledged, and its key made another call (${repeated.requestId})`);
    }
    if (repeated.status !== 200 && !goneAnswer)
      wrong.push(`a repeated call was refused with ${repeated.status}: ${repeated.body}`);
    // Only the new call is noted for its key: if the first one had been charged too, the judge would find a charge
    // without a client record.
    if (repeated.status !== 200 || repeated.replayed || one.requestId !== '') noted.push(one);
    if (!repeated.replayed) noted.push(repeated);
    const isAnother = repeated.requestId !== one.requestId;
    if (isAnother && charged.has(one.requestId) && charged.has(repeated.requestId)) {
      wrong.push(`${one.requestId} and ${repeated.requestId} have one key and were both charged`);
    }
  }
  campaign.note(fault, noted);
}

/** Runs a fault while calls with a key run, and repeats every one of them to the process that is there afterwards. */
export async function repeatAll(
  campaign: Campaign,
  fault: string,
  happen: (child: Child) => Promise<Child>,
): Promise<void> {
  const calls = planCalls(campaign);
  const child = await campaign.start();
  const made = makeFirst(child, calls);
  const next = await happen(child);
  const first = await made;
  const again = await makeAll(calls, (call) => makeKeyed({ ...call, url: next.url, hangUpAfter: 0 }));
  await noteRepeated(campaign, fault, { first, again });
  await campaign.stop(fault, next);
}

/** The process is killed while calls with a key run; they are repeated after the restart. */
export const killWithKeys = (campaign: Campaign, afterMs: number): Promise<void> =>
  repeatAll(campaign, 'kill -9, every call repeated with its key', async (child) => {
    await sleep(afterMs);
    child.kill('SIGKILL');
    await child.ended;
    return campaign.start();
  });

/**
 * A worker is killed while calls with a key run. They are repeated at once, to the surviving workers and to its
 * replacement.
 */
export const killWorkerWithKeys = (campaign: Campaign, afterMs: number): Promise<void> =>
  repeatAll(campaign, 'a worker is killed, every call repeated with its key', async (child) => {
    await sleep(afterMs);
    process.kill(child.workers()[0]!, 'SIGKILL');
    return child;
  });
