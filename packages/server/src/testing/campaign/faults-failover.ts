import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { checkBooks } from '../../services/money/ledger/index.ts';
import { type PostgresPair, startPostgresPair } from '../failover/postgres-pair.ts';
import { Campaign, type Row } from './campaign.ts';
import { underTraffic } from './faults.ts';
import { chargedCalls, makeAll, makeFirst, makeKeyed, planCalls, repeatAll } from './faults-keys.ts';
import { openWorld } from './world.ts';

/** Lag of the standby in ms when the primary dies. */
const behindMs = 1_500;

type Failover = 'on' | 'remote_apply' | 'asynchronous';

/**
 * The PostgreSQL primary dies during its work, and its standby takes over, under traffic and under calls that are
 * repeated with their keys. Each failover uses a new pair of servers.
 */
export async function failovers(clients: number, say: (fault: string) => void): Promise<Row[]> {
  const rows: Row[] = [];
  for (const kind of ['on', 'remote_apply', 'asynchronous'] as const) {
    say(`failover, ${kind}`);
    if (kind !== 'asynchronous') rows.push(...(await failOver(kind, clients, strikeTraffic)));
    rows.push(...(await failOver(kind, clients, kind === 'asynchronous' ? strikeBehind : strikeKeyed)));
  }
  return rows;
}

type Strike = (campaign: Campaign, pair: PostgresPair, fault: string) => Promise<void>;

async function failOver(kind: Failover, clients: number, strike: Strike): Promise<Row[]> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tollgate-failover-'));
  const pair = await startPostgresPair(kind === 'asynchronous' ? undefined : kind);
  try {
    const campaign = new Campaign(await openWorld({ dataDir, databaseUrl: pair.url }), clients);
    try {
      await strike(campaign, pair, `the standby takes over (${kind})`);
    } finally {
      await campaign.close();
    }
    return [...campaign.rows.values()].filter(({ runs, wrong }) => runs > 0 || wrong.length > 0);
  } finally {
    await pair.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function strikeTraffic(campaign: Campaign, pair: PostgresPair, fault: string): Promise<void> {
  await underTraffic(campaign, fault, 1, () => pair.failOver());
  await campaign.finish();
}

async function strikeKeyed(campaign: Campaign, pair: PostgresPair, fault: string): Promise<void> {
  await repeatAll(campaign, `${fault}, every call repeated with its key`, async (child) => {
    await sleep(800);
    await pair.failOver();
    return child;
  });
  await campaign.finish();
}

/**
 * The standby lags behind. Charges within the lag are lost together with their calls, which the setting allows. Two
 * charges for one key, or inconsistent books, are never allowed.
 */
async function strikeBehind(campaign: Campaign, pair: PostgresPair, fault: string): Promise<void> {
  const calls = planCalls(campaign).map((call, i) => ({
    ...call,
    // Some calls end before the failover, some after.
    script: { ...call.script, paceMs: call.stream ? 40 + (i % 5) * 20 : 0 },
    hangUpAfter: 0,
  }));
  const child = await campaign.start();
  const making = makeFirst(child, calls);
  await sleep(800);
  pair.link.silence();
  await sleep(behindMs);
  await pair.failOver();
  const first = await making;
  const again = await makeAll(calls, (call) => makeKeyed({ ...call, url: child.url }));
  const charged = await chargedCalls(campaign);
  const row = campaign.row(fault);
  row.runs = 1;
  row.calls = first.length + again.length;
  row.acknowledged = first.filter(({ end }) => end === 'whole').length;
  row.cutOff = first.filter(({ end }) => end === 'broken' || end === 'failed').length;
  for (const [i, { requestId }] of first.entries()) {
    const repeated = again[i]!;
    if (repeated.requestId !== requestId && charged.has(requestId) && charged.has(repeated.requestId))
      row.wrong.push(`${requestId} and ${repeated.requestId} have one key and were both charged`);
  }
  await campaign.stop(fault, child);
  const findings = await checkBooks((await campaign.store()).db, { atRest: true });
  row.wrong.push(...findings.map(({ invariant, detail }) => `${invariant}: ${detail}`));
}
