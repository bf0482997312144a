export { createAuth } from './auth.ts';
export type { Auth } from './auth.ts';
export { checkHuman } from './human-check.ts';
export { createPasswords } from './password.ts';
export type { PasswordCost } from './password.ts';
export { authorize, refusal } from './policies.ts';
export type { FirstStep } from './second-step.ts';
export type { SignedInWith } from './signed-in.ts';
export type { Actor, Credential, Identity } from './types.ts';
