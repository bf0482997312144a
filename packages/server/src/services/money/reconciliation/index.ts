// Public interface of reconciliation: comparison of vendors' figures with our books.
export { createFetches, type Fetches } from './fetches.ts';
export { createReportKeys, type ReportKeys } from './keys.ts';
export { createReports, type Reports } from './reports.ts';
export { previewFile } from './csv.ts';
