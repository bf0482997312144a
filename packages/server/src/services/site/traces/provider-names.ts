import type { ProtocolId } from '../../../relay/types/index.ts';

/** The conventions' names of providers that have one; any other stands under our own. */
const known: Readonly<Record<string, string>> = {
  azure: 'azure.ai.openai',
  bedrock: 'aws.bedrock',
  gemini: 'gcp.gemini',
  vertex: 'gcp.vertex_ai',
  mistral: 'mistral_ai',
  moonshot: 'moonshot_ai',
  xai: 'x_ai',
};

/** `gen_ai.provider.name` of a provider of ours. */
export const providerName = (id: string): string => known[id] ?? (id === '' ? 'unknown' : id);

/** A caller's protocol, a task, or the opening of a session's socket. */
export type SpanKindName = ProtocolId | 'task' | 'realtime';

const operations: Readonly<Partial<Record<SpanKindName, string>>> = {
  'openai-completions': 'text_completion',
  'openai-embeddings': 'embeddings',
  'gemini-embeddings': 'embeddings',
  'openai-moderations': 'moderation',
  'cohere-rerank': 'rerank',
  'openai-images': 'generate_content',
  'openai-audio': 'generate_content',
  gemini: 'generate_content',
  task: 'generate_content',
  realtime: 'connect',
};

/** `gen_ai.operation.name`: the conventions' word where they have one. */
export const operationName = (kind: SpanKindName): string => operations[kind] ?? 'chat';
