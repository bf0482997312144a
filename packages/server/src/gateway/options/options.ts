import { product } from '@tollgate/contract';
import type { RelayOptions } from '../../relay/types/index.ts';
import type { Settings } from '../../services/site/settings/index.ts';
import type { GatewayDeps } from '../call/index.ts';

/** Environment variables about model families; each is described in the declaration of the environment. */
interface FamilyEnv {
  forceStreamUsage: boolean;
  azureApiVersion: string;
  geminiMaxImages: number;
  difyDebug: boolean;
  cohereSafetyMode: string;
}

/** Options of model families that providers read by their keys. */
const familyKeys = [
  'claude.model_headers_settings',
  'claude.default_max_tokens',
  'global.thinking_model_blacklist',
  'claude.thinking_adapter_enabled',
  'claude.thinking_adapter_budget_tokens_percentage',
  'gemini.safety_settings',
  'gemini.version_settings',
  'gemini.supported_imagine_models',
  'gemini.thinking_adapter_enabled',
  'gemini.thinking_adapter_budget_tokens_percentage',
] as const;

/** The model-family options that providers read; rebuilt when a setting changes. */
export function relayOptions(
  env: FamilyEnv,
  settings: Settings,
  lacks?: RelayOptions['lacks'],
): () => RelayOptions {
  const build = (): RelayOptions => ({
    ...(lacks && { lacks }),
    forceStreamUsage: env.forceStreamUsage,
    passThroughBody: settings.get('global.pass_through_request_enabled'),
    azureApiVersion: env.azureApiVersion,
    geminiMaxImages: env.geminiMaxImages,
    settings: {
      ...Object.fromEntries(familyKeys.map((key) => [key, settings.get(key)])),
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

/** The timeout of an answer in one piece if the operator has set none. */
const wholeAnswerMs = 600_000;

/** Reasoning models (docs/compatibility.md#steps-of-a-chat-call) get twice the timeout. */
const isReasoningModel = (model: string): boolean => /^o\d/.test(model);

/**
 * Timeouts of an upstream call.
 *
 * @param silenceSeconds - Silence allowed within a stream (STREAMING_TIMEOUT)
 * @param deadlineSeconds - End of a whole call; 0 for none (RELAY_TIMEOUT)
 */
export function upstreamTimeouts(silenceSeconds: number, deadlineSeconds: number): GatewayDeps['timeouts'] {
  const silenceMs = silenceSeconds * 1000;
  const deadlineMs = deadlineSeconds * 1000;
  return (stream, model) => {
    const ms = stream ? silenceMs * (isReasoningModel(model) ? 2 : 1) : Math.max(deadlineMs, wholeAnswerMs);
    return { headersTimeoutMs: ms, bodyTimeoutMs: ms, deadlineMs };
  };
}

/** Status of errors for lack of quota; undefined if each has its own. */
export const billingStatus = (settings: Settings): number | undefined =>
  settings.get('PaymentRequiredEnabled') ? 402 : undefined;

/** Keep-alive interval of streams, in ms; 0 when off. */
export function pingEveryMs(settings: Settings): number {
  if (!settings.get('general_setting.ping_interval_enabled')) return 0;
  const seconds = settings.get('general_setting.ping_interval_seconds');
  return (seconds > 0 ? seconds : 10) * 1000;
}

/** An amount of quota units as text: as money if the site shows money. Log rows keep the wide sign. */
export const showQuota = (settings: Settings, amount: number, sign: '$' | '＄' = '$'): string =>
  settings.get('DisplayInCurrencyEnabled')
    ? `${sign}${(amount / settings.get('QuotaPerUnit')).toFixed(6)}`
    : String(amount);

/** Headers of every relay answer: the server's name, the request id, CORS for any site, and `nosniff`. */
export const identityHeaders = (requestId: string): Record<string, string> => ({
  'x-request-id': requestId,
  [product.headers.requestId]: requestId,
  'x-oneapi-request-id': requestId,
  'x-content-type-options': 'nosniff',
  'access-control-allow-origin': '*',
  'access-control-expose-headers': '*',
});

const noModels: readonly string[] = [];

/** Option ModelFallbacks: replacements of a model, in order. */
export function fallbacksIn(settings: Pick<Settings, 'get'>, model: string): readonly string[] {
  const fallbacks = settings.get('ModelFallbacks');
  return Object.hasOwn(fallbacks, model) ? fallbacks[model]! : noModels;
}
