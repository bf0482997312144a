import { isPlausible, price, type ReportedUsage, usageOf } from '@tollgate/contract';
import { faultPoint } from '../../lib/fault-point.ts';
import { type JsonObject, parseObject, textOf, textsUnder } from '../../lib/json.ts';
import { scrub } from '../../lib/scrub.ts';
import { isRunning } from '../../relay/families/openai/index.ts';
import { callerProtocol } from '../../relay/protocols.ts';
import { pricedModel } from '../../relay/outgoing.ts';
import { type Channel, refuse, RelayError, type UpstreamCall } from '../../relay/types/index.ts';
import { InsufficientQuota } from '../../services/money/ledger/index.ts';
import { isOver, type ResponseBill, type Task } from '../../services/calls/tasks/index.ts';
import { readRefusal, RefusalBody } from '../answer/index.ts';
import {
  type Admission,
  callInLog,
  type GatewayDeps,
  hopHeader,
  type PreparedCall,
  type RelayCall,
} from '../call/index.ts';
import { admit, admitRate, checkTags, countSuccess, enterRun, pricedAdmission } from '../entrance/index.ts';
import {
  chooseGroup,
  continuedChannel,
  type Failed,
  FailedCall,
  firstChannel,
  refuseCall,
  triedCall,
  tryChannels,
} from '../failover/index.ts';
import {
  extrasOf,
  holdRequest,
  overriddenCall,
  quotaRefusal,
  readCeiling,
  tooLow,
  wholeCost,
} from '../hold/index.ts';
import { bookingOf, noteMade, servedFacts, withSessions } from '../settle/index.ts';
import { unanswered } from '../upstream/index.ts';
import { openEvents, passEvents, type VendorEvents } from './background-stream.ts';
import type { TaskDeps } from './deps.ts';

/** A response with all its items. */
const maxAnswerBytes = 32 * 1024 * 1024;
const askTimeoutMs = 30_000;
/** A vendor that answers in drops must not keep the polls of others waiting. */
const askWholeMs = 4 * askTimeoutMs;
/** Delay of the first poll of a response that its vendor has begun. */
const firstPollMs = 2_000;
/** A response that its vendor has not ended by then is free. */
const limitMs = 24 * 3_600_000;

/** A vendor's answer about a response. */
interface VendorAnswer {
  call: UpstreamCall;
  status: number;
  contentType: string;
  body: Buffer;
}

/** A vendor has begun a response, or ended it already. */
interface Begun {
  kind: 'accepted';
  answer: VendorAnswer;
  /** The rest of a stream, which follows the answer. */
  events?: VendorEvents;
}

/**
 * Serves a response in the background: its whole cost is held in a row, and the caller gets the vendor's first answer, or
 * its stream. The row is polled, so that the response is charged once when it ends, also if its caller never comes back
 * and whichever process runs then.
 */
