import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { type CampaignCall, type CallRecord, makeCall } from './calls.ts';
import type { Campaign } from './campaign.ts';
import type { Child } from './child.ts';
import { goodModel } from './world.ts';

const fault = 'kill -9, every call repeated with its key';
const keyedCalls = 120;
let round = 0;

type Keyed = Pick<
  CampaignCall,
  'caller' | 'index' | 'model' | 'stream' | 'script' | 'hangUpAfter' | 'headers'
>;

/** Calls with a key each; some are over before the kill, some are cut by it, some are never begun. */
function planCalls(campaign: Campaign): Keyed[] {
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

/** Makes the calls, some at a time; a call that reached nobody is undefined. */
async function makeAll(child: Child, calls: readonly Keyed[], atOnce: number): Promise<CallRecord[]> {
  const agent = new Agent({ keepAlive: true });
  const records: CallRecord[] = [];
  let next = 0;
  const client = async (): Promise<void> => {
    for (let i = next++; i < calls.length; i = next++) {
      records[i] = await makeCall({ url: child.url, agent, ...calls[i]! });
    }
  };
  await Promise.all(Array.from({ length: atOnce }, client));
  agent.destroy();
  return records;
}

/** Request ids that cost something. */
async function chargedCalls(campaign: Campaign): Promise<Set<string>> {
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
 * Kills the process while calls with an Idempotency-Key run; after the restart every one of them is sent again with its
 * key. Whatever became of the first, no key is charged twice, and a caller that saw an answer sees it again or is told that it
 * is not kept.
 */
export async function killWithKeys(campaign: Campaign, afterMs: number): Promise<void> {
  const calls = planCalls(campaign);
  const child = await campaign.start();
  const made = makeAll(child, calls, 24);
  await sleep(afterMs);
  child.kill('SIGKILL');
  await child.ended;
  const first = await made;
  const next = await campaign.start();
  const again = await makeAll(
    next,
    calls.map((call) => ({ ...call, hangUpAfter: 0 })),
    24,
  );
  const charged = await chargedCalls(campaign);
  const { wrong } = campaign.row(fault);
  const noted: CallRecord[] = [];
  for (const [i, one] of first.entries()) {
    const repeated = again[i]!;
    const sameAnswer = repeated.replayed && repeated.requestId === one.requestId;
    const goneAnswer = repeated.status === 409;
    if (one.end === 'whole' && !sameAnswer && !goneAnswer) {
      wrong.push(`${one.requestId}: acknowledged, and its key made another call (${repeated.requestId})`);
    }
    if (repeated.status !== 200 && !goneAnswer)
      wrong.push(`a repeated call was refused with ${repeated.status}`);
    // A call made anew stands for its key alone: had the first one been charged too, the judge would find a charge
    // that nobody saw.
    if (repeated.status !== 200 || repeated.replayed || one.requestId !== '') noted.push(one);
    if (!repeated.replayed) noted.push(repeated);
    const isAnother = repeated.requestId !== one.requestId;
    if (isAnother && charged.has(one.requestId) && charged.has(repeated.requestId)) {
      wrong.push(`${one.requestId} and ${repeated.requestId} have one key and were both charged`);
    }
  }
  campaign.note(fault, noted);
  await campaign.stop(fault, next);
}
