import { channelStatus } from '@tollgate/contract';
import { scrub } from '../lib/scrub.ts';
import { listItems } from '../relay/families/openai/index.ts';
import { type Channel, refuse, type RelayError, type UpstreamCall } from '../relay/types/index.ts';
import { readRefusal } from './answer/index.ts';
import type { GatewayDeps, RelayCall } from './call/index.ts';
import { admitRate, checkRule, usingGroups } from './entrance/index.ts';
import { passThrough } from './tasks/index.ts';

/** A call about a response that its vendor stores: read, cancel, delete, or list its input. */
export interface StoredResponseCall {
  /** The caller, and an empty request for a response, which gives the address and headers of the channel. */
  relayCall: RelayCall;
  method: 'GET' | 'POST' | 'DELETE';
  responseId: string;
  /** The path behind the id: '', '/cancel' or '/input_items'. */
  rest: string;
}

/**
 * Passes a call about a stored response to the channel and key that made it, and the answer to the caller. Costs
 * nothing, but counts against the caller's rate limits. A response of somebody else does not exist.
 */
export async function passStoredResponse(deps: GatewayDeps, asked: StoredResponseCall): Promise<void> {
  const { relayCall, method, responseId, rest } = asked;
  const { caller } = relayCall;
  const [group = ''] = usingGroups(deps, caller, relayCall.askedGroup);
  await admitRate(deps.rate, caller, group);
  if (deps.keptResponses.isOn() && (await answerKept(deps, asked))) return;
  const channel = await findChannel(deps, caller.userId, responseId);
  const missing = refuse('response_not_found', { id: responseId.slice(0, 100) }, { param: 'id' });
  if (!channel) throw missing;
  checkRule(caller, channel, responseId.slice(0, 100));
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

/** Answers a call about a response that the gateway keeps; false if it keeps none. */
async function answerKept(
  deps: GatewayDeps,
  { relayCall, method, responseId, rest }: StoredResponseCall,
): Promise<boolean> {
  const { client, caller, requestId } = relayCall;
  const kept = await deps.keptResponses.find(caller.userId, responseId);
  if (!kept) return false;
  const query = new URLSearchParams(relayCall.query);
  // Every kept response has ended.
  if (rest === '/cancel' || query.get('stream') === 'true')
    throw refuse('response_ended', { id: responseId });
  if (method === 'DELETE') await deps.keptResponses.forget(caller.userId, responseId);
  const whole = method === 'DELETE' ? { id: responseId, object: 'response', deleted: true } : kept.response;
  const body = rest === '/input_items' ? listItems(kept.input, query) : whole;
  client.head(200, { 'content-type': 'application/json', ...deps.identityHeaders(requestId) });
  client.finish(Buffer.from(JSON.stringify(body)), {});
  return true;
}

/** The enabled channel with the key that made a user's response. */
async function findChannel(
  deps: Pick<GatewayDeps, 'routing' | 'storedResponses'>,
  userId: number,
  responseId: string,
): Promise<Channel | undefined> {
  const made = await deps.storedResponses.findChannel(userId, responseId);
  const routed = made && deps.routing.byId(made.id);
  if (routed?.status !== channelStatus.enabled) return undefined;
  return deps.routing.withKey(routed.channel, made?.keyId);
}

/** The parameters of calls about responses. Others, which may be the caller's key, do not reach the vendor. */
const parameters =
  /^(?:include(?:\[\d*\])?|stream|starting_after|include_obfuscation|limit|order|after|before)$/;

/** The address of the responses with a path behind it, and the caller's parameters behind the channel's own. */
function addressOf(url: string, path: string, query: string): string {
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
