import type { MessageCreateParamsBase as BetaMessage } from '@anthropic-ai/sdk/resources/beta/messages/messages';
import type { MessageCreateParamsBase as Message } from '@anthropic-ai/sdk/resources/messages/messages';
import type { GenerateContentConfig } from '@google/genai';
import type { ResponseCreateParamsBase as BetaResponse } from 'openai/resources/beta/responses/responses';
import type { ChatCompletionCreateParamsBase as Chat } from 'openai/resources/chat/completions/completions';
import type { ResponseCreateParamsBase as Response } from 'openai/resources/responses/responses';
import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../lib/json.ts';
import { translateRequest } from './translate/translate-request.ts';
import { fateOf } from './conversation/index.ts';
import { callerProtocol, protocols } from './protocols.ts';
import { type ProtocolId, RelayError, type UpstreamCodec } from './types/index.ts';

// Every top-level request field of the official clients, with a value that has an effect. The types are the clients'
// own: a field of a newer client does not compile until it is in this list, and fails until the relay's table has it.

const f = { name: 'f', description: 'does it', parameters: { type: 'object', properties: {} } };
const schema = { type: 'object', properties: { a: { type: 'string' } } };

const chat: Record<keyof Chat, Json> = {
  messages: [{ role: 'user', content: 'other words' }],
  model: 'another',
  audio: { voice: 'alloy', format: 'wav' },
  frequency_penalty: 0.5,
  function_call: 'none',
  functions: [f],
  logit_bias: { '5': 1 },
  logprobs: true,
  max_completion_tokens: 77,
  max_tokens: 77,
  metadata: { a: 'b' },
  modalities: ['text', 'audio'],
  moderation: { model: 'omni-moderation-latest' },
  n: 2,
  parallel_tool_calls: false,
  prediction: { type: 'content', content: 'a' },
  presence_penalty: 0.5,
  prompt_cache_key: 'k',
  prompt_cache_options: { mode: 'explicit' },
  prompt_cache_retention: '24h',
  reasoning_effort: 'high',
  response_format: { type: 'json_schema', json_schema: { name: 'a', schema } },
  safety_identifier: 's',
  seed: 7,
  service_tier: 'flex',
  stop: ['END'],
  store: true,
  stream: true,
  stream_options: { include_usage: true },
  temperature: 0.5,
  tool_choice: 'required',
  tools: [{ type: 'function', function: { ...f, name: 'g' } }],
  top_logprobs: 3,
  top_p: 0.5,
  user: 'u',
  verbosity: 'low',
  web_search_options: {},
};

const responses: Record<keyof Response | Exclude<keyof BetaResponse, 'betas'>, Json> = {
  access_programs: ['p'],
  background: true,
  background_options: { completion_window: '2h' },
  context_management: [{ type: 'compaction', compact_threshold: 9_999 }],
  conversation: 'conv_1',
  image: { detail: 'high' },
  include: ['reasoning.encrypted_content'],
  input: 'other words',
  instructions: 'Be kind.',
  max_output_tokens: 77,
  max_tool_calls: 3,
  metadata: { a: 'b' },
  model: 'another',
  moderation: { model: 'omni-moderation-latest' },
  multi_agent: { enabled: true },
  parallel_tool_calls: false,
  previous_response_id: 'resp_1',
  prompt: { id: 'pmpt_1' },
  prompt_cache_key: 'k',
  prompt_cache_options: { mode: 'explicit' },
  prompt_cache_retention: '24h',
  reasoning: { effort: 'high' },
  safety_identifier: 's',
  service_tier: 'flex',
  store: true,
  stream: true,
  stream_options: { include_obfuscation: true },
  temperature: 0.5,
  text: { format: { type: 'json_schema', name: 'a', schema } },
  tool_choice: 'required',
  tools: [{ type: 'function', ...f, name: 'g' }],
  top_logprobs: 3,
  top_p: 0.5,
  truncation: 'auto',
  user: 'u',
};

