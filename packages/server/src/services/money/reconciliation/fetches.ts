import { AppError, type FetchedSource, maxReportDays, type UsageFetch } from '@tollgate/contract';
import { type Clock, seconds } from '../../../lib/clock.ts';
import type { Log } from '../../../lib/log.ts';
import type { Http } from '../../../lib/outbound/http.ts';
import type { Db } from '../../../store/index.ts';
import type { Audit } from '../../site/audit/index.ts';
import { createAsk } from './ask.ts';
import type { ReportKeys } from './keys.ts';
import { checkChannels, type Reports } from './reports.ts';
import { type Span, UsageFault, usageVendors } from './vendors/index.ts';

export interface FetchesDeps {
  db: Db;
  http: Pick<Http, 'request'>;
  keys: Pick<ReportKeys, 'find'>;
  reports: Pick<Reports, 'keep'>;
  audit: Pick<Audit, 'record'>;
  /** Addresses of vendors. */
  addresses: Readonly<Record<FetchedSource, string>>;
  /** The proxy of a channel; '' for none. */
  findProxy(channelId: number): Promise<string>;
  newId(): string;
  clock: Clock;
  log: Log;
}

/** The requested range; 0 for no start or end. */
interface UsageQuestion {
  source: FetchedSource;
  channels: readonly number[];
  days: number;
  start: number;
  end: number;
}

/** Fetches of vendors' usage, one at a time in each process. */
export interface Fetches {
  /** Starts one; returns its id. Throws AppError report_key_missing, report_span, report_running, channel_not_found. */
  start(question: UsageQuestion): Promise<string>;
  /** Throws AppError row_not_found. */
  state(id: string): UsageFetch;
  /** Stops a running fetch and removes all of its data. */
  stop(id: string): void;
}

interface Running {
  state: UsageFetch;
  stop: AbortController;
}

const daySeconds = 86_400;
/** Maximum number of stored states of ended fetches. */
const keptMost = 20;

/** Opens the fetches. */
export function createFetches(deps: FetchesDeps): Fetches {
  const known = new Map<string, Running>();
  const find = (id: string): Running => {
    const found = known.get(id);
    if (!found) throw new AppError('row_not_found');
    return found;
  };
  return {
    async start(question) {
      const now = seconds(deps.clock);
      const span = readSpan(question, now);
      await checkChannels(deps.db, question.channels);
      const found = await deps.keys.find(question.channels);
      if (!found) throw new AppError('report_key_missing');
      if ([...known.values()].some(({ state }) => state.state === 'running'))
        throw new AppError('report_running');
      const id = deps.newId();
      const state = {
        id,
        state: 'running',
        pages: 0,
        report: 0,
        fault: null,
        detail: '',
        retry_after: 0,
      } as const;
      const running: Running = { state: { ...state }, stop: new AbortController() };
      known.set(id, running);
      for (const old of [...known.keys()].slice(0, -keptMost)) known.delete(old);
      await deps.audit.record(deps.db, {
        target: { type: 'channel', id: found.channelId },
        note: { source: question.source, channels: question.channels.join(','), ...span },
      });
      void run(deps, running, { question, span, now, ...found });
      return id;
    },
    state: (id) => find(id).state,
    stop(id) {
      find(id).stop.abort();
      known.delete(id);
    },
  };
}

/** Whole days (UTC). Throws AppError report_span. */
function readSpan({ days, start, end }: UsageQuestion, now: number): Span {
  const last = end === 0 ? now : end;
  const lastDay = last - (last % daySeconds);
  const span = {
    start: start === 0 ? lastDay - (days - 1) * daySeconds : start - (start % daySeconds),
    end: lastDay + daySeconds,
  };
  const isTooLong = span.end - span.start > maxReportDays * daySeconds;
  if (span.start >= span.end || isTooLong || span.start > now)
    throw new AppError('report_span', { days: maxReportDays });
  return span;
}

interface Task {
  question: UsageQuestion;
  span: Span;
  now: number;
  channelId: number;
  key: string;
}

/** Reads everything, and stores it in one row at the end: an interrupted fetch leaves nothing. */
async function run(deps: FetchesDeps, { state, stop }: Running, task: Task): Promise<void> {
  const { question, now } = task;
  try {
    const vendor = usageVendors[question.source];
    const span = vendor.reach(task.span, now);
    if (span.start >= span.end) throw new UsageFault('refused', 'the vendor tells nothing of these days');
    const ask = createAsk({
      http: deps.http,
      base: deps.addresses[question.source].replace(/\/+$/, ''),
      headers: vendor.headers(task.key),
      proxy: await deps.findProxy(task.channelId),
      signal: stop.signal,
      onPage: () => void (state.pages += 1),
    });
    // A vendor may return more days than requested. Our log is read for the requested days only, so the others are
    // removed.
    const isAsked = ({ day }: { day: number }) => day >= span.start && day < span.end;
    const lines = (await vendor.read(ask, span)).filter(isAsked);
    if (stop.signal.aborted) return;
    const { source, channels } = question;
    state.report = await deps.reports.keep({ source, name: '', channels, span, askedAt: now, lines });
    state.state = 'done';
  } catch (error) {
    deps.log.warn(
      { source: question.source, reason: String(error) },
      'the usage of a vendor could not be read',
    );
    const fault = error instanceof UsageFault ? error : undefined;
    state.fault = fault?.kind ?? 'unreachable';
    state.detail = fault?.message ?? 'it could not be kept';
    state.retry_after = fault?.retryAfter ?? 0;
    state.state = 'failed';
  }
}
