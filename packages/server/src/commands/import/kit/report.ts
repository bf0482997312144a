import type { Source } from './detect.ts';

/** Result for one kind of data. */
interface Count {
  what: string;
  read: number;
  written: number;
  /** Reason → how many were left out for it. */
  skipped: Record<string, number>;
}

/** A sum of money in quota units, there and here. */
export interface Sum {
  what: string;
  source: number;
  target: number;
}

/** All that there is to say about an import; it never holds a secret. */
export interface Report {
  source: Source & { database: string };
  dryRun: boolean;
  /** True where the same import had been made before, and nothing was written. */
  repeated: boolean;
  counts: Count[];
  sums: Sum[];
  /** Quota units of one US dollar. */
  quotaPerUnit: number;
  /** Users who had less than nothing; it is written off. */
  negative: { id: number; username: string; quota: number }[];
  /** Keys that were read again as a caller's would be. */
  keysCompared: number;
  /** Models of channels that are on, without a price. */
  unpriced: string[];
  /** Models without a price that the source served all the same, and that have its price for such models now. */
  standIns: string[];
  /** Entries of price tables that were written out because the source applied them without having stored them. */
  pricesWritten: number;
  /** Entries of price tables that no price can be: such a model has none. */
  pricesRefused: { key: string; model: string; value: string }[];
  /** Changed prices; null without one. */
  pricesDiffer: { model: string; what: string; there: number | null; here: number | null }[];
  /** Channels that were on there and are off here, and why. */
  channelsOff: { id: number; name: string; reason: string }[];
  /** Options that Tollgate does not have. */
  optionsLeft: string[];
  /** Options that Tollgate has, but not with that value. */
  optionsRefused: { key: string; reason: string }[];
  /** Everything else that is not as it was. */
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

/** Begins to count one kind of thing. */
export function counting(report: Report, what: string, read: number) {
  const count: Count = { what, read, written: 0, skipped: {} };
  report.counts.push(count);
  return {
    wrote: (rows: number) => void (count.written += rows),
    skipped: (reason: string) => void (count.skipped[reason] = (count.skipped[reason] ?? 0) + 1),
  };
}

/** Adds to the notes how many of something there are, if any. */
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
