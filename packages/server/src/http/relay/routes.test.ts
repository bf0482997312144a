import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Inbound } from '../../relay/types/index.ts';
import type { RouteProtocols } from './relay-route.ts';
import { relayRoutes } from './routes.ts';

const page = readFileSync(join(import.meta.dirname, '../../../../../docs/endpoints.md'), 'utf8');

/** The routes do not use the protocols that they name. */
const protocols = new Proxy({} as RouteProtocols, { get: () => ({ id: 'openai-chat' }) as Inbound });

/** Text that the page must have for a path: a verb of Gemini's, or the path itself. */
function words({ path }: { path: string }): string {
  const verb = /:\w+$/.exec(path);
  return verb ? `${verb[0]}\`` : path;
}

describe('the page of endpoints', () => {
  it('lists every relay route that a key may use', () => {
    const routes = relayRoutes(protocols).filter(({ access, path }) => {
      // The page mentions these families in one sentence.
      const families = ['/v1beta/openai/', '/dashboard/', '/{mode}/'];
      return access === 'key' && !families.some((family) => path.startsWith(family));
    });
    expect(routes.length).toBeGreaterThan(25);
    for (const route of routes) expect(page, route.path).toContain(words(route));
  });
});
