import { pino } from 'pino';

/** The process log: one JSON object per line on standard output. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** A log that drops entries below `level`. Keys named like secrets are redacted at any depth. */
export const createLog = (level: string): Log =>
  pino({
    level,
    base: null,
    redact: {
      paths: ['key', 'password', 'authorization', '*.key', '*.password', '*.authorization', 'headers.cookie'],
      censor: '[hidden]',
    },
  });
