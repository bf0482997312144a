import { setTimeout as sleep } from 'node:timers/promises';
import { type FaultPoint, faultPoints } from '../../lib/fault-point.ts';
import type { Store } from '../../store/index.ts';
import { type Campaign, withinMs } from './campaign.ts';
import { type Child, startChild } from './child.ts';
import { until } from './faults.ts';
import { songPrice } from './world.ts';

export const taskPoints = faultPoints.filter((point) => point.startsWith('task-'));

const songsAtOnce = 12;
const songsInAll = 48;
/**
 * Pass at which some songs are in progress and some are not submitted yet. A poll covers all of them, and every third
 * one is refunded.
 */
const passOf = (point: FaultPoint): number =>
  point === 'task-polled' ? 1 : point.startsWith('task-refund') ? 3 : 5;
const quotaPerDollar = 500_000;

/** Submits a song; returns its id, or undefined if the process died before its answer. */
async function submit(child: Child, key: string): Promise<string | undefined> {
  try {
    const answer = await fetch(`${child.url}/suno/submit/music`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ prompt: 'a march' }),
    });
    const { data } = (await answer.json()) as { data: unknown };
    return typeof data === 'string' ? data : undefined;
  } catch {
    return undefined;
  }
}

/** Clients that submit songs to each process in turn; returns the ids that they received. */
async function submitAll(campaign: Campaign, children: readonly Child[]): Promise<string[]> {
  const { callers } = campaign.world;
  const acknowledged: string[] = [];
  let next = 0;
  const client = async (): Promise<void> => {
    for (let n = next++; n < songsInAll; n = next++) {
      const id = await submit(children[n % children.length]!, callers[n % callers.length]!.key);
      if (id !== undefined) acknowledged.push(id);
    }
  };
  await Promise.all(Array.from({ length: songsAtOnce }, client));
  return acknowledged;
}

/** Makes every open task due and releases the polls of dead processes, so that no test waits a minute for it. */
async function endDeferral({ db }: Store): Promise<number> {
  const result = await db
    .updateTable('tasks')
    .set({ next_poll: 1 })
    .where('next_poll', '<>', 0)
    .executeTakeFirst();
  return Number(result.numUpdatedRows);
}

const freeLeases = ({ db }: Store) => db.deleteFrom('change_marks').where('name', 'like', 'poll:%').execute();

interface Judged {
  acknowledged: readonly string[];
  /** Ids from the vendor, and its status of each. */
  vendor: ReadonlyMap<string, Record<string, unknown>>;
}

/** Errors of tasks and their money once all of them should be over: lost, doubled, stuck. */
async function judgeTasks({ db }: Store, { acknowledged, vendor }: Judged): Promise<string[]> {
  const rows = await db.selectFrom('tasks').selectAll().execute();
  const entries = await db.selectFrom('ledger').select(['txn', 'account_delta']).execute();
  const moved = Map.groupBy(entries, ({ txn }) => txn);
  const amounts = (txn: string): number[] => (moved.get(txn) ?? []).map((one) => one.account_delta);
  const known = new Map(rows.map((row) => [row.task_id, row]));
  const wrong = acknowledged
    .filter((id) => !known.get(id)?.vendor_id)
    .map((id) => `${id} was acknowledged and is lost`);
  const price = songPrice * quotaPerDollar;
  for (const { task_id: id, state, vendor_id: name, quota, request_id: request } of rows) {
    const isMade = state === 'succeeded';
    const say = (text: string): void => void wrong.push(`${id} (${state}): ${text}`);
    if (!isMade && state !== 'failed') say('is stuck');
    if (name !== '' && isMade !== (vendor.get(name)?.status === 'SUCCESS'))
      say('is not what its vendor says');
    const due = { charges: name === '' ? [] : [-price], refunds: name === '' || isMade ? [] : [price] };
    const found = { charges: amounts(request), refunds: amounts(`task:${id}:refund`) };
    if (JSON.stringify(found) !== JSON.stringify(due)) say(`has ${JSON.stringify(found)} in the books`);
    if (quota !== (isMade ? price : 0)) say(`says that ${quota} were taken`);
  }
  const names = rows.map((row) => row.vendor_id).filter((name) => name !== '');
  if (new Set(names).size !== names.length) wrong.push('two tasks have one name at their vendor');
  return wrong;
}

/**
 * Kills the processes that a task's point hits: one process, or both that share the database. The next process
 * completes the open work: every acknowledged song is made and paid for once or refunded once, and none stays open.
 */
export async function killInTask(
  campaign: Campaign,
  point: FaultPoint,
  secondDir: string | undefined,
): Promise<void> {
  const FAULTS = `${point}:kill:${passOf(point)}`;
  const store = await campaign.store();
  const row = campaign.row(point);
  const children = [await campaign.start({ FAULTS })];
  if (secondDir !== undefined)
    children.push(await startChild({ ...campaign.world.env, DATA_DIR: secondDir, FAULTS }));
  const traffic = campaign.traffic(children[0]!, 4);
  const acknowledged = await submitAll(campaign, children);
  const struck = Promise.race(children.map((child) => child.struck));
  const hurrying = setInterval(() => void endDeferral(store).catch(() => undefined), 500);
  const signal = await withinMs(struck, 60_000);
  clearInterval(hurrying);
  if (signal !== 'SIGKILL') row.wrong.push('the point was not reached');
  for (const child of children) child.kill('SIGKILL');
  await Promise.all(children.map(({ ended }) => ended));
  await traffic.stop();
  await freeLeases(store);
  const next = await campaign.start();
  await until(async () => {
    await sleep(200);
    return (await endDeferral(store)) === 0;
  });
  row.wrong.push(...(await judgeTasks(store, { acknowledged, vendor: campaign.world.songs.tasks })));
  row.acknowledged += acknowledged.length;
  row.calls += songsInAll;
  await campaign.stop(point, next);
  campaign.note(point, traffic.records);
}
