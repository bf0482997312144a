import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { startChild } from './child.ts';
import { Campaign } from './campaign.ts';
import type { Row } from './campaign.ts';
import { until } from './faults.ts';
import { openWorld } from './world.ts';

const fault = 'the disk is full';
const diskMegabytes = 48;

/** Mounts a small memory disk; undefined without permission (it needs root). */
function mountSmallDisk(): { folder: string; unmount(): void } | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-disk-'));
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${diskMegabytes}m`, 'tollgate', folder]);
  if (mounted.status !== 0) {
    rmSync(folder, { recursive: true, force: true });
    return undefined;
  }
  return {
    folder,
    unmount() {
      spawnSync('umount', ['-l', folder]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Writes until the disk is full. */
async function fill(path: string): Promise<void> {
  const file = await open(path, 'w');
  try {
    for (const size of [1024 * 1024, 4096]) {
      const block = Buffer.alloc(size);
      for (let written = 0; written < diskMegabytes * 1024 * 1024; written += size) await file.write(block);
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  } finally {
    await file.close();
  }
}

/** Runs faults on a separate Tollgate on a small memory disk; undefined where none can be mounted. */
async function onSmallDisk(
  name: string,
  clients: number,
  befall: (campaign: Campaign, filler: string) => Promise<void>,
): Promise<Row | undefined> {
  const disk = mountSmallDisk();
  if (!disk) return undefined;
  try {
    const world = await openWorld({ dataDir: disk.folder, databaseUrl: '' });
    const campaign = new Campaign(world, clients);
    try {
      await befall(campaign, join(disk.folder, 'filler'));
    } finally {
      await campaign.close();
    }
    const row = campaign.row(name);
    row.wrong = campaign.wrong;
    return row;
  } finally {
    disk.unmount();
  }
}

/**
 * S2: the disk of the SQLite file fills up under traffic and is freed again. New calls are refused with 503, no channel
 * is blamed, nothing is lost, and the file is intact. Undefined where no small disk can be mounted.
 */
export const fullDisk = (clients: number): Promise<Row | undefined> =>
  onSmallDisk(fault, clients, fillUnderTraffic);

const startFault = 'a kill and a start while the disk is full';

/**
 * S2: killed while its disk is full, with open holds, and started while it is still full. It listens and refuses calls
 * with 503, and serves them without a restart when there is space.
 */
export const startOnFullDisk = (clients: number): Promise<Row | undefined> =>
  onSmallDisk(startFault, clients, async (campaign, filler) => {
    const { wrong } = campaign.row(startFault);
    const first = await campaign.start();
    const traffic = campaign.traffic(first);
    await sleep(800);
    await fill(filler);
    await until(() => traffic.records.some(({ status }) => status === 503));
    first.kill('SIGKILL');
    await first.ended;
    await traffic.stop();
    campaign.note(startFault, traffic.records);
    const at = performance.now();
    const child = await startChild(campaign.world.env);
    const seconds = Math.round((performance.now() - at) / 1_000);
    if (seconds > 30) wrong.push(`it listened after ${seconds} s only`);
    const during = campaign.traffic(child, 4);
    await until(() => during.records.some(({ status }) => status === 503));
    if (!/is its disk full/.test(child.printed()))
      wrong.push(`it does not say what is wrong: ${child.printed()}`);
    await rm(filler);
    const before = during.records.length;
    await until(() => during.records.slice(before).some(({ end }) => end === 'whole'));
    await during.stop();
    if (!during.records.slice(before).some(({ end }) => end === 'whole'))
      wrong.push(`nothing goes well afterwards: ${child.printed()}`);
    campaign.note(startFault, during.records);
    await campaign.stop(startFault, child);
    await campaign.finish();
  });

async function fillUnderTraffic(campaign: Campaign, filler: string): Promise<void> {
  const row = campaign.row(fault);
  const child = await campaign.start();
  const traffic = campaign.traffic(child);
  await sleep(800);
  await fill(filler);
  // The database's log has free space at first, which a slow machine needs time to fill.
  await until(() => traffic.records.some(({ status }) => status === 503));
  await sleep(1_000);
  const during = campaign.traffic(child, 4);
  await sleep(500);
  const status = await fetch(`${child.url}/api/status`);
  if (!status.ok) row.wrong.push(`reads fail too: ${status.status}`);
  await rm(filler);
  await during.stop();
  await sleep(1_500);
  const before = traffic.records.length;
  await until(() => traffic.records.slice(before).some(({ end }) => end === 'whole'));
  await traffic.stop();
  const all = [...traffic.records, ...during.records];
  if (!all.some(({ status: code }) => code === 503))
    row.wrong.push('nobody was refused although the disk was full');
  if (all.some(({ status: code }) => [401, 402, 403].includes(code))) row.wrong.push('callers were blamed');
  if (!traffic.records.slice(before).some(({ end }) => end === 'whole')) {
    row.wrong.push(`nothing goes well afterwards: ${child.printed()}`);
  }
  campaign.note(fault, all);
  await campaign.stop(fault, child);
  const { db } = await campaign.store();
  const { rows } = await sql<{ integrity_check: string }>`pragma integrity_check`.execute(db);
  if (rows[0]?.integrity_check !== 'ok') row.wrong.push('the database file is damaged');
  await campaign.finish();
}
