export * from './dollars.ts';
export * from './jump.ts';
export * from './tables.ts';
