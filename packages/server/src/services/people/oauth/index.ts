export { createOauth, type Oauth, type Visitor } from './oauth.ts';
export { createOidcCheck } from './check-provider.ts';
export { type AddedProviders, createAddedProviders } from './added-providers.ts';
export { KnownProviders, secretPlace, signInProvidersMark } from './known-providers.ts';
export { createRounds, type Rounds } from './rounds.ts';
export { directoryPolicy, followDirectory, type GroupChange, type RuleDeps } from './sign-in-rules.ts';
