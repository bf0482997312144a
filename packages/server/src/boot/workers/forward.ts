import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { nodeHttp } from '@tollgate/http-engine';
import { pipeline } from 'node:stream';
import { AppError } from '@tollgate/contract';
import { readLanguage } from '../../http/access.ts';
import { callerHeader } from '../server/callers.ts';

/** Hop-by-hop headers (RFC 9110, 7.6.1). */
const ofTheConnection = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'upgrade',
  'expect',
  callerHeader,
]);

/** Most connections to the first process; further requests wait. */
const mostConnections = 256;

/** Names and values alternately, without hop-by-hop headers. */
function passedOn(raw: readonly string[], dropped: ReadonlySet<string>): string[] {
  const kept: string[] = [];
  for (let i = 0; i + 1 < raw.length; i += 2) {
    if (!dropped.has(raw[i]!.toLowerCase())) kept.push(raw[i]!, raw[i + 1]!);
  }
  return kept;
}

/** Node sets the framing of the answer itself. */
const ofTheAnswer = new Set([...ofTheConnection, 'transfer-encoding']);

/**
 * Forwards requests to the first process through its Unix socket, with the address of their callers, and returns the
 * answers.
 */
export function createForward(socketPath: string): { listener: RequestListener; close(): void } {
  const agent = new nodeHttp.Agent({ keepAlive: true, maxSockets: mostConnections });
  const listener = (req: IncomingMessage, res: ServerResponse): void => {
    const asked = nodeHttp.request({
      socketPath,
      agent,
      method: req.method,
      path: req.url,
      headers: [...passedOn(req.rawHeaders, ofTheConnection), callerHeader, req.socket.remoteAddress ?? ''],
    });
    asked.on('response', (answer) => {
      res.writeHead(answer.statusCode ?? 502, passedOn(answer.rawHeaders, ofTheAnswer));
      pipeline(answer, res, () => undefined);
    });
    asked.on('error', () => refuse(req, res));
    // If the caller disconnects, the request is aborted.
    res.on('close', () => asked.destroy());
    req.pipe(asked);
  };
  return { listener, close: () => agent.destroy() };
}

/** The first process is stopping or starting. */
function refuse(req: IncomingMessage, res: ServerResponse): void {
  if (res.headersSent) {
    res.destroy();
    return;
  }
  const error = new AppError('restarting');
  const message = error.say(readLanguage(req.headers['accept-language']));
  res.writeHead(error.status, { 'content-type': 'application/json; charset=utf-8', 'retry-after': '2' });
  res.end(JSON.stringify({ success: false, message, data: null, code: error.code }));
}
