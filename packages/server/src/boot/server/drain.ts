import type { Server as HttpServer } from 'node:http';
import { Server as TcpServer } from 'node:net';
import type { PlainServer } from '@tollgate/http-engine';
import type { Running } from '../../gateway/index.ts';
import { type Sleep, systemSleep } from '../../lib/clock.ts';
import { faultPoint } from '../../lib/fault-point.ts';
import type { Log } from '../../lib/log.ts';

/** Callers who were told that their connection stays have this long to be on their way; as the lane has it. */
const lingerMs = 1_000;

interface Draining {
  server: HttpServer;
  plain: PlainServer;
  calls: Pick<Running, 'settled' | 'size'>;
  sleep: Sleep;
}

/**
 * Takes no new connection, and lets those that are open come to their end: each may bring one more request, whose answer
 * says that it is the last. So no caller meets a connection that is reset before it was answered, and who connects now waits in
 * the backlog where the socket is not ours alone. True once nothing runs, false when the time (ms) is over before.
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
  // The listener alone: the server's own close would reset connections that a request is on its way to.
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

/** Callers who were told that we stop get this long to read it. */
const farewellMs = 2_000;

/** A server and its calls, as they come to their end. */
export interface Leaving extends Pick<Draining, 'server' | 'plain'> {
  relay: { gateway: { running: Running }; leave(): void; stop(): void };
  log: Log;
}

/**
 * Lets running calls come to their end, and takes no new connection. What still runs after `drainMs` is told so and
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
