import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { FaultPoint } from '../../lib/fault-point.ts';
import { holds, type Store } from '../../store/index.ts';
import type { CallRecord } from './calls.ts';
import type { Campaign } from './campaign.ts';
import type { Traffic } from './traffic.ts';

// Each function runs one kind of fault under traffic and judges the result.

const kinds = ['chat', 'image', 'transcription', 'voice'] as const;
/** Minimum number of calls of each kind that end well before the first kill, even on a slow machine. */
const leastOfEach = 12;

const comesWithinMs = 120_000;

/** Waits for the target of a fault. The judge reports a target that never appears. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + comesWithinMs;
  while (!(await isSo()) && performance.now() < end) await sleep(50);
}

/** True while a stream runs that has left a progress mark. */
const isMarked = async (campaign: Campaign): Promise<boolean> =>
  (await holds.listHolds((await campaign.store()).db)).some(({ progress }) => progress > 0);

const hasEach = ({ records }: Traffic): boolean =>
  kinds.every(
    (kind) => records.filter((one) => one.kind === kind && one.end === 'whole').length >= leastOfEach,
  );

/** `kill -9` from outside, at a random moment, while every client reads. */
export async function killAnywhere(campaign: Campaign, afterMs: number, clients: number): Promise<void> {
  const fault = 'kill -9 at any moment';
  const child = await campaign.start();
  const traffic = campaign.traffic(child, clients);
  await sleep(afterMs);
  await until(async () => hasEach(traffic) && (await isMarked(campaign)));
  child.kill('SIGKILL');
  await child.ended;
  await traffic.stop();
  campaign.note(fault, traffic.records);
}

/** draining: the process is asked to stop, then killed while streams are still open. */
export const killWhileDraining = (campaign: Campaign): Promise<void> =>
  campaign.killAt('draining', 1, async (child) => {
    await sleep(500);
    child.kill('SIGTERM');
  });

/** recovering: the process is killed while it ends the calls of an earlier kill. */
export async function killWhileRecovering(campaign: Campaign): Promise<void> {
  const point: FaultPoint = 'recovering';
  const child = await campaign.start();
  const traffic = campaign.traffic(child);
  await sleep(800);
  // On a busy machine no call has reached this state by then.
  await until(async () => (await holds.listHolds((await campaign.store()).db)).length >= 4);
  child.kill('SIGKILL');
  await child.ended;
  await traffic.stop();
  campaign.note(point, traffic.records);
  const died = await campaign.diesAtStart({ FAULTS: `${point}:kill:2` });
  if (!died) campaign.row(point).wrong.push('the point was not reached');
}

/**
 * H5: SIGTERM with open streams. With enough time every stream ends normally. Without it, each gets an error and is
 * settled.
 */
export async function drain(campaign: Campaign, seconds: number): Promise<void> {
  const fault = `SIGTERM, ${seconds} s to drain`;
  const child = await campaign.start({ DRAIN_SECONDS: String(seconds) });
  const traffic = campaign.traffic(child);
  await sleep(800);
  await until(() => isMarked(campaign));
  child.kill('SIGTERM');
  const stopped = traffic.stop();
  const { code } = await child.ended;
  await stopped;
  campaign.note(fault, traffic.records);
  const row = campaign.row(fault);
  if (code !== 0) row.wrong.push(`ended with ${code}: ${child.printed()}`);
  const begun = traffic.records.filter(({ status, end }) => status === 200 && end !== 'hung-up');
  const lost = begun.filter(({ end }) => end === 'broken');
  const failed = begun.filter(({ end }) => end === 'failed');
  if (lost.length > 0) row.wrong.push(`${lost.length} streams ended without a word`);
  if (seconds > 10 && failed.length > 0)
    row.wrong.push(`${failed.length} streams were ended although there was time`);
  if (seconds === 0 && failed.length === 0) row.wrong.push('no stream was open at the stop');
}

/** S3: the disk refuses a sync. The process accepts no more money; the next one starts from the disk. */
export async function failingSync(campaign: Campaign): Promise<void> {
  const fault = 'the disk refuses a sync';
  const child = await campaign.start({ FAULTS: 'before-sync:throw:30' });
  const traffic = campaign.traffic(child);
  // The duration of thirty syncs depends on the disk, and so does the number of calls in each.
  await until(() => traffic.records.some(({ status }) => status === 503));
  await traffic.stop();
  const late = campaign.traffic(child, 1);
  await sleep(50);
  await late.stop();
  if (late.records.some(({ status }) => status !== 503))
    campaign.row(fault).wrong.push('it went on taking money');
  // It is unknown at this moment whether the batch of that sync is on the disk: a call that was refused for it may have
  // been charged, in full and once, like a call whose answer was lost with the process.
  const doubtful = traffic.records.map((one) => (one.end === 'refused' ? { ...one, requestId: '' } : one));
  campaign.note(fault, doubtful);
  child.kill('SIGKILL');
  await child.ended;
}

/** S4: the database crashes and restarts under traffic, `times` times; the gateway keeps running. */
export async function crashDatabase(
  campaign: Campaign,
  crash: () => Promise<void>,
  times: number,
): Promise<void> {
  const fault = 'the database crashes and restarts';
  await underTraffic(campaign, fault, times, crash);
}

/** S6: the database cuts every connection of the gateway, `times` times. */
export async function cutConnections(campaign: Campaign, times: number): Promise<void> {
  const store = await campaign.store();
  await underTraffic(campaign, 'database connections are cut', times, () => cutOthers(store));
}

async function cutOthers({ kind, db }: Store): Promise<void> {
  if (kind === 'postgres') {
    await sql`select pg_terminate_backend(pid) from pg_stat_activity
      where pid <> pg_backend_pid() and datname = current_database()`.execute(db);
    return;
  }
  const { rows } = await sql<{ id: number }>`select id from information_schema.processlist
    where id <> connection_id() and db = database()`.execute(db);
  // A connection that has ended in the meantime cannot be cut.
  for (const { id } of rows) await sql`kill connection ${sql.lit(id)}`.execute(db).catch(() => undefined);
}

/** Runs a fault repeatedly while clients call. Afterwards calls must succeed again. */
export async function underTraffic(
  campaign: Campaign,
  fault: string,
  times: number,
  happen: () => Promise<void> | void,
  env: Record<string, string> = {},
): Promise<void> {
  const child = await campaign.start(env);
  const traffic = campaign.traffic(child);
  for (let i = 0; i < times; i += 1) {
    await sleep(700);
    await happen();
  }
  await sleep(700);
  const before = traffic.records.length;
  const late = (): CallRecord[] => traffic.records.slice(before);
  await until(() => late().some(({ end }) => end === 'whole'));
  await traffic.stop();
  campaign.note(fault, traffic.records);
  const row = campaign.row(fault);
  if (!late().some(({ end }) => end === 'whole'))
    row.wrong.push(`nothing goes well afterwards: ${child.printed()}`);
  const blamed = traffic.records.filter(({ status }) => [401, 402, 403].includes(status));
  if (blamed.length > 0) row.wrong.push(`${blamed.length} callers were told that it was their fault`);
  await campaign.stop(fault, child);
}
