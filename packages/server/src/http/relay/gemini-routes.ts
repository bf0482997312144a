import type { RouteProtocols, RelayRoute } from './relay-route.ts';

/** Google's newest client uses the first, all others the second. */
export const versions = ['/v1', '/v1beta'];
/** Vertex's paths for Google's models: with a key, and in a project. */
export const vertexPlaces = ['/v1', '/v1beta1'].flatMap((version) => [
  `${version}/publishers/google`,
  `${version}/projects/{project}/locations/{location}/publishers/google`,
]);
/** Addresses of Gemini Live: with a key, with a token for browsers, and those of Vertex. */
const livePaths = [
  '/ws/google.ai.generativelanguage.{version}.GenerativeService.BidiGenerateContent',
  '/ws/google.ai.generativelanguage.{version}.GenerativeService.BidiGenerateContentConstrained',
  '/ws/google.cloud.aiplatform.{version}.LlmBidiService/BidiGenerateContent',
];
/** Google's address for callers of OpenAI's protocols. */
const openaiPrefix = '/v1beta/openai';

/** The routes of Gemini's API, and OpenAI's routes under Google's address for them. */
export function geminiRoutes(protocols: RouteProtocols, openai: readonly RelayRoute[]): RelayRoute[] {
  const { gemini, geminiEmbeddings, geminiPredict } = protocols;
  const predictions = [...versions, ...vertexPlaces].map((place): RelayRoute => ({
    method: 'POST',
    access: 'key',
    path: `${place}/models/{model}:predict`,
    kind: 'relay',
    inbound: geminiPredict,
    fromPath: { stream: false },
  }));
  const calls = versions.flatMap((version): RelayRoute[] => {
    const call = (verb: string) => ({
      method: 'POST' as const,
      access: 'key' as const,
      path: `${version}/models/{model}:${verb}`,
    });
    const whole = { fromPath: { stream: false } };
    return [
      { ...call('generateContent'), ...whole, kind: 'relay', inbound: gemini },
      { ...call('streamGenerateContent'), kind: 'relay', inbound: gemini, fromPath: { stream: true } },
      {
        ...call('countTokens'),
        ...whole,
        kind: 'count-tokens',
        inbound: gemini,
        wrapper: 'generateContentRequest',
      },
      { ...call('embedContent'), ...whole, kind: 'relay', inbound: geminiEmbeddings },
      { ...call('batchEmbedContents'), ...whole, kind: 'relay', inbound: geminiEmbeddings },
    ];
  });
  const list = { method: 'GET' as const, access: 'key' as const, inbound: gemini };
  const caches = versions.flatMap((version): RelayRoute[] => {
    const cache = { access: 'key' as const, kind: 'cache' as const, inbound: gemini };
    return [
      { ...cache, method: 'POST', path: `${version}/cachedContents` },
      { ...cache, method: 'GET', path: `${version}/cachedContents` },
      { ...cache, method: 'GET', path: `${version}/cachedContents/{id}` },
      { ...cache, method: 'PATCH', path: `${version}/cachedContents/{id}` },
      { ...cache, method: 'DELETE', path: `${version}/cachedContents/{id}` },
    ];
  });
  const file = { access: 'key' as const, kind: 'file' as const, inbound: gemini };
  return [
    ...calls,
    ...predictions,
    ...caches,
    ...livePaths.map((path): RelayRoute => ({
      method: 'GET',
      access: 'key',
      path,
      kind: 'realtime',
      inbound: gemini,
    })),
    ...['/v1alpha', '/v1beta'].map((version): RelayRoute => ({
      method: 'POST',
      access: 'key',
      path: `${version}/auth_tokens`,
      kind: 'session-secret',
      inbound: gemini,
    })),
    // The other calls below `/v1` have the routes of OpenAI's files.
    ...versions.map((version) => ({ ...file, method: 'POST' as const, path: `/upload${version}/files` })),
    { ...file, method: 'GET', path: '/v1beta/files' },
    { ...file, method: 'GET', path: '/v1beta/files/{id}:download' },
    { ...file, method: 'GET', path: '/v1beta/files/{id}' },
    { ...file, method: 'DELETE', path: '/v1beta/files/{id}' },
    { ...list, path: '/v1beta/models', kind: 'models' },
    { ...list, path: '/v1beta/models/{model}', kind: 'model' },
    ...openai.map(asAlias),
  ];
}

/** The same call, answered in OpenAI's format, with the key in any header. */
function asAlias(route: RelayRoute): RelayRoute {
  const alias = { upstreamPath: route.path, ...route, path: openaiPrefix + route.path.slice('/v1'.length) };
  delete alias.inboundFor;
  return alias;
}
