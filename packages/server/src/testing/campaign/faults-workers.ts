import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { CallRecord } from './calls.ts';
import type { Campaign } from './campaign.ts';
import type { Child } from './child.ts';
import { until } from './faults.ts';
import { isSentAway, judgeRefusals } from './judge.ts';
import type { Traffic } from './traffic.ts';

// Faults of single processes among several while the others continue.

/** Longer than any timeout after which a process counts as dead. */
const frozenMs = 30_000;
/** Longer than the wait for new money. */
const firstFrozenMs = 5_000;

const wholeOf = (records: readonly CallRecord[]): CallRecord[] =>
  records.filter(({ end }) => end === 'whole');

/** Interval of the campaign's own writes. */
const probeEveryMs = 200;

/**
 * Effect of the machine on all processes: the longest time that a minimal write of the campaign's own takes on the same
 * disk or server.
 */
async function slowestWriteMs(campaign: Campaign, over: AbortSignal): Promise<number> {
  const { kind, db } = await campaign.store();
  const path = join(campaign.world.env['DATA_DIR'] ?? '', 'probe');
  // A second process that writes to a SQLite file would delay the first.
  const write = (): Promise<unknown> =>
    kind === 'sqlite'
      ? writeFile(path, 'probe', { flush: true })
      : db.transaction().execute(async (trx) => {
          await sql`select n from campaign_probe for update`.execute(trx);
          await sql`update campaign_probe set n = n + 1`.execute(trx);
        });
  if (kind !== 'sqlite') {
    await sql`create table if not exists campaign_probe (n bigint)`.execute(db);
    await sql`insert into campaign_probe values (0)`.execute(db);
  }
  let slowest = 0;
  while (!over.aborted) {
    const from = performance.now();
    await write();
    slowest = Math.max(slowest, performance.now() - from);
    await sleep(probeEveryMs);
  }
  return slowest;
}

/** Runs a fault of the processes of one Tollgate under traffic. Afterwards calls succeed again. */
async function underTraffic(
  campaign: Campaign,
  fault: string,
  happen: (child: Child, traffic: Traffic) => Promise<void>,
  isAllowed: (record: CallRecord) => boolean = () => false,
): Promise<void> {
  // The vendor timeout is longer than the freeze: the process reads afterwards the vendors' data of that time.
  const child = await campaign.start({ LOG_LEVEL: 'info', STREAMING_TIMEOUT: '90' });
  const over = new AbortController();
  const probing = slowestWriteMs(campaign, over.signal);
  const traffic = campaign.traffic(child);
  await until(() => wholeOf(traffic.records).length >= campaign.clients);
  await happen(child, traffic);
  const before = traffic.records.length;
  const isWell = () => wholeOf(traffic.records.slice(before)).length >= campaign.clients;
  await until(isWell);
  const { wrong } = campaign.row(fault);
  if (!isWell()) wrong.push(`nothing goes well afterwards: ${child.printed()}`);
  await traffic.stop();
  campaign.note(fault, traffic.records);
  over.abort();
  wrong.push(...judgeRefusals(traffic.records, { slowestWriteMs: await probing, isAllowed }));
  await campaign.stop(fault, child);
}

/** Workers die one after another: their calls in progress break, no others. */
export const killWorkers = (campaign: Campaign, times: number): Promise<void> =>
  underTraffic(campaign, 'a worker is killed', async (child, { records }) => {
    for (let kill = 0; kill < times; kill += 1) {
      const before = child.workers();
      process.kill(before[kill % before.length]!, 'SIGKILL');
      const [known, isNew] = [records.length, (pid: number) => !before.includes(pid)];
      // The surviving workers continue at once.
      await until(() => wholeOf(records.slice(known)).length >= campaign.clients);
      await until(() =>
        child.workers().some((pid) => isNew(pid) && child.printed().includes(`"pid":${pid},`)),
      );
    }
  });

/** A worker is frozen for half a minute: its callers wait, the others continue, and it resumes its calls. */
export const freezeWorker = (campaign: Campaign): Promise<void> =>
  underTraffic(
    campaign,
    'a worker is frozen for 30 s',
    async (child, { records }) => {
      const [frozen] = child.workers();
      process.kill(frozen!, 'SIGSTOP');
      const known = records.length;
      try {
        await sleep(frozenMs);
      } finally {
        process.kill(frozen!, 'SIGCONT');
      }
      if (wholeOf(records.slice(known)).length === 0)
        campaign.row('a worker is frozen for 30 s').wrong.push('the others stood still, too');
    },
    // The worker may be frozen during a transaction: its payers' rows are locked until the server ends it.
    isSentAway,
  );

/** The first process, which counts the limits of all, is frozen. */
export const freezeFirst = (campaign: Campaign): Promise<void> =>
  underTraffic(
    campaign,
    'the first process is frozen for 5 s',
    async (child) => {
      process.kill(child.pid, 'SIGSTOP');
      try {
        await sleep(firstFrozenMs);
      } finally {
        process.kill(child.pid, 'SIGCONT');
      }
    },
    isSentAway,
  );
