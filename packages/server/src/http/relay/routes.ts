import type { Inbound } from '../../relay/model/protocol.ts';

/** What a relay path is for. */
export type RelayKind =
  /** A call that is carried to a channel. */
  | 'relay'
  | 'models'
  | 'model'
  /** OpenAI paths that exist but are not built (wire-facts 1.3): 501. */
  | 'not-implemented'
  | 'billing-subscription'
  | 'billing-usage';

/** Who may call: the owner of a token, or a logged-in user of the console (playground). */
export type RelayAccess = 'key' | 'session';

export interface RelayRoute {
  method: 'GET' | 'POST' | 'DELETE';
  /** Exact path, or with `{name}` slots. */
  path: string;
  access: RelayAccess;
  kind: RelayKind;
  /** The language the caller speaks here; errors are written in it. */
  inbound: Inbound;
  /** The model when the body names none (wire-facts 5.2). */
  defaultModel?: string;
  /** The path towards upstreams, where it is another than the caller's. */
  upstreamPath?: string;
}

export interface MatchedRoute {
  route: RelayRoute;
  /** Values of the path's slots. */
  slots: Record<string, string>;
}

interface Languages {
  chat: Inbound;
  completions: Inbound;
  embeddings: Inbound;
  moderations: Inbound;
}

const notImplemented: readonly [RelayRoute['method'], string][] = [
  ['POST', '/v1/edits'],
  ['POST', '/v1/images/variations'],
  ['GET', '/v1/files'],
  ['POST', '/v1/files'],
  ['GET', '/v1/files/{id}'],
  ['DELETE', '/v1/files/{id}'],
  ['GET', '/v1/files/{id}/content'],
  ['GET', '/v1/fine-tunes'],
  ['POST', '/v1/fine-tunes'],
  ['GET', '/v1/fine-tunes/{id}'],
  ['POST', '/v1/fine-tunes/{id}/cancel'],
  ['GET', '/v1/fine-tunes/{id}/events'],
  ['DELETE', '/v1/models/{model}'],
];

/** Every relay route: the access table of this side of the house. A path that is not here does not exist. */
export function relayRoutes(languages: Languages): RelayRoute[] {
  const { chat, completions, embeddings, moderations } = languages;
  const key = { access: 'key' as const, inbound: chat };
  const relay = { access: 'key' as const, kind: 'relay' as const, method: 'POST' as const };
  return [
    { ...relay, path: '/v1/chat/completions', inbound: chat },
    { ...relay, path: '/v1/completions', inbound: completions },
    { ...relay, path: '/v1/embeddings', inbound: embeddings },
    { ...relay, path: '/v1/engines/{model}/embeddings', inbound: embeddings, upstreamPath: '/v1/embeddings' },
    { ...relay, path: '/v1/moderations', inbound: moderations, defaultModel: 'text-moderation-stable' },
    { ...relay, path: '/pg/chat/completions', inbound: chat, access: 'session' },
    { ...key, method: 'GET', path: '/v1/models', kind: 'models' },
    { ...key, method: 'GET', path: '/v1/models/{model}', kind: 'model' },
    ...['', '/v1'].flatMap((prefix): RelayRoute[] => [
      {
        ...key,
        method: 'GET',
        path: `${prefix}/dashboard/billing/subscription`,
        kind: 'billing-subscription',
      },
      { ...key, method: 'GET', path: `${prefix}/dashboard/billing/usage`, kind: 'billing-usage' },
    ]),
    ...notImplemented.map(([method, path]): RelayRoute => ({
      ...key,
      method,
      path,
      kind: 'not-implemented',
    })),
  ];
}

interface Pattern {
  route: RelayRoute;
  expression: RegExp;
  names: string[];
}

function compile(route: RelayRoute): Pattern {
  const names: string[] = [];
  const source = route.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    names.push(name);
    // A model name may contain slashes (`meta/llama3`), so the last slot takes the rest.
    return name === 'model' && route.path.endsWith('}') ? '(.+)' : '([^/]+)';
  });
  return { route, expression: new RegExp(`^${source}$`), names };
}

/** Finds the route of a method and path; exact ones by one look-up. */
export class RelayTable {
  private readonly exact = new Map<string, MatchedRoute>();
  private readonly patterns: Pattern[] = [];

  constructor(routes: readonly RelayRoute[]) {
    for (const route of routes) {
      if (route.path.includes('{')) this.patterns.push(compile(route));
      else this.exact.set(`${route.method} ${route.path}`, { route, slots: {} });
    }
  }

  match(method: string, path: string): MatchedRoute | undefined {
    const plain = path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
    const found = this.exact.get(`${method} ${plain}`);
    if (found) return found;
    for (const { route, expression, names } of this.patterns) {
      if (route.method !== method) continue;
      const values = expression.exec(plain);
      if (values) return { route, slots: slotsOf(names, values) };
    }
    return undefined;
  }
}

function slotsOf(names: string[], values: RegExpExecArray): Record<string, string> {
  const slots: Record<string, string> = {};
  for (const [index, name] of names.entries()) slots[name] = decode(values[index + 1] ?? '');
  return slots;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
