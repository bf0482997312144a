import { product } from '@tollgate/contract';

/** Headers of every relay answer: the server's name, the request id, CORS for any site, and `nosniff`. */
export const identityHeaders = (requestId: string): Record<string, string> => ({
  'x-request-id': requestId,
  [product.headers.requestId]: requestId,
  'x-oneapi-request-id': requestId,
  'x-content-type-options': 'nosniff',
  'access-control-allow-origin': '*',
  'access-control-expose-headers': '*',
});
