export { createMetrics, type MeasuredCall, type Metrics, type Readings } from './metrics.ts';
