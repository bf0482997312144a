export { deleteRows } from './deletion.ts';
export { createFailureLog, type FailureLog } from './failures.ts';
export { createLogHours, type LogHours } from './hours.ts';
export { createLogs, type LogEntry, type Logs } from './service.ts';
export { createReceipts, type Receipts } from './receipts.ts';
export { type LogRow, showOwnLog } from './view.ts';
export {
  archiveMissing,
  createLogMover,
  forgetHold,
  isPair,
  type LogMover,
  returnLogs,
  type WaitingRows,
  whileNoneMove,
} from './mover/index.ts';
export { ArchiveUnavailable } from '../../../store/index.ts';
