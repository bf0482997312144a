import type { UsageSide } from '@tollgate/contract';
import { quotaOfPico, UsageFault, type VendorLine } from './vendors/index.ts';

/** One model on one day in a report. Costs are quota units. */
export interface ReportLine extends UsageSide {
  day: number;
  model: string;
}

/** Maximum number of lines of a report. */
const maxLines = 20_000;

const counts = ['calls', 'input', 'cached', 'output'] as const;

/** Adds a part to a sum; undefined if both are absent. */
function add(sum: VendorLine, part: VendorLine): void {
  for (const name of counts) {
    const value = part[name];
    if (value !== undefined) sum[name] = (sum[name] ?? 0) + value;
  }
  if (part.cost !== undefined) sum.cost = (sum.cost ?? 0n) + part.cost;
}

/**
 * Groups parts by day and model, ordered by day and name. Amounts are rounded to quota once, after they are summed.
 * Figures missing in all parts are null. Throws UsageFault if there are too many.
 */
export function gather(parts: readonly VendorLine[], quotaPerUnit: number): ReportLine[] {
  const found = new Map<string, VendorLine>();
  for (const part of parts) {
    const key = `${part.day} ${part.model}`;
    const sum = found.get(key) ?? { day: part.day, model: part.model };
    add(sum, part);
    found.set(key, sum);
    if (found.size > maxLines) throw new UsageFault('too_large', `more than ${maxLines} lines`);
  }
  return [...found.values()]
    .map(({ day, model, calls, input, cached, output, cost }) => ({
      day,
      model,
      calls: calls ?? null,
      input: input ?? null,
      cached: cached ?? null,
      output: output ?? null,
      cost: cost === undefined ? null : quotaOfPico(cost, quotaPerUnit),
    }))
    .toSorted((a, b) => a.day - b.day || (a.model < b.model ? -1 : 1));
}
