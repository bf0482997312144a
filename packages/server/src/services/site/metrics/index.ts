export { createMetrics, type MeasuredCall, type Figures, type Metrics, type Readings } from './metrics.ts';
