import { modelKindOf } from '@tollgate/contract';
import type { FixedPrices } from '../pricing/index.ts';
import { type Pricer, reprice } from './reprice.ts';

/** Prices rows as calls to one model, in the groups that they were made in. What another kind of model did it would refuse. */
export function asModel(model: string, book: FixedPrices): Pricer {
  const kind = modelKindOf(model);
  const ofModel: FixedPrices = { snapshot: (_model, group, size) => book.snapshot(model, group, size) };
  return (row, corrected) =>
    modelKindOf(row.model_name) === kind ? reprice(row, ofModel, corrected) : 'unpriced';
}
