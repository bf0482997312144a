import type { RequestListener, Server } from 'node:http';
import { nodeHttp, type PlainServer } from '@tollgate/http-engine';
import type { RelayListener, UpgradeListener } from '../../http/relay/index.ts';
import { openLane } from '../../http/relay/plain-lane.ts';
import type { HttpEngine } from '../../lib/outbound/http.ts';
import { serverTimes } from './times.ts';

/** A server that does not listen yet, and the lane before it. */
export interface RawServer {
  server: Server;
  plain: PlainServer;
}

/** Makes the server: the relay's doors in front, `behind` for everything that is not theirs. */
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
