import { setTimeout as sleep } from 'node:timers/promises';
import type { TcpSwitch } from '../failover/tcp-switch.ts';
import type { Campaign } from './campaign.ts';
import type { Child } from './child.ts';
import { underTraffic, until } from './faults.ts';

// Network faults between the gateway and a database server.

/** A call during an outage waits for 2 s (docs/reliability.md), and the machine of a campaign is slow. */
const longestWaitMs = 10_000;

/**
 * Every open connection to the database goes silent: it delivers neither a byte nor a reset, and new connections work.
 * The process reports that it is not ready, and calls succeed again without a restart.
 */
export async function silenceConnections(campaign: Campaign, network: TcpSwitch, url: string): Promise<void> {
  const fault = 'connections to the database go silent';
  const child = await campaign.start({ DATABASE_URL: url });
  const traffic = campaign.traffic(child);
  await until(() => traffic.records.some(({ end }) => end === 'whole'));
  network.silence();
  const silentSince = performance.now();
  let wasUnready = false;
  const before = traffic.records.length;
  await until(async () => {
    wasUnready ||= (await readiness(child)) === 503;
    return (
      wasUnready && traffic.records.slice(before).some(({ end, status }) => end === 'whole' && status === 200)
    );
  });
  const refusedAt = traffic.records.length;
  await until(() => traffic.records.slice(refusedAt).filter(({ end }) => end === 'whole').length > 20);
  await traffic.stop();
  campaign.note(fault, traffic.records);
  const { wrong } = campaign.row(fault);
  if (!wasUnready) wrong.push('it said that it was ready');
  if (!traffic.records.slice(refusedAt).some(({ end }) => end === 'whole'))
    wrong.push(`nothing goes well afterwards: ${child.printed()}`);
  const late = traffic.records.filter(
    ({ end, startedAt, waitedMs }) =>
      end === 'refused' && startedAt > silentSince && waitedMs > longestWaitMs,
  );
  if (late.length > 0)
    wrong.push(`${late.length} callers waited for more than ${longestWaitMs} ms for a refusal`);
  await campaign.stop(fault, child);
}

/** The status of `/readyz`; 0 without an answer in time. */
const readiness = async ({ url }: Child): Promise<number> => {
  const asked = fetch(`${url}/readyz`, { signal: AbortSignal.timeout(5_000) });
  return asked.then(
    ({ status }) => status,
    () => 0,
  );
};

/**
 * Connections break at COMMIT, alternately before and after the server receives it: the client cannot know whether it
 * arrived.
 */
export async function cutAtCommit(
  campaign: Campaign,
  network: TcpSwitch,
  { url, cuts }: { url: string; cuts: number },
): Promise<void> {
  const fault = 'connections break at COMMIT';
  let done = 0;
  let commits = 0;
  network.watch((sent) => {
    if (done >= cuts || !/\bcommit\b/i.test(sent.toString('latin1')) || ++commits % 5 !== 0) return undefined;
    done += 1;
    return done % 2 === 0 ? 'before' : 'after';
  });
  const untilCut = (): Promise<void> => until(() => done >= cuts);
  await underTraffic(campaign, fault, 1, untilCut, { DATABASE_URL: url });
  network.watch(undefined);
  if (done < cuts) campaign.row(fault).wrong.push(`only ${done} connections were broken at a COMMIT`);
}

/** The clock of the process jumps, through a library between it and the system. No call is refused because of it. */
export async function jumpClock(
  campaign: Campaign,
  { library, set }: { library: string; set: { path: string; to: (offset: string) => Promise<void> } },
): Promise<void> {
  const fault = 'the clock jumps';
  await set.to('+0');
  const child = await campaign.start({
    LD_PRELOAD: library,
    FAKETIME_TIMESTAMP_FILE: set.path,
    FAKETIME_NO_CACHE: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
    DONT_FAKE_MONOTONIC: '1',
  });
  const traffic = campaign.traffic(child);
  for (const offset of ['+1d', '-1h', '+0']) {
    await sleep(1_500);
    await set.to(offset);
  }
  await sleep(1_500);
  await traffic.stop();
  campaign.note(fault, traffic.records);
  const refused = traffic.records.filter(({ end }) => end === 'refused');
  if (refused.length > 0)
    campaign.row(fault).wrong.push(`${refused.length} callers were refused: ${refused[0]?.body}`);
  await campaign.stop(fault, child);
}
