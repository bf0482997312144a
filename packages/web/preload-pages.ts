import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { minify, type Plugin, type Rolldown } from 'vite';

/** By address: 1 where a page is only for people with an account, else 0; then what it needs beside the base, as numbers of `files`. */
interface Plan {
  files: readonly string[];
  pages: Readonly<Record<string, readonly [members: 0 | 1, ...needs: number[]]>>;
}

/** Runs in the browser, before everything else, so it stands for itself: asks for the files of the page at this address. */
function askFor({ files, pages }: Plan): void {
  const page = pages[location.pathname];
  if (!page) return;
  try {
    // Visitors are led away from pages that need an account.
    if (page[0] && localStorage.getItem('user') === null) return;
  } catch {
    return;
  }
  for (const need of page.slice(1)) {
    const link = document.createElement('link');
    link.rel = 'modulepreload';
    link.crossOrigin = '';
    link.href = `/${files[need]}`;
    document.head.append(link);
  }
}

/** All files that a chunk needs at once, without those of the base. */
function needsOf(chunk: Rolldown.OutputChunk, bundle: Rolldown.OutputBundle): string[] {
  const found = new Set<string>();
  const visit = (name: string) => {
    const part = bundle[name];
    if (part?.type !== 'chunk' || part.isEntry || found.has(name)) return;
    found.add(name);
    part.imports.forEach(visit);
  };
  visit(chunk.fileName);
  return [...found];
}

/**
 * Asks for the code of a page together with the page. Known from the list of pages alone, which is in the base, it would
 * come a journey later, after the base has run.
 */
export const preloadPages = (): Plugin => ({
  name: 'console:preload-pages',
  apply: 'build',
  async writeBundle({ dir = '' }, bundle) {
    const list = join(import.meta.dirname, 'src/app/pages.ts');
    const source = await readFile(list, 'utf8');
    const files: string[] = [];
    const numberOf = (file: string) => (files.includes(file) ? files.indexOf(file) : files.push(file) - 1);
    const pages: Record<string, Plan['pages'][string]> = {};
    const entries = source.matchAll(
      /path: '([^'$]+)',\s+(?:access: '(\w+)'|\.\.\.inSite)[^$]*?import\('([^']+)'\)/g,
    );
    // What stands under the bar of the site is for everybody.
    for (const [, path = '', access = 'public', module = ''] of entries) {
      const id = join(list, '..', module);
      const chunk = Object.values(bundle).find((part) => part.type === 'chunk' && part.facadeModuleId === id);
      if (chunk?.type !== 'chunk') throw new Error(`the code of ${path} is in no file of its own`);
      pages[path] = [access === 'public' ? 0 : 1, ...needsOf(chunk, bundle).map(numberOf)];
    }
    const plan: Plan = { files, pages };
    const theme = join(dir, 'theme.js');
    const whole = `${await readFile(theme, 'utf8')}(${askFor.toString()})(${JSON.stringify(plan)});`;
    // It stands in the way of every first paint.
    const { code, errors } = await minify('theme.js', whole);
    if (errors[0]) throw new Error(errors[0].message);
    await writeFile(theme, code);
  },
});