export async function runInBackground(deps: TaskDeps, relayCall: RelayCall): Promise<void> {
  const { gateway, tasks } = deps;
  const { caller, client, requestId } = relayCall;
  let held: Task | undefined;
  let opened: VendorEvents | undefined;
  try {
    const groups = admit(gateway, relayCall);
    const continuing = await continuedChannel(gateway, relayCall, groups);
    const group = continuing?.group ?? chooseGroup(gateway, relayCall, groups);
    checkTags(gateway, relayCall, group);
    if (!relayCall.isRateCounted) await admitRate(gateway.rate, caller, group);
    const first = continuing?.channel ?? firstChannel(gateway, relayCall, group);
    const admission = pricedAdmission(gateway, relayCall, group, first);
    faultPoint('before-hold');
    const { task, inputTokens } = await begin(deps, relayCall, admission, first);
    held = task;
    faultPoint('task-held');
    const { channel, result, tries } = await tryChannels(
      gateway,
      triedCall(gateway, relayCall, group, first, (each) =>
        each === first || isPricedAlike(relayCall, admission, each)
          ? submit(gateway, relayCall, each)
          : Promise.resolve(failed(refuse('background_not_offered'))),
      ),
    );
    faultPoint('task-asked');
    const { answer, events } = result;
    opened = events;
    const { upstreamModel, reasoningEffort } = answer.call;
    const vendorId = textOf(parseObject(answer.body)?.['id']);
    if (vendorId === '') throw new FailedCall(refuse('answer_unreadable'), channel, tries);
    const keyId = channel.chosenKey?.id;
    const begun = await tasks.begun(task, {
      vendorId,
      channelId: channel.id,
      keyId,
      upstreamModel,
      response: {
        caller: { userId: caller.userId, team: caller.team },
        facts: relayCall.facts,
        served: servedFacts({ relayCall, admission, channelId: channel.id, tries, upstreamModel }),
        inputTokens,
        maxCost: readCeiling(gateway, relayCall.req),
        reasoningEffort,
      },
      nextPoll: gateway.clock() + firstPollMs,
    });
    held = undefined;
    const place = { id: channel.id, keyId: keyId ?? '' };
    await gateway.storedResponses.note(caller.userId, vendorId, place, 'background');
    faultPoint('task-accepted');
    const body = events ? nothing : await conclude(deps, begun, answer);
    deps.onBegun(requestId);
    countSuccess(gateway.rate, caller, group);
    client.open();
    if (events)
      return await passEvents(gateway, relayCall, events, (response) =>
        concludeEnd(deps, begun, channel, response),
      );
    client.head(200, { 'content-type': 'application/json', ...gateway.identityHeaders(requestId) });
    client.finish(body, {});
  } catch (error) {
    opened?.abort();
    if (held) await tasks.refuse(held).catch((cause: unknown) => logUnreleased(gateway, relayCall, cause));
    const reason = refuseCall(gateway, relayCall, error);
    gateway.onRefused(relayCall, reason, error instanceof FailedCall ? error : undefined);
  }
}

const logUnreleased = ({ log }: GatewayDeps, relayCall: RelayCall, cause: unknown): void =>
  log.error({ ...callInLog(relayCall), cause }, 'a hold could not be released; recovery will');

/** Only the first channel's additions to a request are held for. */
const isPricedAlike = (
  { facts }: RelayCall,
  { pricedModel: name, group }: Admission,
  channel: Channel,
): boolean =>
  pricedModel(channel, facts.model) === name &&
  (channel.inGroup ?? group) === group &&
  channel.standsInAs === undefined &&
  !channel.paramOverride &&
  !channel.setting.systemPrompt;

/** Takes the hold of the whole response, and writes its row. Throws the refusal. */
async function begin(
  { gateway, tasks }: TaskDeps,
  relayCall: RelayCall,
  admission: Admission,
  first: Channel,
): Promise<{ task: Task; inputTokens: number }> {
  const { caller, facts, tags, json, res } = relayCall;
  const ofRun = await enterRun(gateway, relayCall);
  const toHold = overriddenCall(relayCall, first)?.toHold ?? relayCall;
  // Nothing cuts a response that its vendor runs: a stream of it is held for as a whole, too.
  const sent = { ...toHold, facts: { ...toHold.facts, stream: false } };
  const { quota: amount, tokens, inputTokens } = await wholeCost(gateway, sent, admission.snapshot);
  const ceiling = readCeiling(gateway, relayCall.req) ?? Infinity;
  if (amount > ceiling) throw tooLow(gateway, ceiling, amount);
  const hold = { ...holdRequest(gateway, relayCall, admission, first, ofRun), amount, tokens };
  const { team, username, tokenId, tokenName } = caller;
  const order = {
    platform: 'response' as const,
    action: textOf(json['model']),
    model: facts.model,
    request: {},
    bill: {
      username,
      tokenId,
      tokenName,
      team: team && { id: team.id, name: team.name },
      ...(tags && { tags }),
      group: admission.group,
      snapshot: admission.snapshot,
      extras: {},
      settledAt: 0,
    },
    hold,
    limitMs,
  };
  try {
    const task = await gateway.ledger.whenReleased({ payer: hold, caller: res }, () => tasks.begin(order));
    return { task, inputTokens };
  } catch (error) {
    if (!(error instanceof InsufficientQuota)) throw error;
    throw quotaRefusal(gateway, error, caller);
  }
}

