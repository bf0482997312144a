import type { Server as HttpServer } from 'node:http';
import { Server as TcpServer } from 'node:net';
import type { PlainServer } from '@tollgate/http-engine';
import type { Running } from '../../gateway/index.ts';
import { type Sleep, systemSleep } from '../../lib/clock.ts';
import { faultPoint } from '../../lib/fault-point.ts';
import type { Log } from '../../lib/log.ts';

/** Grace period for keep-alive connections during shutdown. */
const lingerMs = 1_000;

interface Draining {
  server: HttpServer;
  plain: PlainServer;
  calls: Pick<Running, 'settled' | 'size'>;
  sleep: Sleep;
}

/**
 * Stops accepting connections and drains the open ones: each may send one more request, and its answer closes the
 * connection. So no caller gets a reset before an answer, and new callers wait in the backlog of a shared socket. True
 * if no call is running any more, false if the time (ms) is over first.
 */
async function drainConnections(
  { server, plain, calls, sleep }: Draining,
  drainMs: number,
): Promise<boolean> {
  const ended = new AbortController();
  server.once('close', () => ended.abort());
  server.prependListener('request', (_req, res) => {
    res.shouldKeepAlive = false;
  });
  // Only the listener: the server's own close would reset connections with a request on the way.
  TcpServer.prototype.close.call(server);
  plain.stop();
  const end = performance.now() + drainMs;
  do {
    if (!(await calls.settled(Math.max(0, end - performance.now())))) return false;
    await sleep(lingerMs, ended.signal).catch(() => undefined);
    server.closeIdleConnections();
  } while (calls.size > 0);
  return true;
}

/** Time for callers to read that the server is stopping. */
const farewellMs = 2_000;

/** A server and its running calls during a drain. */
export interface Leaving extends Pick<Draining, 'server' | 'plain'> {
  relay: { gateway: { running: Running }; leave(): void; stop(): void };
  log: Log;
}

/**
 * Drains running calls and accepts no new connection. Calls that still run after `drainMs` end with an error and are
 * settled.
 */
export async function drainCalls({ server, plain, relay, log }: Leaving, drainMs: number): Promise<void> {
  relay.leave();
  faultPoint('draining');
  const { running: calls } = relay.gateway;
  const isIdle = await drainConnections({ server, plain, calls, sleep: systemSleep }, drainMs);
  relay.stop();
  if (isIdle) return;
  log.warn({ requests: calls.size }, 'the drain time is over; running requests are ended');
  calls.endAll();
  await calls.settled(farewellMs);
}
