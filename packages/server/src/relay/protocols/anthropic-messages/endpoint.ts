import { cutSuffix } from '@tollgate/contract';
import { keepsSuffix } from '../../conversation/index.ts';
import { entryOf, isFilled, isObject, type JsonObject, numberOf } from '../../../lib/json.ts';
import {
  type Adapted,
  type AdaptContext,
  type Endpoint,
  type HeaderContext,
  refuse,
} from '../../types/index.ts';
import { isClaude, thinksAdaptively } from './models.ts';
import { lacksThoughts, withOwnSignatures } from './own-signatures.ts';

/** The version of the API for callers that name none (docs/compatibility.md#channel-types). */
const defaultVersion = '2023-06-01';
/** The lowest output bound of a model that thinks (docs/compatibility.md#steps-of-a-chat-call). */
const minThinkingTokens = 1_280;
const fallbackMaxTokens = 8_192;

/** The call of a provider with Messages, with the options of Claude applied. `path` follows the base address. */
export const anthropicEndpoint = (path = '/v1/messages'): Endpoint => ({
  protocol: 'anthropic-messages',
  url: (channel, { query }) => channel.baseUrl + path + betaQuery(query),
  headers: (channel, call) => ({ 'x-api-key': channel.key, ...claudeHeaders(call) }),
  adapt: adaptClaude,
});

const betaQuery = (query: string): string =>
  new URLSearchParams(query).get('beta') === 'true' ? '?beta=true' : '';

/** Version and betas from the caller, and the headers that the site adds for a model. */
export function claudeHeaders(call: HeaderContext): Record<string, string> {
  const headers: Record<string, string> = {
    'anthropic-version': call.caller['anthropic-version'] ?? defaultVersion,
  };
  const beta = call.caller['anthropic-beta'];
  if (beta !== undefined) headers['anthropic-beta'] = beta;
  for (const [name, values] of ownHeaders(call)) {
    const lower = name.toLowerCase();
    // Betas are merged; for all other headers the site's value wins.
    const before = lower === 'anthropic-beta' ? headers[lower] : undefined;
    headers[lower] = [...(before === undefined ? [] : [before]), ...values].join(',');
  }
  if (isFilled(call.body.mcp_servers) && !headers['anthropic-beta']?.includes('mcp-client-')) {
    headers['anthropic-beta'] = [headers['anthropic-beta'], serversBeta].filter(Boolean).join(',');
  }
  return headers;
}

/** Refuses a thread, for clouds that keep no conversations for Anthropic's models. */
export function withoutThread({ thread }: JsonObject): void {
  if (isObject(thread))
    throw refuse('cannot_translate', { protocol: 'anthropic-messages', what: 'thread' }, { param: 'thread' });
}

/** The beta of MCP servers (platform.claude.com/docs/en/agents-and-tools/mcp-connector). */
const serversBeta = 'mcp-client-2026-09-15';

type HeaderTable = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;

/** Option claude.model_headers_settings: model → header → values, by the caller's name of the model or the vendor's. */
function ownHeaders({ options, requestedModel, model }: HeaderContext): [string, readonly string[]][] {
  const table = (options.settings['claude.model_headers_settings'] ?? {}) as HeaderTable;
  return Object.entries(entryOf(table, requestedModel) ?? entryOf(table, model) ?? {});
}

/**
 * The adapters of docs/compatibility.md#steps-of-a-chat-call: `-thinking` and effort suffixes of the model's name, and
 * an output bound if the caller gave none. Fields that raise the vendor's price without a price of ours are removed; a
 * channel's overrides can add them again.
 */
export function adaptClaude(
  body: JsonObject,
  { model, options, requestedModel, caller }: AdaptContext,
): Adapted {
  delete body.speed;
  delete body.inference_geo;
  const { settings } = options;
  const isAdapted =
    settings['claude.thinking_adapter_enabled'] !== false && !keepsSuffix(settings, model, requestedModel);
  const cut = isAdapted ? cutSuffix(model, 'claude', 'claude-effort') : undefined;
  const upstream = cut?.model ?? model;
  const bound = typeof body.max_tokens === 'number' && body.max_tokens > 0 ? body.max_tokens : undefined;
  if (bound === undefined) {
    body.max_tokens = defaultMaxTokens(settings, model, upstream);
    raiseMaxTokens(body);
  }
  if (cut) think(body, cut.model, cut.suffix, settings);
  if (cut && knowsNoSampling(caller)) delete body.temperature;
  keepOwnSignatures(body, upstream);
  const effort = isObject(body.output_config) ? body.output_config.effort : undefined;
  return { model: upstream, ...(typeof effort === 'string' && { reasoningEffort: effort }) };
}

/** Versions after the first refuse sampling, the usual values included (platform.claude.com/docs/en/api/versioning). */
const knowsNoSampling = ({ 'anthropic-version': version }: AdaptContext['caller']): boolean =>
  version !== undefined && version > defaultVersion;

/**
 * A caller that used another vendor before also sends its reasoning. Without any reasoning, Claude does not think in a
 * turn of tools.
 */
function keepOwnSignatures(body: JsonObject, model: string): void {
  const messages = withOwnSignatures(body.messages);
  if (!messages) return;
  body.messages = messages;
  if (isClaude(model) && lacksThoughts(messages)) delete body.thinking;
}

function defaultMaxTokens(settings: Readonly<Record<string, unknown>>, ...names: string[]): number {
  const table = (settings['claude.default_max_tokens'] ?? {}) as Readonly<Record<string, number>>;
  for (const name of [...names, 'default']) {
    const tokens = Object.hasOwn(table, name) ? table[name] : undefined;
    if (tokens !== undefined) return tokens;
  }
  return fallbackMaxTokens;
}

/** Applies the suffix, unless the caller sets thinking itself. */
function think(
  body: JsonObject,
  model: string,
  suffix: string,
  settings: Readonly<Record<string, unknown>>,
): void {
  if (suffix !== 'thinking') body.output_config = { ...outputConfig(body), effort: suffix };
  if (!isObject(body.thinking)) {
    if (thinksAdaptively(model)) body.thinking = { type: 'adaptive' };
    else {
      const most = Math.max(numberOf(body.max_tokens), minThinkingTokens);
      const share = Number(settings['claude.thinking_adapter_budget_tokens_percentage'] ?? 0.8);
      body.max_tokens = most;
      body.thinking = { type: 'enabled', budget_tokens: Math.trunc(most * share) };
    }
  }
  // Thinking allows only one temperature.
  delete body.top_p;
  delete body.top_k;
  if (thinksAdaptively(model)) delete body.temperature;
  else body.temperature = 1;
}

const outputConfig = ({ output_config: config }: JsonObject): JsonObject => (isObject(config) ? config : {});

/** Raises a `max_tokens` that we set above the caller's thinking budget; the vendor refuses a lower one. */
function raiseMaxTokens(body: JsonObject): void {
  const budget = isObject(body.thinking) ? body.thinking.budget_tokens : undefined;
  if (typeof budget !== 'number' || budget < numberOf(body.max_tokens)) return;
  body.max_tokens = budget + numberOf(body.max_tokens);
}
