export { tokenMark } from './deps.ts';
export { readCredential } from './key.ts';
export { findStoredToken } from './read.ts';
export type { KeyRefusal, KeyResolver, Resolution, ResolvedToken } from './resolve.ts';
export { createKeyResolver } from './resolve.ts';
export { createTokens, type Tokens } from './tokens.ts';
