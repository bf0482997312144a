import type { HttpEngine } from '../lib/outbound/http.ts';

/** HTTP engine of the tests, from `HTTP_ENGINE`. The same suite runs on both engines (project `node-engine` of vitest). */
export const testEngine: HttpEngine = process.env['HTTP_ENGINE'] === 'node' ? 'node' : 'lean';
