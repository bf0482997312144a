import { type JsonObject, textOf } from '../../../lib/json.ts';

/** Names of the events that end a response. */
export const responseEnds: ReadonlySet<string> = new Set([
  'response.completed',
  'response.incomplete',
  'response.failed',
  'response.cancelled',
]);

const running: ReadonlySet<string> = new Set(['queued', 'in_progress']);

/** True for a response that has not ended. */
export const isRunning = ({ status }: JsonObject): boolean => running.has(textOf(status));
