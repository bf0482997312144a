import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A page of the console as declared in the list of pages. */
export interface ListedPage {
  path: string;
  access: string;
}

/** Every page with its access, from the one list of pages, so that the tests include every new page. */
export function listPages(): ListedPage[] {
  const source = readFileSync(join(import.meta.dirname, '../../packages/web/src/app/pages.ts'), 'utf8');
  const entries = source.matchAll(/path: '([^']+)',\s+(?:access: '(\w+)'|\.\.\.inSite)/g);
  // Pages under the bar of the site are for everyone.
  return [...entries].map(([, path = '', access = 'public']) => ({
    path: path.replace('$id', '0'),
    access,
  }));
}
