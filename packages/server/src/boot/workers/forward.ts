import { Agent, type IncomingMessage, request, type RequestListener, type ServerResponse } from 'node:http';
import { pipeline } from 'node:stream';
import { AppError } from '@tollgate/contract';
import { readLanguage } from '../../http/language.ts';
import { callerHeader } from '../server/callers.ts';

/** Headers of one connection, which are not of the next one (RFC 9110, 7.6.1). */
const ofTheConnection = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'upgrade',
  'expect',
  callerHeader,
]);

/** Connections to the first process at once; what comes beyond waits. */
const mostConnections = 256;

/** Names and values in turn, without those of the connection. */
function passedOn(raw: readonly string[], dropped: ReadonlySet<string>): string[] {
  const kept: string[] = [];
  for (let i = 0; i + 1 < raw.length; i += 2) {
    if (!dropped.has(raw[i]!.toLowerCase())) kept.push(raw[i]!, raw[i + 1]!);
  }
  return kept;
}

/** Node frames the answer anew. */
const ofTheAnswer = new Set([...ofTheConnection, 'transfer-encoding']);

/** Hands requests on to the first process through its Unix socket, with the address of their callers, and answers back. */
export function createForward(socketPath: string): { listener: RequestListener; close(): void } {
  const agent = new Agent({ keepAlive: true, maxSockets: mostConnections });
  const listener = (req: IncomingMessage, res: ServerResponse): void => {
    const asked = request({
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
    // A caller who leaves takes the request along.
    res.on('close', () => asked.destroy());
    req.pipe(asked);
  };
  return { listener, close: () => agent.destroy() };
}

/** The first process is on its way down or up. */
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
