export { keyPlace, type Owner } from './create.ts';
export { tokenMark } from './deps.ts';
export { adoptToken, type AdoptedToken } from './adopt.ts';
export { createFunds, type Funds, type FundsReader, type KeyFunds } from './funds.ts';
export { readCredential } from './key.ts';
export { findStoredToken, type LimitTurn } from './read.ts';
export type { KeyResolver, PayingTeam, ResolvedToken } from './resolve.ts';
export { createKeyResolver } from './resolve.ts';
export { createTokens, type Tokens } from './tokens.ts';
