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
  const entries = source.matchAll(/path: '([^']+)',\s+(?:access: '(\w+)'|\.\.\.inSite)/g);
  // What stands under the bar of the site is for everybody.
  return [...entries].map(([, path = '', access = 'public']) => ({
    path: path.replace('$id', '0'),
    access,
  }));
}
