export { archiveMissing, createLogMover, type LogMover, type WaitingRows } from './mover.ts';
export { returnLogs } from './way-back.ts';
