// Public interface of rehearsals: past charges at other prices.
export { bookOf, type Plan } from './rehearse.ts';
export { readQuantities } from './quantities.ts';
export { reprice } from './reprice.ts';
export { createRehearsals, type Rehearsals } from './service.ts';
export { createModelMonths, type ModelMonths } from './model-months.ts';
export { openTasks, readCorrections } from './corrections.ts';
