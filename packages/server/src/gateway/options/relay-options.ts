import type { RelayOptions } from '../../relay/types/index.ts';
import type { Settings } from '../../services/site/settings/index.ts';

/** Environment variables about model families; each is described where the environment is declared. */
export interface FamilyEnv {
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
