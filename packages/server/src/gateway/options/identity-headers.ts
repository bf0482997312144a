/**
 * Headers of every relay answer: who answered, how to ask about it, that any site may read it, and that a browser takes
 * it for nothing but what its type says.
 */
export const identityHeaders = (requestId: string): Record<string, string> => ({
  'x-request-id': requestId,
  'x-tollgate-request-id': requestId,
  'x-oneapi-request-id': requestId,
  'x-content-type-options': 'nosniff',
  'access-control-allow-origin': '*',
  'access-control-expose-headers': '*',
});
