import type { JsonObject } from '../../lib/json.ts';
import type { Extra } from '../types/index.ts';

/** The protocols of callers, and the members of Gemini's `generationConfig`, which are a list of their own. */
type FieldList = 'openai-chat' | 'openai-responses' | 'anthropic-messages' | 'gemini' | 'generationConfig';

/** Treatment of a request's fields in another protocol. */
interface Fates {
  /** Fields with a neutral form, or about how the answer is sent. */
  translated: string;
  /** Fields with the same name and meaning in OpenAI's other protocol, which receives them; hints elsewhere. */
  shared: string;
  /**
   * Fields that change speed, price, checks or storage, not the content: omitted, and named in `x-tollgate-dropped`.
   */
  hints: string;
  /** Fields that change the content: refused. */
  essential: string;
}

/**
 * Every known field of a request at its top level. A field in no list is refused, as its vendor would refuse it: it may
 * carry the conversation. Toward the caller's own protocol all fields pass unchanged.
 */
const tables: Readonly<Record<FieldList, Fates>> = {
  'openai-chat': {
    translated: `model messages tools functions tool_choice function_call parallel_tool_calls response_format
      reasoning_effort reasoning thinking temperature top_p top_k frequency_penalty presence_penalty seed logit_bias
      logprobs top_logprobs max_tokens max_completion_tokens stop n stream stream_options user metadata service_tier`,
    shared: `moderation prompt_cache_key prompt_cache_options prompt_cache_retention safety_identifier verbosity`,
    // OpenAI's own, then those of other servers with its protocol: sampling, reasoning, routing, caches.
    hints: `audio modalities prediction store web_search_options
      best_of cache_prompt chat_template_kwargs do_sample enable_search enable_thinking extra_body google id_slot
      ignore_eos include_reasoning incremental_output keep_alive min_p min_tokens mirostat mirostat_eta mirostat_tau models
      num_ctx options plugins prompt_mode provider random_seed reasoning_format reasoning_split repeat_penalty
      repetition_penalty request_id return_progress route safe_prompt safety_mode search_parameters skip_special_tokens
      thinking_budget timings_per_token tfs_z top_a transforms typical_p usage user_id xtc_probability xtc_threshold`,
    essential: '',
  },
  'openai-responses': {
    translated: `model input instructions tools tool_choice parallel_tool_calls text reasoning temperature top_p
      top_logprobs max_output_tokens metadata user service_tier stream stream_options`,
    shared: '',
    // Every request has the whole conversation, so nothing has to be removed from it.
    hints: `access_programs background background_options client_metadata context_management image include max_tool_calls moderation
      prompt_cache_key prompt_cache_options prompt_cache_retention safety_identifier store truncation verbosity`,
    // Fields with state at OpenAI, or for several models.
    essential: 'conversation multi_agent previous_response_id prompt',
  },
  'anthropic-messages': {
    translated: `model messages system max_tokens metadata stop_sequences stream temperature top_p top_k thinking
      output_config output_format service_tier tools mcp_servers tool_choice`,
    shared: '',
    // Context cuts are hints: every request has the whole conversation.
    hints: `anthropic_beta anthropic_version betas billing_policy cache_control context_management diagnostics
      fallback_credit_token fallbacks inference_geo speed user_profile_id workspace_id`,
    essential: 'compaction container previous_message_id thread',
  },
  gemini: {
    translated: 'model stream contents systemInstruction tools toolConfig generationConfig labels',
    shared: '',
    hints: 'modelArmorConfig safetySettings serviceTier store',
    // Fields with state at Google, or with a destination of the answer.
    essential: 'cachedContent continuationToken outputConfig',
  },
  generationConfig: {
    translated: `temperature topP topK candidateCount maxOutputTokens stopSequences presencePenalty frequencyPenalty
      seed responseMimeType responseSchema responseJsonSchema responseLogprobs logprobs thinkingConfig`,
    shared: '',
    hints: `audioTimestamp audioTranscriptionConfig enableAffectiveDialog enableEnhancedCivicAnswers imageConfig
      mediaResolution modelConfig responseModalities routingConfig speechConfig`,
    essential: '',
  },
};

type Fate = keyof Fates;

/** Name of a field → its fate. */
const fatesIn = (list: Fates): ReadonlyMap<string, Fate> =>
  new Map(
    (['translated', 'shared', 'hints', 'essential'] as const).flatMap((fate) =>
      list[fate].split(/\s+/).map((name) => [name, fate] as const),
    ),
  );

const fates: Readonly<Record<FieldList, ReadonlyMap<string, Fate>>> = {
  'openai-chat': fatesIn(tables['openai-chat']),
  'openai-responses': fatesIn(tables['openai-responses']),
  'anthropic-messages': fatesIn(tables['anthropic-messages']),
  gemini: fatesIn(tables.gemini),
  generationConfig: fatesIn(tables.generationConfig),
};

/** Treatment of a field in another protocol; undefined for an unlisted one, which is refused. */
export const fateOf = (list: FieldList, name: string): Fate | undefined => fates[list].get(name);

/** The fields of a chat that Responses has too, and the other fields. */
export function sharedWithResponses(extra: Extra | undefined): [shared: JsonObject, rest: Extra | undefined] {
  if (extra?.protocol !== 'openai-chat') return [{}, extra];
  const shared: JsonObject = {};
  const fields: JsonObject = {};
  for (const [name, value] of Object.entries(extra.fields)) {
    (fateOf('openai-chat', name) === 'shared' ? shared : fields)[name] = value;
  }
  return [shared, { ...extra, fields }];
}

/** A value that requests nothing. */
const asksNothing = (value: unknown): boolean =>
  value === false ||
  value === '' ||
  (typeof value === 'object' && value !== null && Object.keys(value).length === 0);

/** The fields of a request without a neutral form. Null is the same as no field. */
export function untranslatedFields(
  list: FieldList,
  body: JsonObject,
): Pick<Extra, 'fields' | 'refusedFields'> {
  const fields: JsonObject = {};
  const refusedFields: string[] = [];
  for (const [name, value] of Object.entries(body)) {
    const fate = fateOf(list, name);
    if (fate === 'translated' || value === null || value === undefined || name === '__proto__') continue;
    fields[name] = value;
    if ((fate === undefined || fate === 'essential') && !asksNothing(value)) refusedFields.push(name);
  }
  return { fields, ...(refusedFields.length > 0 && { refusedFields }) };
}
