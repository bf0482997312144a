import type { Env } from './env.ts';
import {
  type BeforeSend,
  createFileFetch,
  type GatewayDeps,
  prepareCall,
  type PrepareDeps,
  Running,
  withoutPlaygroundWords,
  wordIn,
} from './gateway/index.ts';
import type { Clock } from './lib/clock.ts';
import type { Http } from './lib/http.ts';
import type { Log } from './lib/log.ts';
import { createTokenCounter } from './lib/token-count.ts';
import type { Channel } from './relay/model/channel.ts';
import type { RelayOptions } from './relay/model/provider.ts';
import type { RelayError } from './relay/model/relay-error.ts';
import { providerOf } from './relay/registry.ts';
import { countRequest, countText } from './relay/token-count.ts';
import type { Channels } from './services/channels/index.ts';
import type { Ledger } from './services/ledger/index.ts';
import type { Pricing } from './services/pricing/index.ts';
import { isChannelFault, type Routing, shouldDisable } from './services/routing/index.ts';
import { createModelLimiter, type ModelLimits } from './services/rate-limit/index.ts';
import { compileWords, type WordFilter } from './services/sensitive-words/index.ts';
import type { Settings } from './services/settings/index.ts';
import type { Exchange } from './gateway/index.ts';

export interface GatewayParts {
  env: Env;
  settings: Settings;
  pricing: Pricing;
  ledger: Ledger;
  routing: Routing;
  channels: Channels;
  http: Http;
  beforeSend: BeforeSend;
  clock: Clock;
  log: Log;
  /** Told after each settlement. Never waits. */
  onSettled: GatewayDeps['onSettled'];
  /** Writes the error row of a failed call (type 5). Never waits. */
  logFailure(exchange: Exchange, error: RelayError, channel: Channel | undefined): void;
}

/** Headers of every relay answer: who answered, how to ask about it, and that any site may read it. */
export const identityHeaders = (requestId: string): Record<string, string> => ({
  'x-request-id': requestId,
  'x-tollgate-request-id': requestId,
  'x-oneapi-request-id': requestId,
  'access-control-allow-origin': '*',
  'access-control-expose-headers': '*',
});

/** Without a limit of the operator's own, an answer in one piece may take this long. */
const wholeAnswerMs = 600_000;

function timeouts(env: Env): GatewayDeps['timeouts'] {
  const silenceMs = env.streamingTimeoutSeconds * 1000;
  const deadlineMs = env.relayTimeoutSeconds * 1000;
  return (stream, model) => {
    // Reasoning models think long before they speak (wire-facts 5.3).
    const patience = /^o\d/.test(model) ? 2 : 1;
    const ms = stream ? silenceMs * patience : Math.max(deadlineMs, wholeAnswerMs);
    return { headersTimeoutMs: ms, bodyTimeoutMs: ms, deadlineMs };
  };
}

/** Keeps a compiled word list in step with its options. */
function wordFilter(settings: Settings): () => WordFilter | null {
  let filter = compileWords(settings.get('SensitiveWords').join('\n'));
  settings.onChange((changed) => {
    if (changed.has('SensitiveWords')) filter = compileWords(settings.get('SensitiveWords').join('\n'));
  });
  return () => {
    const on = settings.get('CheckSensitiveEnabled') && settings.get('CheckSensitiveOnPromptEnabled');
    return on && !filter.isEmpty ? filter : null;
  };
}

/** The model-family options that providers read, by their option key; made anew when one changes. */
export function relayOptions(env: Env, settings: Settings): () => RelayOptions {
  const keys = [
    'claude.model_headers_settings',
    'claude.default_max_tokens',
    'claude.thinking_adapter_enabled',
    'claude.thinking_adapter_budget_tokens_percentage',
    'gemini.safety_settings',
    'gemini.version_settings',
    'gemini.supported_imagine_models',
    'gemini.thinking_adapter_enabled',
    'gemini.thinking_adapter_budget_tokens_percentage',
  ] as const;
  const build = (): RelayOptions => ({
    forceStreamUsage: env.forceStreamUsage,
    passThroughBody: settings.get('global.pass_through_request_enabled'),
    azureApiVersion: env.azureApiVersion,
    geminiMaxImages: env.geminiMaxImages,
    settings: {
      ...Object.fromEntries(keys.map((key) => [key, settings.get(key)])),
      DIFY_DEBUG: env.difyDebug,
      COHERE_SAFETY_SETTING: env.cohereSafetyMode,
    },
  });
  let options = build();
  settings.onChange(() => {
    options = build();
  });
  return () => options;
}

