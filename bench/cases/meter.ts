import { Attempt } from '../../packages/server/src/gateway/answer/attempt.ts';
import { type AnswerSink, ClientStream } from '../../packages/server/src/gateway/call/index.ts';
import { Hold } from '../../packages/server/src/gateway/hold/hold.ts';
import { Meter } from '../../packages/server/src/gateway/hold/meter.ts';
import { HoldGuard } from '../../packages/server/src/gateway/hold/hold-guard.ts';
import type { Controller } from '../../packages/server/src/lib/outbound/http.ts';
import { bridge } from '../../packages/server/src/relay/bridge.ts';
import { providerOf } from '../../packages/server/src/relay/registry.ts';
import type { CallLedger } from '../../packages/server/src/services/money/ledger/index.ts';
import { buildPrice } from '../../packages/server/src/testing/build-price.ts';
import {
  buildChannel,
  buildRequest,
  relayOptions,
} from '../../packages/server/src/testing/protocols/build-relay.ts';
import { answerEvents } from '../../packages/server/src/testing/upstream/answer-events.ts';

/** Cost of the hold guard for an untranslated stream, in microseconds of processor time per event. */
export interface MeterCost {
  /** Without a guard: the cost of the stream itself. */
  unguarded: number;
  /** With a large balance: bytes pass unchanged. */
  passed: number;
  /** With a balance that is nearly used up: the stream is read event by event, with a hold for the bytes of each. */
  held: number;
}

const events = 100;
const streamsPerWindow = 400;
const pieces = Array.from({ length: events }, (_, index) => ` word${index}`);
const wire = Buffer.from(answerEvents['openai-chat']({ pieces, input: 10, output: events * 2 }).join(''));
const textBytes = Buffer.byteLength(pieces.join(''));

const snapshot = buildPrice();
const payer = { accountId: 1, tokenId: 1 };

/** Grants everything at once, because the bench measures the guard and not the ledger. */
const ledger = {
  extend: () => Promise.resolve(true),
  endDeferral() {},
  mark: () => Promise.resolve(),
} as unknown as CallLedger;

const nullSink = {
  headersSent: true,
  writableEnded: false,
  writableFinished: false,
  destroyed: false,
  writeHead() {},
  answer() {},
  write: () => true,
  addTrailers() {},
  end() {},
  destroy() {},
  once() {},
} satisfies AnswerSink;

/** A guard that lets everything pass. */
const permissive = {
  roomIn: () => Infinity,
  begin() {},
  read() {},
  admit: () => 'deliver',
  admitEnd: () => 'deliver',
} as unknown as HoldGuard;

function guardFor(amount: number): HoldGuard {
  const parts = {
    ledger,
    showQuota: String,
    requestId: 'bench',
    payer,
    snapshot,
    note: '{}',
    extras: undefined,
  };
  const hold = new Hold(
    { ...parts, inputTokens: 10, amount, tokens: 0, isPartial: false },
    Promise.resolve(),
  );
  return new HoldGuard({
    ledger,
    requestId: 'bench',
    hold,
    meter: new Meter('gpt-4o', () => Promise.resolve(0)),
    progressAt: () => Promise.resolve({ cost: 0 }),
    markRounds: { add: () => undefined, delete: () => undefined },
    now: () => 0,
    kind: 'stream',
  });
}

const guards: Record<keyof MeterCost, () => HoldGuard> = {
  unguarded: () => permissive,
  passed: () => guardFor(1_000_000_000),
  held: () => guardFor(textBytes + 400),
};

const body = { model: 'gpt-4o', stream: true, messages: [{ role: 'user', content: 'hi' }] };
const call = bridge(
  providerOf(1)!,
  buildChannel({ type: 1 }),
  buildRequest('openai-chat', body),
  'gpt-4o',
  relayOptions,
);
const controller = { pause() {}, resume() {}, abort() {} } as unknown as Controller;

/** Passes one stream, which arrives in two reads, and waits for its end. */
async function runStream(guard: HoldGuard): Promise<void> {
  const client = new ClientStream(nullSink);
  client.open();
  const attempt = new Attempt(call, {
    client,
    stream: true,
    headers: { stream: {}, whole: {} },
    guard,
    onHead: () => undefined,
    onStarted: () => undefined,
    onBalanceEnd: () => {
      throw new Error('the balance of the bench has ended');
    },
    now: () => 0,
    confirmResult: (result) => Promise.resolve(result),
  });
  attempt.onRequestStart(controller);
  attempt.onResponseStart(controller, 200, { 'content-type': 'text/event-stream' });
  attempt.onResponseData(controller, wire.subarray(0, 8_000));
  attempt.onResponseData(controller, wire.subarray(8_000));
  attempt.onResponseEnd();
  await attempt.result;
}

async function runWindow(open: () => HoldGuard): Promise<number> {
  const before = process.cpuUsage();
  for (let stream = 0; stream < streamsPerWindow; stream += 1) await runStream(open());
  const { user, system } = process.cpuUsage(before);
  return (user + system) / streamsPerWindow / events;
}

/** Runs the three in turns, window by window. The minimum of each counts, because other load only adds to it. */
export async function runMeter(windowCount: number): Promise<MeterCost> {
  const kinds = Object.keys(guards) as (keyof MeterCost)[];
  const least: MeterCost = { unguarded: Infinity, passed: Infinity, held: Infinity };
  for (const kind of kinds) await runWindow(guards[kind]);
  for (let round = 0; round < windowCount * 8; round += 1) {
    for (const kind of kinds) least[kind] = Math.min(least[kind], await runWindow(guards[kind]));
  }
  return least;
}
