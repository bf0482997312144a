export { archiveMissing, createLogMover, type LogMover } from './mover.ts';
