// The only door of reconciliation: what vendors counted beside our books.
export { createFetches, type Fetches } from './fetches.ts';
export { createReportKeys, type ReportKeys } from './keys.ts';
export { createReports, type Reports } from './reports.ts';
export { previewFile } from './csv.ts';
