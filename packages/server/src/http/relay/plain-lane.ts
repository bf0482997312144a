import { type PlainServer, servePlain } from '@tollgate/http-engine';
import type { HttpEngine } from '../../lib/outbound/http.ts';

/** Node's server serves everything. */
const noLane: PlainServer = { stop: () => undefined, close: () => undefined };

/** The lane for plain requests before a server; none where Node's server is to serve all of them. */
export const openLane = (engine: HttpEngine, ...lane: Parameters<typeof servePlain>): PlainServer =>
  engine === 'lean' ? servePlain(...lane) : noLane;
