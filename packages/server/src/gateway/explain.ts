import type { ExplainInput, RouteExplanation } from '@tollgate/contract';
import { type Language, RelayError, tableError } from '../relay/types/index.ts';
import type { Resolution } from '../services/people/tokens/index.ts';
import type { Caller, GatewayDeps, RelayCall } from './call/index.ts';
import { admit, callerOf, checkTags } from './entrance/index.ts';
import { chooseGroup, continuedChannel, explainRoute, type ExplainRouteDeps } from './failover/index.ts';

/** Dependencies of a question in the console. */
export interface ExplainDeps extends ExplainRouteDeps, Pick<GatewayDeps, 'pricing'> {
  /** A key by its id; undefined if it does not exist. */
  findKey(tokenId: number): Promise<Resolution | undefined>;
}

/** Answers which channels a call would get now, by the functions that choose. */
export async function explainQuestion(
  deps: ExplainDeps,
  {
    model,
    group: askedGroup,
    token: tokenId,
    input_tokens: inputTokens,
    session_key: session,
    tried,
  }: ExplainInput,
  language: Language,
): Promise<RouteExplanation> {
  const refused = (error: RelayError): RouteExplanation => ({
    group: askedGroup,
    refusal: error.in(language).message,
    steps: [],
  });
  const key = tokenId > 0 ? await deps.findKey(tokenId) : undefined;
  if (tokenId > 0 && key?.kind !== 'token')
    return refused(tableError(key?.error ?? 'invalid_api_key', key?.values ?? {}));
  const call = {
    req: { headers: {} },
    json: session === '' ? {} : { prompt_cache_key: session },
    caller: key?.kind === 'token' ? callerOf(key) : callerIn(askedGroup),
    askedGroup,
    facts: { model, estimatedInputTokens: inputTokens },
  };
  try {
    const group = chooseGroup(deps, call, admit(deps, call));
    return { group, refusal: '', steps: await explainRoute(deps, call, group, { tried: new Set(tried) }) };
  } catch (error) {
    if (error instanceof RelayError) return refused(error);
    throw error;
  }
}

/** A caller of a group without limits. */
const callerIn = (group: string): Caller => ({
  userId: 0,
  accountId: 0,
  username: '',
  role: 0,
  userGroup: group,
  acceptUnsetPrice: false,
  tokenId: 0,
  tokenName: '',
  maskedKey: '',
  tokenGroup: '',
  crossGroupRetry: false,
  tokenUnlimited: true,
  modelLimits: null,
  channelRule: null,
  pinnedChannelId: 0,
  team: null,
});

/** Answers a call with the explanation of its choice. Nothing is sent, held or charged. Throws as the call would. */
export async function answerDryRun(deps: GatewayDeps, relayCall: RelayCall): Promise<void> {
  const groups = admit(deps, relayCall);
  const continued = await continuedChannel(deps, relayCall, groups);
  const group = continued?.group ?? chooseGroup(deps, relayCall, groups);
  checkTags(deps, relayCall, group);
  const selected = relayCall.caller.pinnedChannelId || (continued?.channel.id ?? 0);
  const steps = await explainRoute(deps, relayCall, group, { selected });
  const { client, requestId } = relayCall;
  client.open();
  client.head(200, { 'content-type': 'application/json', ...deps.identityHeaders(requestId) });
  client.finish(Buffer.from(JSON.stringify({ object: 'route', group, steps })), {});
}
