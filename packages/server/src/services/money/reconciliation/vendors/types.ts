import type { UsageFigure } from '@tollgate/contract';

/** What a vendor counted of a model on a day, or a part of it. Figures that it does not tell are absent. */
export interface VendorLine extends Partial<Record<Exclude<UsageFigure, 'cost'>, number>> {
  /** Start of the day (UTC), Unix seconds. */
  day: number;
  /** As the vendor names it; '' where it names none. */
  model: string;
  /** US dollars times 10^12. */
  cost?: bigint;
}

/** Which days: Unix seconds at the start of the first and of the day after the last, UTC. */
export interface Span {
  start: number;
  end: number;
}

/** One question to a vendor; answers the JSON of a good answer, and throws UsageFault for everything else. */
export type Ask = (path: string, query: URLSearchParams) => Promise<unknown>;

/** How the usage of a vendor is read. */
export interface UsageVendor {
  /** What proves who asks. */
  headers(key: string): Record<string, string>;
  /** The days that it can tell of, of those that are wanted. `now`: Unix seconds. */
  reach(span: Span, now: number): Span;
  read(ask: Ask, span: Span): Promise<VendorLine[]>;
}
