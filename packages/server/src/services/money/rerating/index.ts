// The only door of re-rating: charges of the past that are corrected to other prices, once and reversibly.
export { createReratings, type Reratings } from './service.ts';
