import {
  type CallerProtocol,
  type Protocol,
  type ProtocolId,
  type Endpoint,
  type Provider,
  refuse,
} from './types/index.ts';
import { callerProtocol, protocols } from './protocols.ts';

/** How a request travels: from the caller's protocol to one that the provider speaks. */
export interface TranslationRoute {
  caller: CallerProtocol;
  upstream: Protocol;
  endpoint: Endpoint;
  /** False where both are the same protocol and the bytes pass. */
  isTranslated: boolean;
}

/** The protocols a caller of another one is translated to, in this order, where the provider says nothing else. */
const usualOrder: readonly ProtocolId[] = [
  'openai-chat',
  'anthropic-messages',
  'gemini',
  'openai-responses',
  'bedrock-converse',
  'cohere-chat',
];

const serves = (endpoint: Endpoint, model: string): boolean => endpoint.serves?.(model) ?? true;

/** Responses have words for the tools that a vendor runs, where chats have none. */
const withResponsesFirst = (order: readonly ProtocolId[]): readonly ProtocolId[] =>
  order.flatMap((id) => (id === 'openai-chat' ? ['openai-responses', id] : [id]));

/** The route of a request in `protocol` for a model; undefined when the provider cannot carry it. */
export function findTranslationRoute(
  provider: Provider,
  protocol: ProtocolId,
  model: string,
  hostedTools = false,
): TranslationRoute | undefined {
  const caller = callerProtocol(protocol);
  if (!caller) return undefined;
  const direct = provider.endpoints[protocol];
  if (direct && serves(direct, model)) {
    return { caller, upstream: caller, endpoint: direct, isTranslated: false };
  }
  if (!caller.codec?.readRequest) return undefined;
  const order = provider.translateTo ?? usualOrder;
  for (const other of hostedTools ? withResponsesFirst(order) : order) {
    const endpoint = provider.endpoints[other];
    const upstream = protocols[other];
    if (other === protocol || !endpoint || !upstream?.codec?.writeRequest) continue;
    if (serves(endpoint, model)) return { caller, upstream, endpoint, isTranslated: true };
  }
  return undefined;
}

/** The route of a request; throws the refusal of docs/compatibility.md#relay-errors when there is none. */
export function translationRouteOf(
  provider: Provider,
  protocol: ProtocolId,
  model: string,
  hostedTools = false,
): TranslationRoute {
  const route = findTranslationRoute(provider, protocol, model, hostedTools);
  if (provider.isClosed) throw refuse('vendor_closed', { provider: provider.name });
  if (!route) throw refuse('channel_without_protocol', { provider: provider.name, protocol });
  return route;
}
