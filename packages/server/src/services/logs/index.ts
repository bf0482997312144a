export { createLogs, type LogEntry, type Logs, type LogsDeps, type OwnLogFilters } from './service.ts';
