export { createAuth } from './auth.ts';
export type { Auth, AuthDeps } from './auth.ts';
export { createPasswords } from './password.ts';
export type { PasswordCost, Passwords } from './password.ts';
export { authorize, may } from './policies.ts';
export type { UserAction } from './policies.ts';
export type { Place, Sessions } from './sessions.ts';
export type { SignedInWith } from './sign-in.ts';
export type { Actor, Credential, Identity } from './types.ts';
