export { createGrants } from './grants.ts';
export { noticeExpiries } from './notices.ts';
export type { Grants } from './grants.ts';