/** Sends the request to a channel whose vendor keeps responses. */
async function submit(gateway: GatewayDeps, relayCall: RelayCall, channel: Channel): Promise<Begun | Failed> {
  try {
    const call = await gateway.prepare(relayCall, channel);
    if (!call?.continuesWithoutCaller || call.local) throw refuse('background_not_offered');
    relayCall.trace?.sends(call);
    const { stream } = relayCall.facts;
    const { headersTimeoutMs } = gateway.timeouts(stream, call.upstreamModel);
    if (stream) {
      const { events, response } = await openEvents(gateway, channel, call, headersTimeoutMs);
      const body = Buffer.from(JSON.stringify(response));
      return {
        kind: 'accepted',
        answer: { call, status: 200, contentType: 'application/json', body },
        events,
      };
    }
    const answer = await askChannel(gateway, channel, call, { ...call, timeoutMs: headersTimeoutMs });
    return { kind: 'accepted', answer };
  } catch (error) {
    if (error instanceof RelayError) return failed(error);
    throw error;
  }
}

const failed = (error: RelayError): Failed => ({ kind: 'failed', error });

interface Question {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  url: string;
  headers: Record<string, string>;
  body?: Buffer | undefined;
  timeoutMs: number;
  /** Time for the whole answer; absent for any. */
  wholeMs?: number;
}

/** A vendor's successful answer to a call that is not metered; throws its refusal. */
export async function askChannel(
  { http }: Pick<GatewayDeps, 'http'>,
  channel: Channel,
  call: UpstreamCall,
  { method, url, headers, body, timeoutMs, wholeMs }: Question,
): Promise<VendorAnswer> {
  const answer = await http
    .request(
      {
        method,
        url,
        headers: { ...headers, [hopHeader]: '1' },
        ...(body && { body }),
        scope: 'operator',
        proxy: channel.setting.proxy,
        headersTimeoutMs: timeoutMs,
        bodyTimeoutMs: timeoutMs,
      },
      maxAnswerBytes,
      wholeMs === undefined ? undefined : AbortSignal.timeout(wholeMs),
    )
    .catch((cause: unknown) => {
      throw cause instanceof RelayError ? cause : unanswered('upstream_unreachable', cause);
    });
  const { status } = answer;
  const contentType = String(answer.headers['content-type'] ?? '');
  if (status >= 200 && status < 300) return { call, status, contentType, body: answer.body };
  const refusal = new RefusalBody();
  refusal.add(answer.body);
  throw withoutSecrets(readRefusal(call, { status, contentType }, refusal), call);
}

/** Asks the vendor of a running response about it, by a path behind its id. Throws the error. */
export async function askAbout(
  { gateway }: Pick<TaskDeps, 'gateway'>,
  task: Task,
  channel: Channel,
  { method = 'GET', rest = '', query = '' }: { method?: 'GET' | 'POST'; rest?: string; query?: string } = {},
): Promise<VendorAnswer> {
  const call = await callAbout(gateway, task, channel);
  const url = addressOf(call.url, `/${encodeURIComponent(task.vendorId)}${rest}`, query);
  const headers = withoutBody(call.headers);
  return askChannel(gateway, channel, call, {
    method,
    url,
    headers,
    timeoutMs: askTimeoutMs,
    wholeMs: askWholeMs,
  });
}

async function callAbout(gateway: GatewayDeps, task: Task, channel: Channel): Promise<UpstreamCall> {
  const call = await gateway.prepare(emptyCall(task), channel);
  // A channel may have changed its protocol since.
  if (!call || call.local || call.protocol !== 'openai-responses') throw refuse('answer_unreadable');
  return call;
}

/** Charges a response by the last event of its stream, before the caller gets that. */
async function concludeEnd(
  deps: TaskDeps,
  task: Task,
  channel: Channel,
  response: JsonObject,
): Promise<void> {
  const call = await callAbout(deps.gateway, task, channel);
  const body = Buffer.from(JSON.stringify(response));
  await conclude(deps, task, { call, status: 200, contentType: 'application/json', body });
}

