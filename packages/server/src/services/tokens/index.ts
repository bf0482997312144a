export { readCredential } from './key.ts';
export type { KeyRefusal, KeyResolver, Resolution, ResolvedToken } from './resolve.ts';
export { createKeyResolver } from './resolve.ts';
