export { createLogs, type LogEntry, type Logs, type LogsDeps, type OwnLogFilters } from './service.ts';
export { createReceipts, type ReceiptReader, type Receipts } from './receipts.ts';
