export { keyPlace } from './create.ts';
export { tokenMark } from './deps.ts';
export { createFunds, type Funds, type FundsReader } from './funds.ts';
export { readCredential } from './key.ts';
export { findStoredToken } from './read.ts';
export type { KeyRefusal, KeyResolver, Resolution, ResolvedToken } from './resolve.ts';
export { createKeyResolver } from './resolve.ts';
export { createTokens, type Tokens } from './tokens.ts';
