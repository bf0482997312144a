import { mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const controller = '/sys/fs/cgroup/cpu';
/** In µs. Short, so that a process that has used its share waits only for a moment, and not for the length of a call. */
const periodUs = 5_000;

/**
 * Limits each process to a share of a core (0.25 is a quarter), like a machine with many slower cores. So a machine with
 * two cores shows the capacity of several processes. Needs root and Linux's cpu controller in its first version (cgroup v1).
 * Returns a function that removes the limit; not needed for a process that has ended.
 */
export function limitEachTo(share: number, pids: readonly number[]): () => void {
  const groups = pids.map((pid) => {
    const group = join(controller, `bench-${pid}`);
    mkdirSync(group);
    writeFileSync(join(group, 'cpu.cfs_period_us'), String(periodUs));
    writeFileSync(join(group, 'cpu.cfs_quota_us'), String(Math.round(share * periodUs)));
    writeFileSync(join(group, 'cgroup.procs'), String(pid));
    return group;
  });
  return () => {
    for (const group of groups) rmdirSync(group);
  };
}