/**
 * A channel whose key was refused or whose account is empty is switched off (wire-facts 5.5). Runs beside the request.
 */
function disableOnFailure(parts: GatewayParts): GatewayDeps['onFailure'] {
  const { settings, channels, routing, log } = parts;
  return (channel, error) => {
    if (isChannelFault(error)) routing.health.failed(channel.id);
    const disable = shouldDisable(error, {
      enabled: settings.get('AutomaticDisableChannelEnabled'),
      autoBan: channel.autoBan,
      channelType: channel.type,
      keywords: settings.get('AutomaticDisableKeywords'),
    });
    if (!disable) return;
    channels.autoDisable(channel.id, error.message).catch((cause: unknown) => {
      log.error({ channel: channel.id, err: cause }, 'a failing channel could not be switched off');
    });
  };
}

/** Wires the gateway: everything one request needs, from the services of this process. */
export function gatewayDeps(parts: GatewayParts): GatewayDeps {
  const { env, settings, pricing, ledger, routing, http, clock, log } = parts;
  const words = wordFilter(settings);
  const counter = createTokenCounter();
  const prepare: PrepareDeps = {
    provider: providerOf,
    options: relayOptions(env, settings),
    fetchFile: createFileFetch({ http, settings, maxBytes: env.maxFileDownloadMb * 1024 * 1024 }),
    beforeSend: parts.beforeSend,
    strip: withoutPlaygroundWords,
    log,
  };
  return {
    pricing,
    ledger,
    routing,
    http,
    clock,
    log,
    running: new Running(),
    rate: { limiter: createModelLimiter(clock), limitsOf: (group) => modelLimits(settings, group) },
    forbiddenWord(exchange) {
      const filter = words();
      return filter ? wordIn(filter.find, exchange.json) : undefined;
    },
    countPrompt: ({ inbound, json, facts }) => countRequest(counter, inbound.id, json, facts.model),
    countTokens: (text, model) => countText(counter, text, model),
    showQuota: (amount) =>
      settings.get('DisplayInCurrencyEnabled')
        ? `＄${(amount / settings.get('QuotaPerUnit')).toFixed(6)}`
        : String(amount),
    preConsumedTokens: () => settings.get('PreConsumedQuota'),
    retryTimes: () => settings.get('RetryTimes'),
    onFailure: disableOnFailure(parts),
    prepare: (exchange, channel, ending) => prepareCall(prepare, exchange, channel, ending),
    timeouts: timeouts(env),
    identityHeaders,
    pingEveryMs: () => pingEvery(settings),
    logsConsumption: () => settings.get('LogConsumeEnabled'),
    sumsHourly: () => settings.get('DataExportEnabled'),
    onSettled: (exchange, settled) => parts.onSettled(exchange, settled),
    onRefused: (exchange, error, failed) => {
      if (env.errorLog) parts.logFailure(exchange, error, failed?.channel);
    },
  };
}

/** The limits of a group where limits are on: its own entry, else the site's (wire-facts 7.2). */
function modelLimits(settings: Settings, group: string): ModelLimits | null {
  const windowMinutes = settings.get('ModelRequestRateLimitDurationMinutes');
  if (!settings.get('ModelRequestRateLimitEnabled') || windowMinutes <= 0) return null;
  const own = settings.get('ModelRequestRateLimitGroup');
  const [total, success] = Object.hasOwn(own, group)
    ? own[group]!
    : [settings.get('ModelRequestRateLimitCount'), settings.get('ModelRequestRateLimitSuccessCount')];
  return { total, success, windowMinutes };
}

function pingEvery(settings: Settings): number {
  if (!settings.get('general_setting.ping_interval_enabled')) return 0;
  const seconds = settings.get('general_setting.ping_interval_seconds');
  return (seconds > 0 ? seconds : 10) * 1000;
}
