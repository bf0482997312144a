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
import { callerProtocol, protocols } from './protocols.ts';

interface RouteEnds {
  caller: CallerProtocol;
  upstream: Protocol;
  endpoint: Endpoint;
}

/** Both sides speak the same protocol, and the bytes pass. */
interface DirectRoute extends RouteEnds {
  isTranslated: false;
}

/** The request is read in the caller's protocol and written in the upstream's. */
export interface TranslatedRoute extends RouteEnds {
  isTranslated: true;
  readRequest: NonNullable<ChatCodec['readRequest']>;
  writeRequest: NonNullable<UpstreamCodec['writeRequest']>;
}

/** How a request travels: from the caller's protocol to one that the provider speaks. */
export type TranslationRoute = DirectRoute | TranslatedRoute;

/** A request that looks for its route. */
export interface RouteQuery {
  /** The caller's. */
  protocol: ProtocolId;
  /** The upstream's name for it. */
  model: string;
  /** Tools of vendors' own that the request offers. */
  offers?: readonly HostedOffer[] | undefined;
  /** True for an endpoint at which the vendor would refuse the request: it is taken where there is no other. */
  isRefused?: (endpoint: Endpoint) => boolean;
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

/** True where an endpoint has all tools of vendors' own that are offered to it. */
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

/** The route of a request; undefined when the provider cannot carry it. */
export function findTranslationRoute(
  provider: Provider,
  { protocol, model, offers = [], isRefused = () => false }: RouteQuery,
): TranslationRoute | undefined {
  const caller = callerProtocol(protocol);
  if (!caller) return undefined;
  const own = provider.endpoints[protocol];
  const direct: TranslationRoute[] =
    own && serves(own, model) ? [{ caller, upstream: caller, endpoint: own, isTranslated: false }] : [];
  if (direct[0] && offers.length === 0 && !isRefused(direct[0].endpoint)) return direct[0];
  const all: TranslationRoute[] = [...direct, ...translations(provider, caller, model)];
  const taken = all.filter(({ endpoint }) => !isRefused(endpoint));
  const routes = taken.length > 0 ? taken : all;
  // The first route that has every tool; else the first that has those which must not be left out.
  return (
    routes.find(({ endpoint }) => hasTools(endpoint, protocol, model, offers)) ??
    routes.find((route) => hasTools(route.endpoint, protocol, model, needed(route, offers))) ??
    routes[0]
  );
}

/** What must not be missing: from a request that is passed as it came nothing can be left out. */
const needed = (
  { isTranslated }: Pick<TranslationRoute, 'isTranslated'>,
  offers: readonly HostedOffer[],
): readonly HostedOffer[] => (isTranslated ? offers.filter(({ isOptional }) => !isOptional) : offers);

/** The other protocols of a provider that a caller can be translated to, the best first. */
function* translations(provider: Provider, caller: CallerProtocol, model: string): Iterable<TranslatedRoute> {
  const readRequest = caller.codec?.readRequest;
  if (!readRequest) return;
  for (const other of provider.translateTo ?? usualOrder) {
    const endpoint = provider.endpoints[other];
    const upstream = protocols[other];
    const writeRequest = upstream?.codec?.writeRequest;
    if (other === caller.id || !endpoint || !writeRequest) continue;
    if (serves(endpoint, model))
      yield { caller, upstream, endpoint, isTranslated: true, readRequest, writeRequest };
  }
}

/** Refuses a call that offers a tool which a provider does not have, although its protocol knows the word. */
export function refuseTools(route: TranslationRoute, offers: readonly HostedOffer[] = []): void {
  const { endpoint, isTranslated } = route;
  const missing = missingTool(endpoint, needed(route, offers), isTranslated);
  if (missing) throw cannotTranslate(`the tool ${missing.type}`, endpoint.protocol);
}

/** A tool that the provider does not have. A search for tools is no tool where a translation tells all that it would find. */
const missingTool = (
  { hosts }: Endpoint,
  offers: readonly HostedOffer[],
  isTranslated: boolean,
): HostedOffer | undefined =>
  hosts && offers.find(({ kind }) => !hosts.includes(kind) && !(isTranslated && kind === 'tool-search'));

/** The route of a request; throws the refusal of docs/compatibility.md#relay-errors when there is none. */
export function translationRouteOf(provider: Provider, query: RouteQuery): TranslationRoute {
  const route = findTranslationRoute(provider, query);
  if (provider.isClosed) throw refuse('vendor_closed', { provider: provider.name });
  if (!route) throw refuse('channel_without_protocol', { provider: provider.name, protocol: query.protocol });
  return route;
}
