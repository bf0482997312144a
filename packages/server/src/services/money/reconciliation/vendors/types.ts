import type { UsageFigure } from '@tollgate/contract';

/** A vendor's figures of a model on a day, or a part of them. Figures that it does not report are absent. */
export interface VendorLine extends Partial<Record<Exclude<UsageFigure, 'cost'>, number>> {
  /** Start of the day (UTC), Unix seconds. */
  day: number;
  /** The vendor's name of the model; '' for none. */
  model: string;
  /** US dollars times 10^12. */
  cost?: bigint;
}

/** The days: Unix seconds at the start of the first and of the day after the last, UTC. */
export interface Span {
  start: number;
  end: number;
}

/** Sends one request to a vendor. Returns the JSON of a successful response; throws UsageFault otherwise. */
export type Ask = (path: string, query: URLSearchParams) => Promise<unknown>;

/** Reader of a vendor's usage. */
export interface UsageVendor {
  /** Credentials of the request. */
  headers(key: string): Record<string, string>;
  /** The part of the requested days that the vendor can report. `now`: Unix seconds. */
  reach(span: Span, now: number): Span;
  read(ask: Ask, span: Span): Promise<VendorLine[]>;
}
