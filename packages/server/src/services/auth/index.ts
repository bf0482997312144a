export type { Actor, Credential, Identity } from './types.ts';
