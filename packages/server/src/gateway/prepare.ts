import { applyModelMapping, bridge, filesNeeded } from '../relay/bridge.ts';
import type { Channel } from '../relay/model/channel.ts';
import type { Provider, RelayOptions, RelayRequest, UpstreamCall } from '../relay/model/provider.ts';
import { refuse } from '../relay/model/relay-error.ts';
import type { BeforeSend } from './before-send.ts';
import { fetchAll, type FetchAllDeps } from './fetch-all.ts';
import type { Ending } from './ending.ts';
import type { Exchange } from './types.ts';

export interface PrepareDeps extends FetchAllDeps {
  provider(type: number): Provider | undefined;
  options(): RelayOptions;
  beforeSend: BeforeSend;
  /** Fields that are ours and not the upstream's are cut from the body (the playground's `group`). */
  strip(exchange: Exchange): Exchange;
}

/** Headers of the caller that a protocol may pass on to the upstream. */
const passedHeaders = ['anthropic-version', 'anthropic-beta', 'openai-beta', 'x-goog-api-client'];

const header = (exchange: Exchange, name: string): string => {
  const value = exchange.req.headers[name];
  return Array.isArray(value) ? (value[0] ?? '') : (value ?? '');
};

/** A caller's request in the relay's words. */
function relayRequest(exchange: Exchange): RelayRequest {
  const headers: Record<string, string> = {};
  for (const name of passedHeaders) {
    const value = header(exchange, name);
    if (value !== '') headers[name] = value;
  }
  return {
    protocol: exchange.inbound.id,
    requestId: exchange.requestId,
    startedSeconds: Math.floor(exchange.startedAt / 1000),
    path: exchange.path,
    query: exchange.query,
    contentType: header(exchange, 'content-type'),
    accept: header(exchange, 'accept'),
    headers,
    raw: exchange.raw,
    json: exchange.json,
    form: exchange.form,
    facts: exchange.facts,
  };
}

/**
 * Makes the upstream call of an exchange for a channel: the model mapped, files fetched where the provider wants them
 * as data, the call signed. Answers at once when nothing has to be waited for.
 */
export function prepareCall(
  deps: PrepareDeps,
  exchange: Exchange,
  channel: Channel,
  ending?: Pick<Ending, 'signal'>,
): UpstreamCall | Promise<UpstreamCall> {
  const provider = deps.provider(channel.type);
  if (!provider) throw refuse(400, 'invalid_api_type', `channel type ${channel.type} is not known`);
  const request = relayRequest(deps.strip(exchange));
  const model = applyModelMapping(channel.modelMapping, exchange.facts.model);
  const needed = filesNeeded(provider, request, model);
  const write = (complete: RelayRequest) =>
    deps.beforeSend(provider, channel, bridge(provider, channel, complete, model, deps.options()), ending);
  if (needed.length === 0) return write(request);
  return fetchAll(deps, needed, ending).then((files) => write({ ...request, files }));
}
