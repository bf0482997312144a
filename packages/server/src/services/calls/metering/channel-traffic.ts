import { type ChannelTraffic, logType } from '@tollgate/contract';
import { isObject } from '../../../lib/json.ts';
import { type Db, logSums } from '../../../store/index.ts';
import { fieldsOf, median } from './read-other.ts';

/** Recent results of calls by channel id; channels without a call are omitted. */
interface RecentTraffic {
  /** Unix seconds of the oldest call that was read. */
  since: number;
  channels: ReadonlyMap<number, ChannelTraffic>;
}

/** Recent results of calls by channel. */
export interface ChannelTraffics {
  /** Start in Unix seconds; absent for the oldest call that is still read. */
  since(start: number): Promise<RecentTraffic>;
}

/** If there are more calls, only the newest are counted. */
const rowBound = 2_000;

/** A request that the channel does not support shows nothing about its health: nothing was sent. */
const unsuited: readonly unknown[] = ['cannot_translate', 'invalid_api_type'];

interface Sum {
  tries: number;
  failed: number;
  waits: number[];
  answeredAt: number;
}

interface ChannelTrafficDeps {
  /** A separate connection, so that reports do not block other work. */
  reports: Db;
  /** True if failed calls are logged; otherwise the health of channels is unknown. */
  errorsLogged: () => boolean;
}

/** Opens the results of channels. */
export function createChannelTraffics({ reports, errorsLogged }: ChannelTrafficDeps): ChannelTraffics {
  return {
    async since(start) {
      if (!errorsLogged()) return { since: start, channels: new Map() };
      const rows = await logSums.newestCalls(reports, start, rowBound);
      const sums = new Map<number, Sum>();
      for (const row of rows) addCall(sums, row);
      const oldest = rows.length === rowBound ? rows.at(-1) : undefined;
      return {
        since: oldest?.created_at ?? start,
        channels: new Map([...sums].map(([channel, sum]) => [channel, trafficOf(sum)])),
      };
    },
  };
}

const trafficOf = ({ tries, failed, waits, answeredAt }: Sum): ChannelTraffic => ({
  tries,
  failed,
  first_byte_ms: median(waits),
  answered_time: answeredAt,
});

interface TriedOn {
  channel: number;
  isFailed: boolean;
}

/**
 * Attempts of a log row. The last attempt of an answered call has answered, but its stream may have broken off later.
 */
function triesOf(type: number, other: Record<string, unknown>): TriedOn[] {
  const info = isObject(other.admin_info) ? other.admin_info : {};
  const tries = Array.isArray(info.tries) ? info.tries.filter(isObject) : [];
  const isBroken =
    type === logType.error || other.end_reason === 'upstream_broken' || other.end_reason === 'upstream_error';
  return tries
    .filter(({ channelId, reason }) => typeof channelId === 'number' && !unsuited.includes(reason))
    .map(({ channelId, reason }) => ({
      channel: channelId as number,
      isFailed: reason !== undefined || isBroken,
    }));
}

function addCall(sums: Map<number, Sum>, row: logSums.CallRow): void {
  if (row.type !== logType.consume && row.type !== logType.error) return;
  const other = fieldsOf(row.other);
  const tries = triesOf(row.type, other);
  for (const { channel, isFailed } of tries) {
    const sum = sums.get(channel) ?? { tries: 0, failed: 0, waits: [], answeredAt: 0 };
    sums.set(channel, sum);
    sum.tries += 1;
    if (isFailed) {
      sum.failed += 1;
      continue;
    }
    sum.answeredAt = Math.max(sum.answeredAt, row.created_at);
    // If other channels were tried first, the wait of the call does not measure this channel.
    const { frt: wait } = other;
    if (tries.length === 1 && typeof wait === 'number' && wait >= 0) sum.waits.push(wait);
  }
}