const messages: Record<keyof Message | Exclude<keyof BetaMessage, 'betas'>, Json> = {
  max_tokens: 77,
  messages: [{ role: 'user', content: 'other words' }],
  model: 'another',
  billing_policy: 'standard',
  cache_control: { type: 'ephemeral' },
  compaction: { type: 'enabled' },
  container: 'container_1',
  context_management: { edits: [{ type: 'clear_tool_uses_20250919' }] },
  diagnostics: { previous_message_id: 'msg_1' },
  fallback_credit_token: 't',
  fallbacks: [{ model: 'another' }],
  inference_geo: 'eu',
  mcp_servers: [{ type: 'url', name: 'm', url: 'https://mcp.test' }],
  metadata: { user_id: 'u' },
  output_config: { format: { type: 'json_schema', schema } },
  output_format: { type: 'json_schema', schema },
  service_tier: 'standard_only',
  speed: 'fast',
  stop_sequences: ['END'],
  stream: true,
  system: 'Be kind.',
  thinking: { type: 'enabled', budget_tokens: 2_048 },
  thread: { id: 'thread_1' },
  tool_choice: { type: 'any' },
  tools: [{ name: 'g', input_schema: schema }],
  user_profile_id: 'p',
  workspace_id: 'w',
};

/** Fields of Google's client only: they are not sent, or have another name on the wire. */
type ClientOnly = 'httpOptions' | 'abortSignal' | 'automaticFunctionCalling' | 'automaticContinuation';
type Renamed = 'modelSelectionConfig' | 'generationOutputConfig';
/** Members of the client's configuration that are sent at the top level. */
type AtTop =
  | 'systemInstruction'
  | 'safetySettings'
  | 'tools'
  | 'toolConfig'
  | 'labels'
  | 'cachedContent'
  | 'continuationToken'
  | 'modelArmorConfig'
  | 'serviceTier'
  | 'store';

