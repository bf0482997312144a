import {
  type ChannelFailure,
  type ChannelTestKind,
  price,
  type PriceSnapshot,
  testTokenName,
  type Usage,
  usageOf,
} from '@tollgate/contract';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import {
  type AnswerEnd,
  type Channel,
  type Provider,
  refuse,
  RelayError,
  type RelayRequest,
  type UpstreamCall,
} from '../../relay/types/index.ts';
import type { RoutedChannel } from '../../services/calls/channels/index.ts';
import { buildConsumeLog, type ConsumeFacts, type ConsumeRow } from '../../services/calls/metering/index.ts';
import { buildTestRequest, couldEmbed, testModelOf } from './request.ts';
import { exchangeWhole, type Send } from './send.ts';
import { pricedModel } from '../../relay/outgoing.ts';
import { transportFailure } from '../../lib/outbound/transport-failure.ts';
import { isLocal } from '../../services/calls/routing/index.ts';

/** Messages of an upstream are stored up to this length. */
const maxMessage = 500;

/** Result of a failed channel test: the kind of failure and its message. */
export function channelFailureOf(error: RelayError, model: string): ChannelFailure {
  const { cause, status } = causeOf(error);
  // If the upstream could not be reached, the cause is sufficient; the gateway's own message would repeat it.
  const hasWords = cause === 'status' || cause === 'bad_answer' || cause === 'gateway';
  return { cause, status, message: hasWords ? error.message.slice(0, maxMessage) : '', model };
}

function causeOf(error: RelayError): Pick<ChannelFailure, 'cause' | 'status'> {
  if (isLocal(error)) return { cause: 'gateway', status: 0 };
  if (error.code === 'do_request_failed') return { cause: transportFailure(error.cause), status: 0 };
  if (error.code.startsWith('bad_response_body')) return { cause: 'bad_answer', status: 0 };
  return { cause: 'status', status: error.status };
}

/** The user on the log row of a test. */
export interface Tester {
  userId: number;
  username: string;
  group: string;
}

/** A consumption row with its price, for the log only: a test is not charged. */
export type TestRow = ConsumeRow & { quota: number };

export interface TestDeps {
  provider(type: number): Provider | undefined;
  /** Creates the upstream call for a channel (relay/bridge). Throws RelayError if the channel cannot serve it. */
  prepare(request: RelayRequest, channel: Channel): Promise<UpstreamCall>;
  /**
   * Discards the access token of a call if its failure rejects the token: the call is then repeated once. False for
   * any other failure.
   */
  dropRejectedToken(channel: Channel, call: UpstreamCall, error: RelayError): boolean;
  send: Send;
  /** Names here of the tools that a channel's server lists. Throws RelayError. */
  listTools(channel: Channel): Promise<string[]>;
  /** Null when the model has no price. */
  priceOf(model: string, group: string): PriceSnapshot | null;
  /** Stores the result and the time of a test with the channel; without a failure it passed. */
  noteTest(channelId: number, milliseconds: number, failure: ChannelFailure | null): Promise<void>;
  record(row: TestRow): Promise<void>;
  requestId(): string;
  clock: Clock;
  log: Log;
}

/** The requested test. */
export interface Asked {
  /** '' for the channel's own test model. */
  model: string;
  /** Absent if the name of the model decides. */
  kind?: ChannelTestKind | undefined;
}

/** Result of a test. */
export interface TestResult {
  milliseconds: number;
  /** Absent if the channel answered correctly. */
  error?: RelayError;
  /** A description of `error` for people; present if `error` is. */
  failure?: ChannelFailure;
}

/** Error code for a kind of channel that cannot be tested. */
const untestable = 'not_implemented';

/**
 * Asks a channel for one word (docs/compatibility.md#automatic-disabling). Never throws for a fault of the channel:
 * the result contains it.
 */
