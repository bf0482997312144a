import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { FakeExchange, type RecordedRequest } from './fake-upstream-exchange.ts';
import * as faults from './fake-upstream-faults.ts';
import { type Behaviour, chat, healthy } from './fake-upstream-scripts.ts';

/** Behaviours without arguments, by name. The others are the functions of `fake-upstream-{scripts,faults}.ts`. */
export const namedScripts = {
  healthy: healthy(),
  'chat-at-once': chat({ atOnce: true, chunks: 100 }),
  'chat-without-usage': chat({ usage: null }),
  'usage-always': chat({ usageWhen: 'always' }),
  'refuse-429': faults.refuse(429, { type: 'rate_limit_error', code: 'rate_limit_exceeded' }),
  'refuse-500': faults.refuse(500),
  'refuse-502': faults.refuse(502, { body: 'html' }),
  'refuse-503': faults.refuse(503, { body: 'empty' }),
  'reset-at-once': faults.resetAtOnce(),
  'stall-before-headers': faults.stallBeforeHeaders(),
  'stall-mid-stream': faults.stallMidStream(),
  'cut-mid-event': faults.cutMidEvent(),
  'cut-mid-character': faults.cutMidCharacter(),
  'end-without-done': faults.endWithoutDone(),
  'fin-without-done': faults.finWithoutDone(),
  'length-too-short': faults.wrongLength(-5),
  'length-too-long': faults.wrongLength(5),
  'two-answers': faults.twoAnswers(),
  'hostile-headers': faults.hostileHeaders(),
  'error-event': faults.errorEvent(),
  'html-200': faults.body('<html>maintenance</html>', 'text/html'),
  'broken-json': faults.body('{"id":"chatcmpl-fake","choices":['),
} as const satisfies Record<string, Behaviour>;

export type ScriptName = keyof typeof namedScripts;

export interface FakeUpstream {
  /** `http://127.0.0.1:<port>`, without a trailing slash. */
  readonly url: string;
  readonly port: number;
  /** Every request in order of arrival, recorded when its body was complete. */
  readonly requests: readonly RecordedRequest[];
  /** Bytes written after a peer had closed, over all requests. */
  readonly bytesAfterClose: number;
  /** Connections accepted since the start. */
  readonly connections: number;
  /** Sets the answer to all requests from now on. */
  script(behaviour: Behaviour | ScriptName): void;
  /** Sets the answers to the next requests, one each; afterwards the current script applies again. */
  next(...behaviours: (Behaviour | ScriptName)[]): void;
  /** Resolves with the n-th request (from 0) once it has arrived. */
  arrived(index: number): Promise<RecordedRequest>;
  /**
   * Ends all connections and the server. Rejects with an error that a script threw, so that a broken script fails its
   * test.
   */
  close(): Promise<void>;
}

const behaviourOf = (given: Behaviour | ScriptName): Behaviour =>
  typeof given === 'function' ? given : namedScripts[given];

async function readBody(req: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** State of one fake upstream; `startFakeUpstream` wraps it around a listening server. */
class Recorder {
  readonly requests: FakeExchange[] = [];
  readonly queue: Behaviour[] = [];
  standing: Behaviour;
  failure: unknown;
  private readonly waiters: { index: number; resolve: (request: RecordedRequest) => void }[] = [];

  constructor(standing: Behaviour) {
    this.standing = standing;
  }

  readonly answer = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    let body: Buffer;
    try {
      body = await readBody(req);
    } catch {
      return; // The peer left before its request was complete: there is nothing to record or to answer.
    }
    const exchange = new FakeExchange(req, res, body);
    const index = this.requests.push(exchange) - 1;
    for (const waiter of this.waiters) if (waiter.index === index) waiter.resolve(exchange);
    try {
      await (this.queue.shift() ?? this.standing)(exchange);
    } catch (error) {
      this.failure ??= error;
      exchange.cut();
    } finally {
      exchange.markFinished();
    }
  };

  arrived(index: number): Promise<RecordedRequest> {
    const known = this.requests[index];
    if (known) return Promise.resolve(known);
    return new Promise((resolve) => this.waiters.push({ index, resolve }));
  }
}

/** Starts an upstream on a free port of 127.0.0.1 that answers as scripted; healthy by default. */
export async function startFakeUpstream(script: Behaviour | ScriptName = 'healthy'): Promise<FakeUpstream> {
  const recorder = new Recorder(behaviourOf(script));
  let connections = 0;
  const server = createServer({ keepAliveTimeout: 60_000 }, (req, res) => {
    void recorder.answer(req, res);
  });
  server.on('connection', (socket) => {
    connections += 1;
    socket.on('error', () => {}); // A peer's reset is an event of the test, seen through `closed`.
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    requests: recorder.requests,
    get bytesAfterClose() {
      return recorder.requests.reduce((sum, request) => sum + request.bytesAfterClose, 0);
    },
    get connections() {
      return connections;
    },
    script: (behaviour) => {
      recorder.standing = behaviourOf(behaviour);
    },
    next: (...behaviours) => {
      recorder.queue.push(...behaviours.map(behaviourOf));
    },
    arrived: (index) => recorder.arrived(index),
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
      if (recorder.failure !== undefined) throw recorder.failure;
    },
  };
}

export type { FakeExchange, RecordedRequest } from './fake-upstream-exchange.ts';
export type { Behaviour } from './fake-upstream-scripts.ts';