/** A request without content, which gives the address and headers of a channel. */
function emptyCall({ requestId, model, submitTime }: Task): PreparedCall {
  const json = { model, input: '' };
  const raw = Buffer.from(JSON.stringify(json));
  const inbound = callerProtocol('openai-responses')?.inbound;
  if (!inbound) throw new Error('callers cannot speak Responses');
  const facts = inbound.readFacts(json, { byteLength: raw.length, charLength: raw.length });
  const sent = { req: { headers: {} }, requestId, inbound, path: '/v1/responses', query: '' };
  return { ...sent, raw, json, facts, startedAt: submitTime };
}

/**
 * Charges a response if its vendor has ended it, once; otherwise its hold stays. Returns the vendor's answer for the
 * caller.
 */
export async function conclude(deps: TaskDeps, task: Task, answer: VendorAnswer): Promise<Buffer> {
  const { gateway, tasks } = deps;
  const { call, status, contentType, body } = answer;
  const { response } = task.bill;
  const told = parseObject(body);
  if (!response || !told || isOver(task.state) || isRunning(told)) return body;
  const pipe = call.openPipe(status, contentType);
  const shown = pipe.push(body) ?? nothing;
  const end = pipe.end(false);
  const whole = Buffer.concat([shown, end.tail ?? (shown.length > 0 ? nothing : body)]);
  const usage = end.usage ?? (await countAnswer(gateway, response, told));
  if (!usage || !isPlausible(usage)) {
    // Nothing was made: it failed, or was cancelled before it began.
    await tasks.fail(task, end.error?.message ?? textOf(told['status']));
    return whole;
  }
  const { caller, facts, served, maxCost, reasoningEffort } = response;
  const { made } = end;
  const used = made?.length ? await withSessions(gateway, usage, made, facts.mostUses) : usage;
  const extras = extrasOf(facts, served.snapshot, end);
  const consumed = {
    ...served,
    model: facts.model,
    isStream: facts.stream,
    usage: used,
    reportedCost: usage.reportedCost,
    usageSource: end.usage ? ('upstream' as const) : ('counted' as const),
    bill: price(used, served.snapshot, extras),
    extras,
    endReason: 'complete',
    maxCost,
    reasoningEffort,
    firstByteAt: 0,
    endedAt: gateway.clock(),
  };
  const settled = await tasks.settle(task, bookingOf(gateway, consumed));
  faultPoint('task-refunded');
  if (made?.length)
    await noteMade(
      gateway,
      { caller, requestId: task.requestId },
      { id: task.channelId, keyId: task.bill.keyId ?? '' },
      made,
    );
  if (settled) gateway.onSettled({ caller, requestId: task.requestId }, settled, consumed);
  return whole;
}

const nothing = Buffer.alloc(0);

/** Fields of an answer's items with the model's text. */
const outputFields = new Set(['text', 'arguments', 'input']);

/** The usage of an answer that reports none, if it has any output: a response that was cancelled. */
async function countAnswer(
  { countTokens }: GatewayDeps,
  { facts, inputTokens }: ResponseBill,
  { output = null }: JsonObject,
): Promise<ReportedUsage | undefined> {
  const text = textsUnder({ output }, outputFields).join('');
  if (text === '') return undefined;
  return usageOf({ input: inputTokens, output: await countTokens(text, facts.model) });
}

/** The parameters of calls about responses. Others, which may be the caller's key, do not reach the vendor. */
const parameters =
  /^(?:include(?:\[\d*\])?|stream|starting_after|include_obfuscation|limit|order|after|before)$/;

/** The address of the responses with a path behind it, and the caller's parameters behind the channel's own. */
export function addressOf(url: string, path: string, query: string): string {
  const address = new URL(url);
  address.pathname += path;
  for (const [name, value] of new URLSearchParams(query))
    if (parameters.test(name)) address.searchParams.append(name, value);
  return address.href;
}

/** Headers of a call without a body. */
export const withoutBody = (headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !/^content-/i.test(name)));

/** A vendor's error without secrets that the caller must not see. */
export const withoutSecrets = (error: RelayError, { secrets }: Pick<UpstreamCall, 'secrets'>): RelayError =>
  secrets.some((secret) => error.message.includes(secret))
    ? error.copy({ message: scrub(error.message, secrets), original: undefined })
    : error;
