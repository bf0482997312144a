export * from './envelope.ts';
export * from './errors.ts';
export * from './quota.ts';
export * from './roles.ts';
export * from './route.ts';
export * from './usage.ts';
