import type { Source } from './detect.ts';

/** Result for one kind of data. */
interface Count {
  what: string;
  read: number;
  written: number;
  /** Reason → number of left-out items. */
  skipped: Record<string, number>;
}

/** A sum of money in quota units, in the source and here. */
export interface Sum {
  what: string;
  source: number;
  target: number;
}

/** The report of an import; never has secrets. */
export interface Report {
  source: Source & { database: string };
  dryRun: boolean;
  /** True if the same import was made before, so nothing was written. */
  repeated: boolean;
  counts: Count[];
  sums: Sum[];
  /** Quota units of one US dollar. */
  quotaPerUnit: number;
  /** Users with a negative balance, which is written off. */
  negative: { id: number; username: string; quota: number }[];
  /** Keys that were looked up again like a caller's key. */
  keysCompared: number;
  /** Models of channels that are on, without a price. */
  unpriced: string[];
  /** Models without a price that the source served anyway; they now have the source's price for such models. */
  standIns: string[];
  /** Entries of price tables that were written explicitly, because the source applied them without storing them. */
  pricesWritten: number;
  /** Entries of price tables that are not valid prices: such models have no price. */
  pricesRefused: { key: string; model: string; value: string }[];
  /** Changed prices; null without one. */
  pricesDiffer: { model: string; what: string; there: number | null; here: number | null }[];
  /** Channels that were enabled in the source and are disabled here, with the reasons. */
  channelsOff: { id: number; name: string; reason: string }[];
  /** Options that Tollgate does not have. */
  optionsLeft: string[];
  /** Options that Tollgate has, but not with that value. */
  optionsRefused: { key: string; reason: string }[];
  /** All other differences. */
  notes: string[];
}

export const newReport = (source: Report['source'], dryRun: boolean): Report => ({
  source,
  dryRun,
  repeated: false,
  counts: [],
  sums: [],
  quotaPerUnit: 500_000,
  negative: [],
  keysCompared: 0,
  unpriced: [],
  standIns: [],
  pricesWritten: 0,
  pricesRefused: [],
  pricesDiffer: [],
  channelsOff: [],
  optionsLeft: [],
  optionsRefused: [],
  notes: [],
});

/** Creates the counts of one kind of data. */
export function counting(report: Report, what: string, read: number) {
  const count: Count = { what, read, written: 0, skipped: {} };
  report.counts.push(count);
  return {
    wrote: (rows: number) => void (count.written += rows),
    skipped: (reason: string) => void (count.skipped[reason] = (count.skipped[reason] ?? 0) + 1),
  };
}

/** Adds a note with the number of some items, if there are any. */
export function noteSome(report: Report, number: number, what: string): void {
  if (number > 0) report.notes.push(`${what}: ${number}`);
}

/** The import was refused, with the reason; the report has the facts so far. */
export class ImportRefused extends Error {
  readonly report: Report | undefined;

  constructor(message: string, report?: Report) {
    super(message);
    this.name = 'ImportRefused';
    this.report = report;
  }
}
