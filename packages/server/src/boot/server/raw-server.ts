import { type PlainServer, servePlain, nodeHttp } from '@tollgate/http-engine';
import type { HttpEngine } from '../../lib/outbound/http.ts';
import type { RequestListener, Server } from 'node:http';
import type { RelayListener, UpgradeListener } from '../../http/relay/index.ts';

/** Timeouts for callers, in ms; the test server uses the same. */
export const serverTimes = {
  /** A caller that sends its head or body slower than this is not served. */
  headersTimeout: 60_000,
  requestTimeout: 300_000,
  /**
   * Longer than the keep-alive time of proxies: the server closes a connection later than the proxy, so that no request
   * arrives on a closed one.
   */
  keepAliveTimeout: 75_000,
} as const;

/** Node's server serves everything. */
const noLane: PlainServer = { stop: () => undefined, close: () => undefined };

/** Creates the HTTP engine's server in front of a Node server; none if Node's server handles everything. */
export const openLane = (engine: HttpEngine, ...lane: Parameters<typeof servePlain>): PlainServer =>
  engine === 'lean' ? servePlain(...lane) : noLane;

/** A server that does not listen yet, and the server for plain requests before it. */
export interface RawServer {
  server: Server;
  plain: PlainServer;
}

/** Creates the server: relay routes first, `behind` for all other requests. */
export function createRawServer(
  engine: HttpEngine,
  { doors, upgrades }: { doors: RelayListener; upgrades: UpgradeListener },
  behind: RequestListener,
): RawServer {
  const options = { ...serverTimes, shouldUpgradeCallback: upgrades.takes };
  const server = nodeHttp.createServer(options, (req, res) => {
    if (!doors.listener(req, res)) behind(req, res);
  });
  server.on('checkContinue', (req, res) => {
    if (doors.expectant(req, res)) return;
    res.writeContinue();
    behind(req, res);
  });
  server.on('upgrade', upgrades.upgrade);
  return { server, plain: openLane(engine, server, options, doors.take) };
}
