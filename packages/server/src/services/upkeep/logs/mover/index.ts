export { archiveMissing, createLogMover, type LogMover, type WaitingRows } from './mover.ts';
export { returnLogs } from './way-back.ts';
export { forgetHold, whileNoneMove } from './hold.ts';
export { isPair } from './join.ts';
