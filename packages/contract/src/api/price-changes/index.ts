export * from './rehearsal.ts';
