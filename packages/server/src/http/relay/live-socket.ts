import { EventEmitter } from 'node:events';
import type { ClientSink } from '../../gateway/index.ts';
import { type JsonObject, objectOf, parseObject, textOf } from '../../lib/json.ts';
import { timeoutAfterReads } from '../../lib/processes/timeout-after-reads.ts';
import type { FrameLink } from '../../lib/websocket/frame-socket.ts';
import { camelCased } from '../../relay/protocols/gemini/index.ts';
import { type LiveSetup, readLiveSetup } from '../../relay/realtime/live.ts';
import { refuse } from '../../relay/types/index.ts';
import type { SessionGrant } from '../../services/people/tokens/index.ts';

/** Time for the first message of a session. */
const setupMs = 15_000;

/**
 * Reads the first message of a session of Gemini Live, and pauses the socket. Throws `invalid_event` for any other message,
 * and `client_gone` without one.
 */
export function readSetup(link: FrameLink, fixed: (setup: JsonObject) => JsonObject): Promise<LiveSetup> {
  return new Promise((resolve, reject) => {
    const late = timeoutAfterReads(setupMs, () => reject(refuse('invalid_event')));
    link.listen({
      onFrame({ data }) {
        link.pause();
        late();
        const live = readLiveSetup(data, fixed);
        if (live) resolve(live);
        else reject(refuse('invalid_event'));
      },
      onRoom: () => undefined,
      onClose() {
        late();
        reject(refuse('client_gone'));
      },
    });
  });
}

/** A setup with the members that a token fixes in place of its own. The model of a token always applies. */
export function fixedSetup({ session, live }: SessionGrant, setup: JsonObject): JsonObject {
  const { sessionResumption = setup['session_resumption'] } = setup;
  if (!live?.fields) return { ...session, ...(sessionResumption !== undefined && { sessionResumption }) };
  // Google reads both spellings of a name: a second one must not replace what is fixed.
  const fixed = camelCased(setup);
  for (const field of [...live.fields, ...(session['model'] === undefined ? [] : ['model'])])
    fix(fixed, session, field.split('.'));
  return fixed;
}

/** Replaces or removes the member at a path. */
function fix(setup: JsonObject, fixed: JsonObject, [name = '', ...rest]: string[]): void {
  if (name === '__proto__') return;
  const value = camelCased(fixed)[name];
  if (rest.length > 0) {
    const within = camelCased(objectOf(setup[name]));
    fix(within, objectOf(value), rest);
    setup[name] = within;
  } else if (value === undefined) delete setup[name];
  else setup[name] = value;
}

/** Google's code of a close for the status of an error. */
const codeOf = (status: number): number => (status === 400 ? 1007 : status >= 500 ? 1011 : 1008);

/** An error as the close of a socket: Gemini Live has no messages for errors. */
export class CloseSink extends EventEmitter implements ClientSink {
  headersSent = false;
  writableEnded = false;
  writableFinished = false;
  destroyed = false;
  readonly writableLength = 0;
  private readonly link: FrameLink;
  private status = 0;
  private readonly whole: Buffer[] = [];

  constructor(link: FrameLink) {
    super();
    this.link = link;
  }

  writeHead(status: number): void {
    this.headersSent = true;
    this.status = status;
  }

  write(chunk: Buffer): boolean {
    this.whole.push(chunk);
    return true;
  }

  addTrailers(): void {
    // A close has none.
  }

  end(chunk?: Buffer): void {
    if (this.writableEnded) return;
    if (chunk) this.whole.push(chunk);
    this.writableEnded = true;
    this.writableFinished = true;
    const { error } = parseObject(Buffer.concat(this.whole)) ?? {};
    void this.link.close(codeOf(this.status), textOf(objectOf(error)['message']));
  }

  destroy(): void {
    if (this.destroyed) return;
    this.destroyed = true;
    void this.link.close(1011, '');
    this.emit('close');
  }
}
