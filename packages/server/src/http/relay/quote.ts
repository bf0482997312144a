import type { Quote, RelayCall } from '../../gateway/index.ts';
import type { JsonObject } from '../../lib/json.ts';
import { refuse } from '../../relay/types/index.ts';
import { type AuthorizedRequest, readBodyOf, readCall, readJson, type ReadDeps } from './read-call.ts';
import type { MatchedRoute } from './relay-route.ts';

export interface QuoteRouteDeps {
  /** The route of a path that is called by POST. */
  routeOf: (path: string) => MatchedRoute | undefined;
  quoteCall: (relayCall: RelayCall) => Promise<Quote>;
  dollars: (quota: number) => number;
}

/** The call of a body without a path, by the first of its fields. */
const pathsByField: readonly (readonly [field: string, path: string])[] = [
  ['messages', '/v1/chat/completions'],
  ['contents', '/v1beta/models/{model}:generateContent'],
  ['documents', '/v1/rerank'],
  ['voice', '/v1/audio/speech'],
  ['input', '/v1/responses'],
  ['prompt', '/v1/completions'],
];

/**
 * Returns the cost of a call: that of the query's `endpoint`, otherwise by the body's fields. Throws the error that
 * the call would get, or `field_not_specified`.
 */
export async function quote(deps: QuoteRouteDeps & ReadDeps, authorized: AuthorizedRequest): Promise<object> {
  const asked = new URLSearchParams(authorized.query).get('endpoint');
  const body = await readBodyOf(authorized, deps.maxBodyBytes);
  const address = asked ?? defaultPath(readJson(body).json, authorized);
  const [path = '', query = ''] = address.split('?', 2);
  const matched = deps.routeOf(path);
  if (matched?.route.kind !== 'relay' || matched.route.access !== 'key')
    throw refuse('unknown_path', { path: `POST ${path}` });
  const { inbound } = matched.route;
  const call = { ...authorized, matched, inbound, path, query: query === '' ? '' : `?${query}` };
  const found = await deps.quoteCall(await readCall(deps, call, body));
  const money = (quota: number): object => ({ quota, usd: deps.dollars(quota) });
  return {
    object: 'quote',
    endpoint: path,
    model: found.model,
    group: found.group,
    input_tokens: found.inputTokens,
    least: money(found.least),
    likely: { ...money(found.likely), from: found.likelyFrom },
    most: { ...money(found.most), bound_by: found.boundBy },
    affordable: found.isAffordable,
    ...(found.refusedBy !== undefined && { refused_by: found.refusedBy }),
  };
}

function defaultPath(json: JsonObject, { req: { headers } }: AuthorizedRequest): string {
  if (headers['anthropic-version'] !== undefined) return '/v1/messages';
  const found = pathsByField.find(([field]) => json[field] !== undefined);
  if (!found) throw refuse('field_not_specified', { field: 'endpoint' });
  return found[1].replace('{model}', typeof json['model'] === 'string' ? json['model'] : '');
}
