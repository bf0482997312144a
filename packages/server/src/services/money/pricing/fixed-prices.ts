import { type PriceSnapshot, type SearchKind, prepareSnapshot } from '@tollgate/contract';
import { groupRatio } from './pricing.ts';
import { buildSnapshot, type PriceOptions } from './snapshot.ts';

/** Immutable prices of one set of options: the present one, or a draft. */
export interface FixedPrices {
  /**
   * The price of a model in a group, for users of `userGroup` if it differs; `unset` without a price. A group without a
   * ratio counts as 1.
   */
  snapshot(model: string, group: string, kind: SearchKind, userGroup?: string): PriceSnapshot;
}

/**
 * Reads the prices of options. They are created once for each model and ratio, by the function that creates them for
 * calls.
 */
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
 * The price of a task. Tasks have no tokens, so a token price would make them free. Undefined without a price per call;
 * a drawing then has a default price.
 */
export function pricedPerCall(snapshot: PriceSnapshot, isDrawing: boolean): PriceSnapshot | undefined {
  if (snapshot.mode === 'call') return snapshot;
  return isDrawing
    ? prepareSnapshot({ ...snapshot, mode: 'call', modelPrice: drawingPrice, unset: false })
    : undefined;
}
