import { type PlainServer, servePlain } from '@tollgate/http-engine';
import type { HttpEngine } from '../../lib/outbound/http.ts';

/** Node's server serves everything. */
const noLane: PlainServer = { stop: () => undefined, close: () => undefined };

/** Creates the HTTP engine's server in front of a Node server; none if Node's server handles everything. */
export const openLane = (engine: HttpEngine, ...lane: Parameters<typeof servePlain>): PlainServer =>
  engine === 'lean' ? servePlain(...lane) : noLane;
