import { parseObject } from '../lib/json.ts';
import type { Channel } from '../relay/types/index.ts';
import { admit, admitRate } from './entrance/index.ts';
import { type GatewayDeps, hopHeader, type RelayCall } from './call/index.ts';
import { chooseGroup, continuedChannel, firstChannel } from './failover/index.ts';

const countTimeoutMs = 30_000;
const maxAnswerBytes = 64 * 1024;

/**
 * The input tokens of a request that is not sent: as counted by the vendor if the channel's vendor supports it,
 * otherwise as Tollgate would bill them. Costs nothing, but counts against the caller's rate limits like any call. Files and
 * responses of others are not counted either, because a count shows that there is one, and its size.
 */
export async function countTokens(deps: GatewayDeps, relayCall: RelayCall): Promise<number> {
  const groups = admit(deps, relayCall);
  const bound = await continuedChannel(deps, relayCall, groups);
  const group = bound?.group ?? chooseGroup(deps, relayCall, groups);
  await admitRate(deps.rate, relayCall.caller, group);
  const channel = bound?.channel ?? firstChannel(deps, relayCall, group, true);
  return (await countAtVendor(deps, relayCall, channel)) ?? deps.countPrompt(relayCall);
}

/** The vendor's count; undefined if it has none, which does not fail the call. */
async function countAtVendor(
  deps: GatewayDeps,
  relayCall: RelayCall,
  channel: Channel,
): Promise<number | undefined> {
  const call = await deps.prepare(relayCall, channel);
  const counting = call?.count?.();
  if (!call || !counting) return undefined;
  try {
    const answer = await deps.http.request(
      {
        method: 'POST',
        url: counting.url,
        headers: { ...call.headers, [hopHeader]: '1' },
        body: counting.body,
        scope: 'operator',
        proxy: channel.setting.proxy,
        headersTimeoutMs: countTimeoutMs,
        bodyTimeoutMs: countTimeoutMs,
      },
      maxAnswerBytes,
    );
    const body = answer.status === 200 ? parseObject(answer.body) : undefined;
    return body && counting.read(body);
  } catch (cause) {
    deps.log.info(
      { request: relayCall.requestId, channel: channel.id, err: cause },
      'the vendor did not count',
    );
    return undefined;
  }
}
