import { prepareSnapshot, type PriceSnapshot } from '@tollgate/contract';

/** What an action of Midjourney costs that has no price of its own, in US dollars. */
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
