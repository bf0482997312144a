import type { CallerProtocol, Protocol, ProtocolId } from './types/index.ts';
import { anthropicMessages } from './protocols/anthropic-messages/index.ts';
import { bedrockConverse } from './protocols/bedrock-converse/index.ts';
import { cohereChat } from './protocols/cohere-chat/index.ts';
import { cohereRerank } from './protocols/cohere-rerank/index.ts';
import { cozeChat } from './protocols/coze-chat/index.ts';
import { difyChat } from './protocols/dify-chat/index.ts';
import { geminiEmbeddings } from './protocols/gemini-embeddings/index.ts';
import { geminiPredict } from './protocols/gemini-predict/index.ts';
import { gemini } from './protocols/gemini/index.ts';
import { openaiAudio } from './protocols/openai-audio/index.ts';
import { openaiChat } from './protocols/openai-chat/index.ts';
import { openaiCompletions } from './protocols/openai-completions/index.ts';
import { openaiEmbeddings } from './protocols/openai-embeddings/index.ts';
import { openaiImages } from './protocols/openai-images/index.ts';
import { openaiModerations } from './protocols/openai-moderations/index.ts';
import { openaiCompact, openaiResponses } from './protocols/openai-responses/index.ts';

/** The wire protocols of this gateway: a new one is a folder and a line here. */
export const protocols: Partial<Record<ProtocolId, Protocol>> = {
  'anthropic-messages': anthropicMessages,
  'bedrock-converse': bedrockConverse,
  'cohere-chat': cohereChat,
  'cohere-rerank': cohereRerank,
  'coze-chat': cozeChat,
  'dify-chat': difyChat,
  'openai-audio': openaiAudio,
  'openai-chat': openaiChat,
  'openai-compact': openaiCompact,
  'openai-completions': openaiCompletions,
  'openai-embeddings': openaiEmbeddings,
  'openai-images': openaiImages,
  'openai-moderations': openaiModerations,
  'openai-responses': openaiResponses,
  gemini,
  'gemini-embeddings': geminiEmbeddings,
  'gemini-predict': geminiPredict,
};

/** The protocol of a caller; undefined for one that callers cannot use. */
export function callerProtocol(id: ProtocolId): CallerProtocol | undefined {
  const protocol = protocols[id];
  return protocol?.inbound ? protocol : undefined;
}
