import {
  AppError,
  type ComparedReport,
  type CsvMapping,
  type UsageReport,
  type UsageSource,
} from '@tollgate/contract';
import { type Clock, seconds } from '../../../lib/clock.ts';
import {
  channelCosts,
  channels,
  type Db,
  inTransaction,
  upstreamSums,
  usageReports,
} from '../../../store/index.ts';
import type { Audit } from '../../site/audit/index.ts';
import { answered, compareLines } from './compare.ts';
import { readCsv } from './csv.ts';
import { gather, type ReportLine } from './lines.ts';
import { type Span, UsageFault, type VendorLine } from './vendors/index.ts';

export interface ReportsDeps {
  db: Db;
  /** A separate connection, so that long reads do not block other work. */
  reports: Db;
  audit: Pick<Audit, 'record'>;
  clock: Clock;
  channelName: (id: number) => string;
  quotaPerUnit: () => number;
}

interface NewReport {
  source: UsageSource;
  name: string;
  channels: readonly number[];
  span: Span;
  /** Unix seconds of the query to the vendor. */
  askedAt: number;
  lines: readonly VendorLine[];
}

/** A file of a vendor's usage. */
interface UsageFile {
  channels: readonly number[];
  name: string;
  text: string;
  mapping: CsvMapping;
}

/** Stores vendors' figures and compares them with our log. */
export interface Reports {
  /** Stores a whole report; returns its id. Throws UsageFault for one that is too large. */
  keep(report: NewReport): Promise<number>;
  /** Stores a file with its parse settings. Throws AppError report_csv, channel_not_found. */
  upload(file: UsageFile): Promise<number>;
  list(): Promise<UsageReport[]>;
  /** Throws AppError row_not_found. */
  compare(id: number, tolerance: number): Promise<ComparedReport>;
  /** Throws AppError row_not_found. */
  remove(id: number): Promise<void>;
}

const day = 86_400;
const maxListed = 200;

/** Opens the reports. */
export const createReports = (deps: ReportsDeps): Reports => ({
  keep: (report) => keep(deps, report),
  upload: (file) => upload(deps, file),
  list: async () => (await usageReports.list(deps.reports, maxListed)).map(reportOf),
  async compare(id, tolerance) {
    const row = await usageReports.find(deps.reports, id);
    if (!row) throw new AppError('row_not_found');
    const report = reportOf(row);
    const ours = await upstreamSums.upstreamSums(deps.reports, {
      channels: report.channels,
      start: report.start_time,
      end: report.end_time,
    });
    // The text was written by Tollgate.
    const theirs = JSON.parse(row.content) as ReportLine[];
    const { channelName } = deps;
    const compared = compareLines(ours, theirs, { tolerance, askedAt: report.created_at, channelName });
    return { report, ...answered(compared) };
  },
  remove: (id) =>
    inTransaction(deps.db, async (trx) => {
      const row = await usageReports.find(trx, id);
      if (!row || !(await usageReports.remove(trx, id))) throw new AppError('row_not_found');
      await deps.audit.record(trx, { target: { type: 'report', id, name: row.name || row.source } });
    }),
});

type Stored = Omit<usageReports.UsageReportRow, 'content'>;

const reportOf = ({ line_count, channels: ids, source, ...row }: Stored): UsageReport => ({
  id: row.id,
  name: row.name,
  start_time: row.start_time,
  end_time: row.end_time,
  created_at: row.created_at,
  source: source as UsageSource,
  channels: JSON.parse(ids) as number[],
  lines: line_count,
});

const keep = (
  { db, quotaPerUnit }: ReportsDeps,
  { source, name, channels: ids, span, askedAt, lines }: NewReport,
): Promise<number> => {
  const kept = gather(lines, quotaPerUnit());
  return usageReports.insert(db, {
    source,
    name,
    channels: JSON.stringify(ids),
    start_time: span.start,
    end_time: span.end,
    created_at: askedAt,
    line_count: kept.length,
    content: JSON.stringify(kept),
  });
};

async function upload(deps: ReportsDeps, { channels: ids, name, text, mapping }: UsageFile): Promise<number> {
  await checkChannels(deps.db, ids);
  const lines = await readCsv(text, mapping);
  const days = lines.map((line) => line.day);
  const span = {
    start: days.reduce((first, each) => Math.min(first, each)),
    end: days.reduce((last, each) => Math.max(last, each)) + day,
  };
  return inTransaction(deps.db, async (trx) => {
    const report = { source: 'csv' as const, name, channels: ids, span, askedAt: seconds(deps.clock), lines };
    const id = await keep({ ...deps, db: trx }, report).catch((error: unknown) => {
      if (error instanceof UsageFault) throw new AppError('report_csv', { reason: error.message });
      throw error;
    });
    for (const each of ids) await channelCosts.put(trx, each, { report_mapping: JSON.stringify(mapping) });
    await deps.audit.record(trx, { target: { type: 'report', id, name }, note: { channels: ids.join(',') } });
    return id;
  });
}

/** Throws AppError channel_not_found unless all of them exist. */
export async function checkChannels(db: Db, ids: readonly number[]): Promise<void> {
  for (const id of ids) if (!(await channels.find(db, id))) throw new AppError('channel_not_found');
}
