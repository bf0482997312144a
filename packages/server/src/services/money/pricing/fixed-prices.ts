import { type PriceSnapshot, type SearchKind, prepareSnapshot } from '@tollgate/contract';
import { groupRatio } from './pricing.ts';
import { buildSnapshot, type PriceOptions } from './snapshot.ts';

/** Prices as one set of options has them, which never changes: of this moment, or of a draft. */
export interface FixedPrices {
  /**
   * The price of a model in a group, for users of `userGroup` if that is another; `unset` where it has none. A group
   * without a ratio counts as 1.
   */
  snapshot(model: string, group: string, kind: SearchKind, userGroup?: string): PriceSnapshot;
}

/** Reads the prices of options. They are made once for each model and ratio, by the function that makes them for calls. */
export function createFixedPrices(options: PriceOptions): FixedPrices {
  const byKind = new Map<SearchKind, Map<number, Map<string, PriceSnapshot>>>();
  return {
    snapshot(model, group, kind, userGroup) {
      const ratio = groupRatio(options, group, userGroup) ?? 1;
      const byModel = entry(entry(byKind, kind), ratio);
      const known = byModel.get(model);
      if (known) return known;
      const made = buildSnapshot(options, model, ratio, kind);
      byModel.set(model, made);
      return made;
    },
  };
}

function entry<Key, Name, Value>(maps: Map<Key, Map<Name, Value>>, key: Key): Map<Name, Value> {
  const known = maps.get(key);
  if (known) return known;
  const fresh = new Map<Name, Value>();
  maps.set(key, fresh);
  return fresh;
}

/** Default price of an action of Midjourney in US dollars. */
const drawingPrice = 0.1;

/**
 * The price of a task: tasks have no tokens, and a price for tokens would let them go for nothing. Undefined where the
 * model has no price for each call; a drawing then has a usual one.
 */
export function pricedPerCall(snapshot: PriceSnapshot, isDrawing: boolean): PriceSnapshot | undefined {
  if (snapshot.mode === 'call') return snapshot;
  return isDrawing
    ? prepareSnapshot({ ...snapshot, mode: 'call', modelPrice: drawingPrice, unset: false })
    : undefined;
}