const gemini: Record<AtTop | 'contents' | 'generationConfig' | 'outputConfig', Json> = {
  contents: [{ role: 'user', parts: [{ text: 'other words' }] }],
  generationConfig: { maxOutputTokens: 77 },
  systemInstruction: { parts: [{ text: 'Be kind.' }] },
  safetySettings: [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_NONE' }],
  tools: [{ functionDeclarations: [{ ...f, name: 'g' }] }],
  toolConfig: { functionCallingConfig: { mode: 'ANY' } },
  labels: { a: 'b' },
  cachedContent: 'cachedContents/1',
  continuationToken: 'dG9rZW4=',
  modelArmorConfig: { promptTemplateName: 't' },
  outputConfig: { outputUriPrefix: 'gs://b/p/' },
  serviceTier: 'flex',
  store: true,
};

const config: Record<
  Exclude<keyof GenerateContentConfig, AtTop | ClientOnly | Renamed> | 'modelConfig',
  Json
> = {
  temperature: 0.5,
  topP: 0.5,
  topK: 5,
  candidateCount: 2,
  maxOutputTokens: 77,
  stopSequences: ['END'],
  responseLogprobs: true,
  logprobs: 3,
  presencePenalty: 0.5,
  frequencyPenalty: 0.5,
  seed: 7,
  responseMimeType: 'application/json',
  responseSchema: { type: 'OBJECT', properties: { a: { type: 'STRING' } } },
  responseJsonSchema: schema,
  routingConfig: { manualMode: { modelName: 'another' } },
  modelConfig: { featureSelectionPreference: 'BALANCED' },
  responseModalities: ['IMAGE'],
  mediaResolution: 'MEDIA_RESOLUTION_LOW',
  speechConfig: { voiceConfig: {} },
  audioTimestamp: true,
  thinkingConfig: { thinkingLevel: 'high' },
  audioTranscriptionConfig: { languageHints: ['en'] },
  imageConfig: { aspectRatio: '1:1' },
  enableEnhancedCivicAnswers: true,
};

interface Caller {
  base: JsonObject;
  list: Parameters<typeof fateOf>[0];
  fields: Readonly<Record<string, Json>>;
  /** The request with a field. */
  withField?: (name: string, value: Json) => JsonObject;
  /** The text of a field's refusal, as the caller's client reads it. */
  refusal: (field: string) => JsonObject;
}

const contents = [{ role: 'user', parts: [{ text: 'hi' }] }];
const hi = [{ role: 'user', content: 'hi' }];
const openaiRefusal = (param: string): JsonObject => ({
  error: { type: 'new_api_error', code: 'unsupported_parameter', param },
});
const googleRefusal = (): JsonObject => ({ error: { code: 400, status: 'INVALID_ARGUMENT' } });

const callers: Readonly<Record<string, [ProtocolId, Caller]>> = {
  'Chat Completions': [
    'openai-chat',
    {
      base: { model: 'm', messages: hi, tools: [{ type: 'function', function: f }] },
      list: 'openai-chat',
      fields: chat,
      refusal: openaiRefusal,
    },
  ],
  Responses: [
    'openai-responses',
    {
      base: { model: 'm', input: 'hi', tools: [{ type: 'function', ...f }] },
      list: 'openai-responses',
      fields: responses,
      refusal: openaiRefusal,
    },
  ],
  Messages: [
    'anthropic-messages',
    {
      base: { model: 'm', max_tokens: 9_999, messages: hi, tools: [{ name: 'f', input_schema: schema }] },
      list: 'anthropic-messages',
      fields: messages,
      refusal: () => ({ type: 'error', error: { type: 'invalid_request_error' } }),
    },
  ],
  Gemini: [
    'gemini',
    {
      base: { model: 'm', contents, tools: [{ functionDeclarations: [f] }] },
      list: 'gemini',
      fields: gemini,
      refusal: googleRefusal,
    },
  ],
  'Gemini’s configuration': [
    'gemini',
    {
      base: { model: 'm', contents },
      list: 'generationConfig',
      fields: config,
      withField: (name, value) => ({ model: 'm', contents, generationConfig: { [name]: value } }),
      refusal: googleRefusal,
    },
  ],
};

/** The sent parts of a request and the fields named as left out, or the reason of a refusal. */
interface Sent {
  body?: string;
  dropped: string[];
  refused?: RelayError;
}

function send(from: ProtocolId, to: UpstreamCodec, body: JsonObject): Sent {
  const dropped = new Set<string>();
  const context = {
    model: 'm',
    files: new Map(),
    readsReasoning: true,
    drop: (what: string) => void dropped.add(what),
  };
  try {
    const { readRequest } = callerProtocol(from)!.codec!;
    const { body: written } = translateRequest(
      readRequest!,
      { ...to, writeRequest: to.writeRequest! },
      body,
      context,
    );
    return { body: JSON.stringify(written), dropped: [...dropped] };
  } catch (error) {
    if (!(error instanceof RelayError) || error.code !== 'cannot_translate') throw error;
    return { dropped: [], refused: error };
  }
}

const targets = (from: ProtocolId) =>
  Object.values(protocols).flatMap((protocol) =>
    protocol.id !== from && protocol.codec?.writeRequest ? [[protocol.id, protocol.codec] as const] : [],
  );

it('a chat keeps its cache key, its user’s name and its verbosity in Responses', () => {
  const shared = { prompt_cache_key: 'k', safety_identifier: 's', prompt_cache_retention: '24h' };
  const body = { model: 'm', messages: hi, ...shared, verbosity: 'low' };
  const { body: sent, dropped } = send('openai-chat', protocols['openai-responses']!.codec!, body);
  expect(JSON.parse(sent!)).toMatchObject({ ...shared, text: { verbosity: 'low' } });
  expect(dropped).toEqual([]);
});

describe.each(Object.entries(callers))('a request of %s', (_name, [from, caller]) => {
  const { base, list, fields, refusal } = caller;
  const withField = caller.withField ?? ((name, value) => ({ ...base, [name]: value }));

  it('has no field of an official client that the relay does not know', () => {
    expect(Object.keys(fields).filter((name) => fateOf(list, name) === undefined)).toEqual([]);
  });

  describe.each(targets(from))('sent in %s', (_id, to) => {
    const plain = send(from, to, base);

    // An application has no tools and no limits in requests: both are named once.
    const isNamed = (name: string) =>
      ofTheAnswer.has(name) ||
      (/tool|function/.test(name) && plain.dropped.includes('tools')) ||
      (name === 'max_tokens' && plain.dropped.includes('maxOutputTokens'));

    const isKept = (name: string): boolean => {
      const { body, dropped, refused } = send(from, to, withField(name, fields[name]!));
      if (fateOf(list, name) === 'essential') return refused?.param === name;
      const differs = body !== plain.body || dropped.join() !== plain.dropped.join();
      return refused !== undefined || isNamed(name) || differs;
    };

    it('loses no field silently', () => {
      expect(Object.keys(fields).filter((name) => !isKept(name))).toEqual([]);
    });

    it('is refused for a field that no list has, in words of the caller’s own vendor', () => {
      const { refused } = send(from, to, withField('conversationHandle', 'c_1'));
      expect(refused?.message).toContain('conversationHandle');
      const { status, body } = callerProtocol(from)!.inbound.writeError(refused!, 'request-1');
      expect(status).toBe(400);
      expect(JSON.parse(String(body))).toMatchObject(refusal('conversationHandle'));
    });

    it('is not refused for an unknown field that asks for nothing', () => {
      for (const value of [false, '', null, [], {}])
        expect(send(from, to, withField('conversationHandle', value)).refused).toBe(plain.refused);
    });
  });
});

/** The form of the answer, which is written for each caller, and the model, which the channel names. */
const ofTheAnswer = new Set(['model', 'stream', 'stream_options']);
