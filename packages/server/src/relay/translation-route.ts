import {
  type CallerProtocol,
  type ChatCodec,
  type Protocol,
  type ProtocolId,
  type Endpoint,
  type HostedOffer,
  type Provider,
  refuse,
  type UpstreamCodec,
} from './types/index.ts';
import { canHost, cannotTranslate } from './conversation/index.ts';
import { protocols } from './protocols.ts';
import type { WritingCodec } from './translate/translate-request.ts';

interface RouteEnds {
  caller: CallerProtocol;
  upstream: Protocol;
  endpoint: Endpoint;
}

/** Both sides use the same protocol, and the bytes pass. */
interface DirectRoute extends RouteEnds {
  isTranslated: false;
}

/** The request is read in the caller's protocol and written in the upstream's. */
export interface TranslatedRoute extends RouteEnds {
  isTranslated: true;
  readRequest: NonNullable<ChatCodec['readRequest']>;
  codec: WritingCodec;
}

/** The route of a request: from the caller's protocol to one of the provider's. */
export type TranslationRoute = DirectRoute | TranslatedRoute;

/** A request that needs a route. */
export interface RouteQuery {
  /** The caller's. */
  protocol: ProtocolId;
  /** The upstream's name for it. */
  model: string;
  /** Vendors' own tools in the request. */
  offers?: readonly HostedOffer[] | undefined;
  /** True if the vendor would refuse the request at this endpoint. Such an endpoint is the last choice. */
  isRefused?: (endpoint: Endpoint) => boolean;
}

/** The preferred target protocols of each caller's protocol, if the provider declares no others. */
const preferredOrder: readonly ProtocolId[] = [
  'openai-chat',
  'anthropic-messages',
  'gemini',
  'openai-responses',
  'bedrock-converse',
  'cohere-chat',
];

const serves = (endpoint: Endpoint, model: string): boolean => endpoint.serves?.(model) ?? true;

/** True if an endpoint has all vendors' own tools of the request. */
function hasTools(
  endpoint: Endpoint,
  caller: ProtocolId,
  model: string,
  offers: readonly HostedOffer[],
): boolean {
  const { protocol } = endpoint;
  if (missingTool(endpoint, offers, protocol !== caller)) return false;
  if (protocol === caller) return true;
  const rest = endpoint.search ? offers.filter(({ kind }) => kind !== 'web-search') : offers;
  return canHost(protocol, rest, model);
}

/** The route of a request; undefined if the provider cannot serve it. */
export function findTranslationRoute(
  provider: Provider,
  { protocol, model, offers = [], isRefused = () => false }: RouteQuery,
): TranslationRoute | undefined {
  const caller = protocols[protocol];
  if (!caller?.inbound) return undefined;
  const own = provider.endpoints[protocol];
  const direct: TranslationRoute[] =
    own && serves(own, model) ? [{ caller, upstream: caller, endpoint: own, isTranslated: false }] : [];
  if (direct[0] && offers.length === 0 && !isRefused(direct[0].endpoint)) return direct[0];
  const all: TranslationRoute[] = [...direct, ...translations(provider, caller, model)];
  const taken = all.filter(({ endpoint }) => !isRefused(endpoint));
  const routes = taken.length > 0 ? taken : all;
  // The first route with every tool, otherwise the first with all required tools.
  return (
    routes.find(({ endpoint }) => hasTools(endpoint, protocol, model, offers)) ??
    routes.find((route) => hasTools(route.endpoint, protocol, model, needed(route, offers))) ??
    routes[0]
  );
}

/** True if a route passes on all vendor tools of a request. */
export const getsTools = (
  { endpoint }: TranslationRoute,
  { protocol, model, offers = [] }: RouteQuery,
): boolean => hasTools(endpoint, protocol, model, offers);

/** Tools that must not be omitted: nothing can be removed from a request that is passed unchanged. */
const needed = (
  { isTranslated }: Pick<TranslationRoute, 'isTranslated'>,
  offers: readonly HostedOffer[],
): readonly HostedOffer[] => (isTranslated ? offers.filter(({ isOptional }) => !isOptional) : offers);

const canWrite = (codec: UpstreamCodec): codec is UpstreamCodec & WritingCodec =>
  codec.writeRequest !== undefined;

/** The provider's other protocols to which a caller can be translated, the best first. */
function* translations(provider: Provider, caller: CallerProtocol, model: string): Iterable<TranslatedRoute> {
  const readRequest = caller.codec?.readRequest;
  if (!readRequest) return;
  for (const other of provider.translateTo ?? preferredOrder) {
    const endpoint = provider.endpoints[other];
    const upstream = protocols[other];
    const { codec } = upstream ?? {};
    if (other === caller.id || !upstream || !endpoint || !codec || !canWrite(codec)) continue;
    if (serves(endpoint, model)) yield { caller, upstream, endpoint, isTranslated: true, readRequest, codec };
  }
}

/** Refuses a call with a tool that a provider does not have, although its protocol can express it. */
export function refuseTools(route: TranslationRoute, offers: readonly HostedOffer[] = []): void {
  const { endpoint, isTranslated } = route;
  const missing = missingTool(endpoint, needed(route, offers), isTranslated);
  if (missing) throw cannotTranslate(`the tool ${missing.type}`, endpoint.protocol);
}

/** A tool that the provider does not have. A search for tools can be omitted if the translation lists all tools. */
const missingTool = (
  { hosts }: Endpoint,
  offers: readonly HostedOffer[],
  isTranslated: boolean,
): HostedOffer | undefined =>
  hosts && offers.find(({ kind }) => !hosts.includes(kind) && !(isTranslated && kind === 'tool-search'));

/** The route of a request; throws the error of docs/compatibility.md#relay-errors if there is none. */
export function chooseTranslation(provider: Provider, query: RouteQuery): TranslationRoute {
  const route = findTranslationRoute(provider, query);
  if (provider.isClosed) throw refuse('vendor_closed', { provider: provider.name });
  if (!route) throw refuse('channel_without_protocol', { provider: provider.name, protocol: query.protocol });
  return route;
}
