export { createMetrics, type Figures, type Metrics } from './metrics.ts';
