import { faultPoint } from '../../lib/fault-point.ts';
import { traceContext } from '../../lib/request-id.ts';
import type { Frame, FrameLink } from '../../lib/websocket/frame-socket.ts';
import { timeoutAfterReads } from '../../lib/processes/timeout-after-reads.ts';
import { HandshakeRefused, openSocket } from '../../lib/websocket/websocket.ts';
import {
  type Channel,
  type Provider,
  type RelayOptions,
  secretsOf,
  refuse,
  RelayError,
} from '../../relay/types/index.ts';
import { readGeminiError } from '../../relay/families/google/index.ts';
import { readOpenaiError } from '../../relay/families/openai/index.ts';
import { overriddenHeaders } from '../../relay/header-override.ts';
import { type RequestedSocket, writeHandshake } from '../../relay/realtime/handshake.ts';
import { hopHeader, type RelayCall } from '../call/index.ts';
import { channelFailure, type Failed } from '../failover/index.ts';
import type { RealtimeLimits } from './limits.ts';
import { LocalLink } from './local-link.ts';

/** Dependencies of opening the upstream's socket. */
export interface DialDeps {
  provider(type: number): Provider | undefined;
  options(): RelayOptions;
}

/** An upstream's open socket, and the model it was opened for. */
export interface Dialled {
  kind: 'opened';
  socket: FrameLink;
  upstreamModel: string;
  /** Secrets that the caller may not see if the upstream repeats them. */
  secrets: readonly string[];
  /** The upstream's first frame, if the handshake alone does not open a session. */
  greeting?: Frame;
}

/** The request, and the call it belongs to. */
interface DialRequest {
  asked: RequestedSocket;
  relayCall: Pick<RelayCall, 'req' | 'trace'>;
}

/** Result of dialling: a socket, or why this channel gave none. */
export type DialResult = Dialled | Failed;

/** Tries to open a socket on one channel. Throws only errors that every channel would have. */
export async function dial(
  deps: DialDeps,
  channel: Channel,
  { asked, relayCall }: DialRequest,
  limits: RealtimeLimits,
  signal: AbortSignal,
): Promise<DialResult> {
  let secrets: readonly string[] = [channel.key];
  try {
    const provider = deps.provider(channel.type);
    if (!provider) throw refuse('channel_type_unknown', { type: channel.type });
    secrets = secretsOf(provider, channel);
    const handshake = writeHandshake(provider, channel, asked, deps.options());
    const { url, protocols, upstreamModel, local } = handshake;
    let { headers } = handshake;
    if (channel.headerOverride) {
      const own = overriddenHeaders(headers, channel, relayCall.req.headers);
      ({ headers } = own);
      secrets = [...secrets, ...own.secrets];
    }
    if (local) return { kind: 'opened', socket: new LocalLink(local), upstreamModel, secrets };
    relayCall.trace?.asks(url, upstreamModel);
    faultPoint('upstream-asked');
    const socket = await openSocket({
      url,
      headers: {
        ...headers,
        ...(relayCall.trace?.headers ?? traceContext(relayCall.req.headers)),
        [hopHeader]: '1',
      },
      protocols,
      scope: 'operator',
      proxy: channel.setting.proxy,
      handshakeTimeoutMs: limits.handshakeTimeoutMs,
      limits: limits.socket,
      signal,
    });
    const greeting =
      handshake.setup && (await setUp(socket, handshake.setup, limits.handshakeTimeoutMs, signal));
    faultPoint('head-received');
    return { kind: 'opened', socket, upstreamModel, secrets, ...(greeting && { greeting }) };
  } catch (error) {
    return { kind: 'failed', error: classifyFailure(error, secrets) };
  }
}

/** The upstream closed its socket in answer to the first message. */
class SetupRefused extends Error {
  readonly code: number;

  constructor(code: number, reason: string) {
    super(reason);
    this.code = code;
  }
}

/** Sends the first message, and resolves to the answer. Closes the socket if there is none. */
function setUp(socket: FrameLink, setup: Buffer, timeoutMs: number, signal: AbortSignal): Promise<Frame> {
  return new Promise((resolve, reject) => {
    const giveUp = (): void => {
      void socket.close(1000, '');
      end();
      reject(new Error('the session was not set up in time'));
    };
    const cancelTimeout = timeoutAfterReads(timeoutMs, giveUp);
    const end = (): void => {
      cancelTimeout();
      signal.removeEventListener('abort', giveUp);
    };
    signal.addEventListener('abort', giveUp, { once: true });
    socket.listen({
      onFrame(frame) {
        socket.pause();
        end();
        resolve(frame);
      },
      onRoom: () => undefined,
      onClose(code, reason) {
        end();
        reject(new SetupRefused(code, reason));
      },
    });
    socket.send({ data: setup, isBinary: false });
  });
}

/** Google explains a refusal in the reason of a close; the code is coarse. */
function statusOf({ code, message }: SetupRefused): number {
  if (/api key|credential/i.test(message)) return 401;
  if (/quota|exhausted|rate limit/i.test(message)) return 429;
  if (/not found|not supported/i.test(message)) return 404;
  if (code === 1007) return 400;
  return code === 1008 ? 403 : 502;
}

function classifyFailure(error: unknown, secrets: readonly string[]): RelayError {
  if (error instanceof SetupRefused) {
    const body = Buffer.from(JSON.stringify({ error: { message: error.message } }));
    const status = statusOf(error);
    return readGeminiError({
      status,
      contentType: 'application/json',
      body,
      secrets,
      retryAfterSeconds: undefined,
    });
  }
  if (error instanceof HandshakeRefused) {
    const { status, contentType, body, retryAfter } = error;
    const seconds = retryAfter !== undefined && /^\d{1,9}$/.test(retryAfter) ? Number(retryAfter) : undefined;
    return readOpenaiError({
      // A success without a socket, and a redirect, are failures of the channel.
      status: status < 400 ? 502 : status,
      contentType,
      body,
      secrets,
      retryAfterSeconds: seconds,
    });
  }
  if (error instanceof RelayError) return channelFailure(error);
  return refuse('upstream_unreachable', {}, { cause: error });
}
