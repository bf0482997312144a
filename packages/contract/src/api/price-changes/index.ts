export * from './rehearsal.ts';
export * from './rerating.ts';
