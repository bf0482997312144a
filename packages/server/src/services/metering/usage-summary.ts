import { logType, type UsageSummary } from '@tollgate/contract';
import { isObject } from '../../relay/model/json.ts';
import { type Db, logSums } from '../../store/index.ts';

/** What the log tells of a span of time, for the dashboard. Times are Unix seconds, both ends included; 0 for none. */
export interface UsageSummaries {
  /** Of all users, or of the one with this name. */
  ofAll(start: number, end: number, username: string): Promise<UsageSummary>;
  own(userId: number, start: number, end: number): Promise<UsageSummary>;
}

export interface UsageSummaryDeps {
  /** For reports: reads that hold nothing else up. */
  reports: Db;
  /** Whether failed calls are written to the log (ERROR_LOG_ENABLED); without them there is no rate of success. */
  errorsLogged: boolean;
}

/** More rows than this are not summed: the newest count, and the summary says since when. */
const rowBound = 200_000;
/** A median of so many calls says enough. */
const streamSample = { window: 5_000, limit: 500 };
const tokensShown = 10;

/** Opens the summaries of the dashboard. */
export function createUsageSummaries({ reports, errorsLogged }: UsageSummaryDeps): UsageSummaries {
  const summarise = async (filter: logSums.SumFilter): Promise<UsageSummary> => {
    const since = await logSums.sinceFor(reports, filter, rowBound);
    const within = { ...filter, start: since };
    const [calls, errors, streams, tokens] = await Promise.all([
      logSums.countOfType(reports, within, logType.consume),
      errorsLogged ? logSums.countOfType(reports, within, logType.error) : null,
      logSums.newestStreams(reports, within, streamSample),
      logSums.topTokens(reports, within, tokensShown),
    ]);
    const waits = streams.map(firstTokenMs).filter((ms) => ms !== null);
    return {
      since,
      calls,
      errors,
      first_token_ms: median(waits),
      first_token_calls: waits.length,
      tokens,
    };
  };
  return {
    ofAll: (start, end, username) =>
      summarise({ ...spanOf(start, end), ...(username === '' ? {} : { username }) }),
    own: (userId, start, end) => summarise({ ...spanOf(start, end), userId }),
  };
}

const spanOf = (start: number, end: number): logSums.SumFilter => ({
  ...(start === 0 ? {} : { start }),
  ...(end === 0 ? {} : { end }),
});

/** The time to the first token that a log row tells (`frt`, wire-facts 6.5); null when none was seen. */
function firstTokenMs(other: string): number | null {
  try {
    const value: unknown = JSON.parse(other);
    const ms = isObject(value) ? value.frt : null;
    return typeof ms === 'number' && ms >= 0 ? ms : null;
  } catch {
    return null;
  }
}

/** The value in the middle, the upper of two; null for none. */
function median(values: readonly number[]): number | null {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? null;
}
