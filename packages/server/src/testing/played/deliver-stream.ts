import type { PriceSnapshot } from '@tollgate/contract';
import { Attempt } from '../../gateway/answer/attempt.ts';
import { type AnswerSink, ClientStream, type RelayCall } from '../../gateway/call/index.ts';
import { Meter } from '../../gateway/hold/meter.ts';
import { takeHold } from '../../gateway/hold/take-hold.ts';
import { HoldGuard } from '../../gateway/hold/hold-guard.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { Controller } from '../../lib/outbound/http.ts';
import type { TokenCounter } from '../../lib/token-count/token-counter.ts';
import { bridge } from '../../relay/bridge.ts';
import { providerOf } from '../../relay/registry.ts';
import { countRequest, countText } from '../../relay/token-count.ts';
import { countAtMost } from '../../lib/token-count/count-at-most.ts';
import { type AnswerPipe, RelayError } from '../../relay/types/index.ts';
import type { Ledger } from '../../services/money/ledger/index.ts';
import { buildChannel, buildRequest, relayOptions } from '../protocols/build-relay.ts';
import type { TextProtocol } from '../upstream/answer-events.ts';

/** A streamed call without its sockets. */
export interface PlayedCall {
  caller: TextProtocol;
  /** Protocol of the channel. */
  upstream: TextProtocol;
  model: string;
  prompt: string;
  snapshot: PriceSnapshot;
  /** Reads from the upstream. `input` is the token count of the prompt. */
  reads(input: number): Buffer[];
}

/** One write to the caller, and the amount held at that moment (quota units). */
interface Written {
  bytes: Buffer;
  held: number;
}

export interface Played {
  /** Input tokens, counted. */
  input: number;
  /** Amount held at the time of the request to the upstream (quota units). */
  heldAtStart: number;
  writes: Written[];
  /** Received part of the upstream's answer at the end of the call. */
  read: Buffer;
  isWhole: boolean;
}

/** Provider types by their only or first protocol. */
const providers: Record<TextProtocol, number> = {
  'openai-chat': 31,
  'openai-completions': 1,
  'openai-responses': 1,
  'anthropic-messages': 14,
  gemini: 24,
};

const bodyOf: Record<TextProtocol, (prompt: string) => JsonObject> = {
  'openai-chat': (content) => ({ stream: true, messages: [{ role: 'user', content }] }),
  'openai-completions': (prompt) => ({ stream: true, prompt }),
  'openai-responses': (input) => ({ stream: true, input }),
  'anthropic-messages': (content) => ({
    stream: true,
    max_tokens: 4_000,
    messages: [{ role: 'user', content }],
  }),
  gemini: (text) => ({ contents: [{ role: 'user', parts: [{ text }] }] }),
};

/** Records each write of an answer with the amount held at that moment. */
class NotedSink implements AnswerSink {
  headersSent = false;
  writableEnded = false;
  readonly writableFinished = false;
  readonly destroyed = false;
  readonly writes: Written[] = [];
  private readonly held: () => number;

  constructor(held: () => number) {
    this.held = held;
  }

  writeHead(): void {
    this.headersSent = true;
  }

  write(bytes: Buffer): boolean {
    this.writes.push({ bytes, held: this.held() });
    return true;
  }

  addTrailers(): void {}

  end(bytes?: Buffer): void {
    if (bytes) this.write(bytes);
    this.writableEnded = true;
  }

  destroy(): void {}

  once(): void {}
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/**
 * Runs a call from its hold to the last write on the real ledger. The upstream delivers one read per turn of the event
 * loop, regardless of backpressure. Undefined if the balance is too low to start.
 */
export async function playCall(
  { ledger, counter }: { ledger: Ledger; counter: TokenCounter },
  payer: { accountId: number; userId: number; tokenId: number },
  requestId: string,
  call: PlayedCall,
): Promise<Played | undefined> {
  const { caller, model, snapshot } = call;
  const fromPath = caller === 'gemini' ? { model, stream: true } : {};
  const request = buildRequest(caller, { model, ...bodyOf[caller](call.prompt) }, fromPath);
  const countPrompt = (): Promise<number> => countRequest(counter, caller, request.json, model);
  const { json, facts } = request;
  const relayCall = { requestId, inbound: { id: caller }, caller: { maskedKey: 'sk-***' }, json, facts };
  const reserve = { ...payer, requestId, tokenUnlimited: true, channelId: 0, request: '{}' };
  const boundPrompt = (): Promise<number> => countRequest(countAtMost(counter), caller, request.json, model);
  const holdDeps = {
    ledger,
    boundPrompt,
    canLimitUses: () => true,
    preConsumedTokens: () => 0,
    showQuota: String,
  };
  const refusal = (error: unknown): undefined => {
    if (!(error instanceof RelayError)) throw error;
  };
  const taking = Promise.resolve().then(() =>
    takeHold(holdDeps, relayCall as RelayCall, snapshot, reserve, buildChannel()),
  );
  const hold = await taking.catch(refusal);
  const input = await countPrompt();
  if (!hold) return undefined;
  const heldAtStart = hold.amount;
  const guard = new HoldGuard({
    ledger,
    requestId,
    hold,
    meter: new Meter(model, (text) => countText(counter, text, model)),
    progressAt: () => Promise.resolve({ cost: 0 }),
    markRounds: { add: () => undefined, delete: () => undefined },
    now: () => 0,
    kind: 'stream',
  });
  const sink = new NotedSink(() => hold.amount);
  const client = new ClientStream(sink);
  client.open();
  const type = providers[call.upstream];
  const sent = bridge(providerOf(type)!, buildChannel({ type }), request, model, relayOptions);
  const attempt: Attempt = new Attempt(sent, {
    client,
    stream: true,
    headers: { stream: {}, whole: {} },
    guard,
    onHead: () => undefined,
    onStarted: () => undefined,
    onBalanceEnd: () => attempt.stop('the balance ended'),
    now: () => 0,
    confirmResult: (result) => Promise.resolve(result),
  });
  const come: Buffer[] = [];
  feed(attempt, call.reads(input), come);
  const { kind, end } = (await attempt.result) as { kind: string; end: ReturnType<AnswerPipe['end']> };
  const read = Buffer.concat(come);
  const isWhole = kind === 'answered' && end.outcome === 'complete';
  if (isWhole) client.finish(end.tail, {});
  await ledger.release(requestId);
  return { input, heldAtStart, writes: sink.writes, read, isWhole };
}

/** The upstream side: delivers every read regardless of backpressure, and records it in `come`. */
function feed(attempt: Attempt, reads: readonly Buffer[], come: Buffer[]): void {
  const controller = { pause() {}, resume() {}, abort() {} } as unknown as Controller;
  attempt.onRequestStart(controller);
  attempt.onResponseStart(controller, 200, { 'content-type': 'text/event-stream' });
  void (async () => {
    for (const part of reads) {
      come.push(part);
      attempt.onResponseData(controller, part);
      await turn();
    }
    attempt.onResponseEnd();
  })();
}
