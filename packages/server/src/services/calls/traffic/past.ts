import { AppError, keptHours, type PastRoute } from '@tollgate/contract';
import { type Clock, seconds } from '../../../lib/clock.ts';
import { parseObject } from '../../../lib/json.ts';
import { audit, channelMinutes, type Db } from '../../../store/index.ts';
import type { Routing } from '../routing/index.ts';

export interface PastDeps {
  /** A connection for reading many rows. */
  reports: Db;
  routing: Pick<Routing, 'candidates'>;
  channelName: (id: number) => string;
  clock: Clock;
}

/** Seconds before and after the moment. */
const around = 300;
const mostChanges = 100;
/** Settings on which the choice of a channel depends. */
const routingSettings: ReadonlySet<string> = new Set([
  'GroupRatio',
  'ModelFallbacks',
  'ModelPrice',
  'ModelRatio',
  'RetryTimes',
  'RoutingPolicies',
]);

/**
 * What is kept of a past moment: the attempts of the minutes around it by channel, and the changes since then. Which
 * odds, cooldowns, limits and channels outside of them there were is not kept.
 */
export async function readPast(
  { reports, routing, channelName, clock }: PastDeps,
  { model, group, at }: { model: string; group: string; at: number },
): Promise<PastRoute> {
  const now = seconds(clock);
  const moment = at === 0 ? now - 3_600 : at;
  if (moment > now || moment < now - keptHours * 3_600) throw new AppError('replay_too_old');
  const from = moment - (moment % 60) - around;
  const to = from + 2 * around + 60;
  const offered = new Set(
    routing.candidates(group, model).flatMap(({ channels }) => channels.map(({ id }) => id)),
  );
  const rows = await channelMinutes.ofModel(reports, model, { from, to });
  const channels = [...Map.groupBy(rows, (row) => row.channel_id)].map(([channel, minutes]) => ({
    channel,
    name: channelName(channel),
    ...figuresOf(minutes),
    in_group: offered.has(channel),
  }));
  return {
    from,
    to,
    channels: channels.toSorted((a, b) => b.succeeded + b.failed - (a.succeeded + a.failed)),
    changes: await changesSince(reports, moment),
  };
}

function figuresOf(rows: readonly channelMinutes.ChannelMinute[]) {
  const failures: Record<string, number> = {};
  const minutes = new Map<number, { at: number; succeeded: number; failed: number }>();
  let [waits, waitMs] = [0, 0];
  for (const row of rows) {
    // Keys of a channel have rows of their own.
    const minute = minutes.get(row.minute) ?? { at: row.minute, succeeded: 0, failed: 0 };
    minutes.set(row.minute, minute);
    minute.succeeded += row.succeeded;
    for (const kind of channelMinutes.attemptFailures) {
      minute.failed += row[kind];
      if (row[kind] > 0) failures[kind] = (failures[kind] ?? 0) + row[kind];
    }
    for (const [place, bucket] of channelMinutes.bucketsOf('first').entries()) {
      const count = row[bucket] ?? 0;
      waits += count;
      waitMs += count * channelMinutes.middleOf(place);
    }
  }
  const list = [...minutes.values()];
  return {
    succeeded: list.reduce((sum, { succeeded }) => sum + succeeded, 0),
    failed: list.reduce((sum, { failed }) => sum + failed, 0),
    failures,
    wait: waits === 0 ? null : Math.round(waitMs / waits),
    minutes: list,
  };
}

/** Recorded changes of channels and of routing settings; without values, which not every administrator may read. */
async function changesSince(reports: Db, start: number): Promise<PastRoute['changes']> {
  const slice = { limit: mostChanges };
  const ofChannels = await audit.list(reports, { start, kind: 'channel' }, slice);
  const settings = await audit.list(reports, { start, kind: 'setting' }, slice);
  const ofSettings = settings.filter(({ target_id: key }) => routingSettings.has(key));
  return [...ofChannels, ...ofSettings]
    .filter(({ outcome }) => outcome === '')
    .toSorted((a, b) => b.id - a.id)
    .slice(0, mostChanges)
    .map(({ at, kind, target_id: id, target_name: name, detail }) => ({
      at,
      kind,
      target: name === '' ? id : name,
      fields: Object.keys(parseObject(JSON.stringify(parseObject(detail)?.['changes'] ?? {})) ?? {}),
    }));
}
