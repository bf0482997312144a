export { createOauth, type Oauth, type Visitor } from './oauth.ts';
export { createRounds, type Rounds } from './rounds.ts';
export type { ProviderAddresses } from './types.ts';
