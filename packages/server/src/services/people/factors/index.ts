export { authenticatorPlace } from './authenticator.ts';
export type { Question } from './challenges.ts';
export { Factors, isProtected, type Owned, type Owner } from './factors.ts';
