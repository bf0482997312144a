import { callerProtocol } from '../../relay/protocols.ts';
import type { Inbound, ProtocolId } from '../../relay/types/index.ts';
import type { RouteProtocols } from './relay-route.ts';

function inboundOf(id: ProtocolId): Inbound {
  const inbound = callerProtocol(id)?.inbound;
  if (!inbound) throw new Error(`callers cannot speak the protocol ${id}`);
  return inbound;
}

/** The callers' protocols that routes are declared with, from the registry. */
export const routeProtocols = (): RouteProtocols => ({
  chat: inboundOf('openai-chat'),
  messages: inboundOf('anthropic-messages'),
  responses: inboundOf('openai-responses'),
  gemini: inboundOf('gemini'),
  geminiEmbeddings: inboundOf('gemini-embeddings'),
  completions: inboundOf('openai-completions'),
  embeddings: inboundOf('openai-embeddings'),
  moderations: inboundOf('openai-moderations'),
  rerank: inboundOf('cohere-rerank'),
  images: inboundOf('openai-images'),
  audio: inboundOf('openai-audio'),
});
