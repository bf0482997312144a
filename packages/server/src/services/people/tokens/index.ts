export { tokenMark } from './deps.ts';
export { adoptedHash, adoptToken, type AdoptedToken } from './adopt.ts';
export { barByRule, type ChannelRule, describeRule } from './channel-rule.ts';
export { createFunds, type Funds, type FundsReader, type KeyFunds } from './funds.ts';
export {
  createKeyResolver,
  keyHint,
  type KeyMark,
  type KeyResolver,
  markOfKey,
  newRunKey,
  type PayingTeam,
  readCredential,
  type Resolution,
  type ResolvedToken,
} from './resolve.ts';
export { keyPlace, type Owner, findStoredToken, type LimitTurn } from './read.ts';
export { createTokens, type Tokens } from './tokens.ts';
export {
  createSessionSecrets,
  maxSessionSecrets,
  type SessionGrant,
  sessionSecretIn,
  type SessionSecrets,
} from './session-secrets.ts';
