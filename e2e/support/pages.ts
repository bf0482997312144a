import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A page of the console as its list declares it. */
export interface ListedPage {
  path: string;
  access: string;
}

/** Every page with its access, read from the one list of pages, so that a new page is looked at from its first day. */
export function listPages(): ListedPage[] {
  const source = readFileSync(join(import.meta.dirname, '../../packages/web/src/app/pages.ts'), 'utf8');
  return [...source.matchAll(/path: '([^']+)',\s+access: '(\w+)'/g)].map(([, path = '', access = '']) => ({
    path: path.replace('$id', '0'),
    access,
  }));
}
