import { channelStatus } from '@tollgate/contract';
import { isRunning, listItems } from '../../relay/families/openai/index.ts';
import { type Channel, refuse } from '../../relay/types/index.ts';
import { isOver } from '../../services/calls/tasks/index.ts';
import { readRefusal } from '../answer/index.ts';
import type { GatewayDeps, RelayCall } from '../call/index.ts';
import type { OwnResponses } from './own-responses.ts';
import { admitRate, checkRule, usingGroups } from '../entrance/index.ts';
import {
  addressOf,
  askAbout,
  conclude,
  passThrough,
  type TaskDeps,
  withoutBody,
  withoutSecrets,
} from '../tasks/index.ts';

/** A call about a response that its vendor stores: read, cancel, delete, or list its input. */
export interface StoredResponseCall {
  /** The caller, and an empty request for a response, which gives the address and headers of the channel. */
  relayCall: RelayCall;
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  responseId: string;
  /** The path behind the id: '', '/cancel' or '/input_items'. */
  rest: string;
}

/**
 * Passes a call about a stored response to the channel and key that made it, and the answer to the caller. Costs
 * nothing, but counts against the caller's rate limits. A response of somebody else does not exist.
 */
export async function passStoredResponse(
  tasks: TaskDeps,
  own: OwnResponses,
  asked: StoredResponseCall,
): Promise<void> {
  const { gateway: deps } = tasks;
  const { relayCall, method, responseId, rest } = asked;
  const { caller } = relayCall;
  const [group = ''] = usingGroups(deps, caller, relayCall.askedGroup);
  await admitRate(deps.rate, caller, group);
  if (deps.keptResponses.isOn() && (await answerKept(deps, own, asked))) return;
  const found = await findChannel(deps, caller.userId, responseId);
  const missing = refuse('response_not_found', { id: responseId.slice(0, 100) }, { param: 'id' });
  if (!found) throw missing;
  const { channel } = found;
  checkRule(caller, channel, responseId.slice(0, 100));
  if (found.kind === 'background' && (await answerRunning(tasks, asked, channel))) return;
  const call = await deps.prepare(relayCall, channel);
  // A channel may have changed its protocol since, and the sandbox stores nothing.
  if (!call || call.local || call.protocol !== 'openai-responses') throw missing;
  const { headersTimeoutMs } = deps.timeouts(true, call.upstreamModel);
  await passThrough(deps, relayCall.client, {
    call: {
      method,
      url: addressOf(call.url, `/${encodeURIComponent(responseId)}${rest}`, relayCall.query),
      headers: withoutBody(call.headers),
      scope: 'operator',
      proxy: channel.setting.proxy,
      // A resumed stream is silent for as long as its first one was.
      silenceMs: headersTimeoutMs,
    },
    headOf: (status, { 'content-type': type }) =>
      status >= 200 && status < 300
        ? {
            status,
            headers: {
              'content-type': typeof type === 'string' ? type : 'application/json',
              ...deps.identityHeaders(relayCall.requestId),
            },
          }
        : undefined,
    missing,
    readError: (status, contentType, body) =>
      withoutSecrets(readRefusal(call, { status, contentType }, body), call),
  });
  if (method === 'DELETE') await deps.storedResponses.forget(caller.userId, responseId);
}

/**
 * Answers a call about a response in the background that has not been charged: what it shows is charged first. False for
 * a call that passes as any other. One that runs is cancelled before it is deleted.
 */
async function answerRunning(
  deps: TaskDeps,
  { relayCall, method, responseId, rest }: StoredResponseCall,
  channel: Channel,
): Promise<boolean> {
  const { client, caller, requestId, query } = relayCall;
  // A parameter of reads must not lead a deletion past its charge.
  const isStream = method === 'GET' && new URLSearchParams(query).get('stream') === 'true';
  if (rest === '/input_items' || isStream) return false;
  const task = await deps.tasks.findResponse(caller.userId, channel.id, responseId);
  if (!task || isOver(task.state)) return false;
  const cancel = { method: 'POST', rest: '/cancel' } as const;
  const isUncharged = async (): Promise<boolean> => {
    const now = await deps.tasks.findResponse(caller.userId, channel.id, responseId);
    return now !== undefined && !isOver(now.state);
  };
  const answer = await askAbout(deps, task, channel, method === 'POST' ? cancel : { query });
  const body = await conclude(deps, task, answer);
  if (method === 'DELETE') {
    if (await isUncharged()) await conclude(deps, task, await askAbout(deps, task, channel, cancel));
    if (await isUncharged()) throw refuse('response_running', { id: responseId.slice(0, 100) });
    return false;
  }
  client.head(200, { 'content-type': 'application/json', ...deps.gateway.identityHeaders(requestId) });
  client.finish(body, {});
  return true;
}

/** Answers a call about a response that the gateway keeps; false if it keeps none. */
async function answerKept(
  deps: GatewayDeps,
  own: OwnResponses,
  { relayCall, method, responseId: id, rest }: StoredResponseCall,
): Promise<boolean> {
  const { client, caller, requestId } = relayCall;
  const { userId } = caller;
  const kept = await deps.keptResponses.find(userId, id);
  if (kept?.response['object'] !== 'response') return false;
  const query = new URLSearchParams(relayCall.query);
  const inBackground = kept.response['background'] === true;
  const isStream = method === 'GET' && rest === '' && query.get('stream') === 'true';
  if ((rest === '/cancel' || isStream) && !inBackground) throw refuse('response_ended', { id });
  if (isStream) {
    await own.follow(relayCall, id, startOf(query));
    return true;
  }
  let response = await own.refresh(userId, id, kept.response);
  if ((rest === '/cancel' || method === 'DELETE') && isRunning(response)) {
    await own.cancel(userId, id);
    response = (await deps.keptResponses.find(userId, id))?.response ?? response;
    if (method === 'DELETE' && isRunning(response)) throw refuse('response_running', { id });
  }
  if (method === 'DELETE') await own.forget(userId, id);
  const whole = method === 'DELETE' ? { id, object: 'response', deleted: true } : response;
  const body = rest === '/input_items' ? listItems(kept.input, query) : whole;
  client.head(200, { 'content-type': 'application/json', ...deps.identityHeaders(requestId) });
  client.finish(Buffer.from(JSON.stringify(body)), {});
  return true;
}

/** The number of the last event that a reader has; -1 for none. Throws for anything else. */
function startOf(query: URLSearchParams): number {
  const text = query.get('starting_after');
  if (text === null || text === '') return -1;
  if (!/^\d{1,15}$/.test(text)) throw refuse('invalid_query');
  return Number(text);
}

/** The enabled channel with the key that made a user's response. */
async function findChannel(
  deps: Pick<GatewayDeps, 'routing' | 'storedResponses'>,
  userId: number,
  responseId: string,
): Promise<{ channel: Channel; kind: string } | undefined> {
  const made = await deps.storedResponses.findChannel(userId, responseId);
  const routed = made && deps.routing.byId(made.id);
  if (!made || routed?.status !== channelStatus.enabled) return undefined;
  return { channel: deps.routing.withKey(routed.channel, made.keyId), kind: made.kind };
}
