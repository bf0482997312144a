/**
 * The name a model is priced and routed under: all custom GPTs of a family share one starred entry
 * (docs/compatibility.md#price-lookup).
 */
export function pricedName(model: string): string {
  if (model.startsWith('gpt-4-gizmo')) return 'gpt-4-gizmo-*';
  if (model.startsWith('gpt-4o-gizmo')) return 'gpt-4o-gizmo-*';
  return model;
}

/**
 * The ratio of a model without a price where such models are allowed (docs/compatibility.md#price-lookup): the
 * dearest of the table.
 */
export const unsetModelRatio = 37.5;