export async function testChannel(
  deps: TestDeps,
  routed: RoutedChannel,
  tester: Tester,
  asked: Asked = { model: '' },
): Promise<TestResult> {
  const { channel } = routed;
  const model = testModelOf(routed, asked.model);
  const startedAt = deps.clock();
  const watch = performance.now();
  const elapsed = () => Math.round(performance.now() - watch);
  try {
    if (deps.provider(channel.type)?.isToolServer) {
      // No tool is called: it may have an effect, or cost money.
      await deps.listTools(channel);
      const milliseconds = elapsed();
      await deps.noteTest(channel.id, milliseconds, null);
      return { milliseconds };
    }
    const { call, end } = await exchangeFitting(deps, channel, { ...asked, model });
    const milliseconds = elapsed();
    await deps.noteTest(channel.id, milliseconds, null);
    const facts = { call, model, startedAt, milliseconds, usage: end.usage };
    await writeRow(deps, channel, tester, facts);
    return { milliseconds };
  } catch (error) {
    const milliseconds = elapsed();
    if (!(error instanceof RelayError)) throw error;
    const failure = channelFailureOf(error, model);
    // A kind of channel that cannot be tested has not failed a test.
    if (error.code !== untestable) await deps.noteTest(channel.id, milliseconds, failure);
    return { milliseconds, error, failure };
  }
}

/**
 * Sends the call of a test. If the caller did not choose its kind and the upstream has no chat for the model (404), the
 * test requests an embedding; if that fails too, the answer to the chat counts.
 */
async function exchangeFitting(
  deps: TestDeps,
  channel: Channel,
  asked: Asked,
): Promise<{ call: UpstreamCall; end: AnswerEnd }> {
  try {
    return await exchange(deps, channel, asked);
  } catch (error) {
    const isMissing = error instanceof RelayError && error.status === 404;
    const provider = deps.provider(channel.type);
    if (!isMissing || asked.kind || !provider || !couldEmbed(provider, asked.model)) throw error;
    try {
      return await exchange(deps, channel, { ...asked, kind: 'embeddings' });
    } catch {
      throw error;
    }
  }
}

/** Sends the call of a test, and repeats it once if the vendor rejects a stored access token. */
async function exchange(
  deps: TestDeps,
  channel: Channel,
  asked: Asked,
): Promise<{ call: UpstreamCall; end: AnswerEnd }> {
  const once = async (call: UpstreamCall) => ({
    call,
    end: await exchangeWhole(deps.send, call, channel.setting.proxy),
  });
  const call = await prepareTest(deps, channel, asked);
  try {
    return await once(call);
  } catch (error) {
    if (!(error instanceof RelayError) || !deps.dropRejectedToken(channel, call, error)) throw error;
    return once(await prepareTest(deps, channel, asked));
  }
}

async function prepareTest(deps: TestDeps, channel: Channel, { model, kind }: Asked): Promise<UpstreamCall> {
  const provider = deps.provider(channel.type);
  if (provider?.isClosed) throw refuse('vendor_closed', { provider: provider.name });
  if (!provider?.testable) throw refuse('channel_test_unsupported');
  return deps.prepare(buildTestRequest(provider, model, kind), channel);
}

interface TestFacts {
  call: UpstreamCall;
  model: string;
  startedAt: number;
  milliseconds: number;
  usage: Usage | undefined;
}

async function writeRow(deps: TestDeps, channel: Channel, tester: Tester, test: TestFacts): Promise<void> {
  const priced = pricedModel(channel, test.model);
  const snapshot = deps.priceOf(priced, tester.group);
  if (!snapshot) {
    deps.log.info({ channel: channel.id, model: priced }, 'tested a model without a price; no log row');
    return;
  }
  const usage = test.usage ?? usageOf();
  const endedAt = test.startedAt + test.milliseconds;
  const facts: ConsumeFacts = {
    requestId: deps.requestId(),
    userId: tester.userId,
    username: tester.username,
    tokenId: 0,
    tokenName: testTokenName,
    group: tester.group,
    model: test.model,
    upstreamModel: test.call.upstreamModel,
    pricedModel: priced,
    isStream: false,
    channelId: channel.id,
    tries: [{ channelId: channel.id, ms: test.milliseconds }],
    usage,
    usageSource: 'upstream',
    bill: price(usage, snapshot),
    snapshot,
    endReason: 'complete',
    reasoningEffort: test.call.reasoningEffort,
    startedAt: test.startedAt,
    firstByteAt: endedAt,
    endedAt,
  };
  await deps.record({ ...buildConsumeLog(facts), content: testTokenName, quota: facts.bill.quota });
}
