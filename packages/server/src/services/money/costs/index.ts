export { soldBelowCost, type SoldChannel } from './below-cost.ts';
export { type CostedCall, type Costs, costsMark, createCosts } from './costs.ts';
export { createMargins, type Margins } from './margins.ts';
