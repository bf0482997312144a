import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Inbound } from '../../relay/model/protocol.ts';
import type { Languages } from './relay-route.ts';
import { relayRoutes } from './routes.ts';

const page = readFileSync(join(import.meta.dirname, '../../../../../docs/endpoints.md'), 'utf8');

/** The routes do not look at the languages they name. */
const languages = new Proxy({} as Languages, { get: () => ({ id: 'openai-chat' }) as Inbound });

/** What the page must say of a path: a verb of Gemini's, the beginning of what is not built, or the path itself. */
function words({ path, kind }: { path: string; kind: string }): string {
  const verb = /:\w+$/.exec(path);
  if (verb) return `${verb[0]}\``;
  return kind === 'not-implemented' ? `\`${path.split('/').slice(0, 3).join('/')}` : `${path}`;
}

describe('the page of endpoints', () => {
  it('tells of every relay route that a key opens', () => {
    const routes = relayRoutes(languages).filter(({ access, path }) => {
      // The page says of these two families in one sentence that they are there.
      return access === 'key' && !path.startsWith('/v1beta/openai/') && !path.startsWith('/dashboard/');
    });
    expect(routes.length).toBeGreaterThan(30);
    for (const route of routes) expect(page, route.path).toContain(words(route));
  });
});
