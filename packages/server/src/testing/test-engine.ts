import type { HttpEngine } from '../lib/outbound/http.ts';

/** The engine that tests run on: `HTTP_ENGINE`, so that one suite runs on both (the project `node-engine` of vitest). */
export const testEngine: HttpEngine = process.env['HTTP_ENGINE'] === 'node' ? 'node' : 'lean';
