// Builds the documentation site into dist/docs: pages by the generator, and beside each of them its Markdown twin, llms.txt
// and the OpenAPI document. DOCS_URL is the address at which it will be, SOURCE_URL that of the repository's files.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { product } from '../packages/contract/src/product.ts';
import type { Language } from '../packages/contract/src/words.ts';
import { anchorsOf, menu, readPages, type SitePage, withAnchors } from './read-pages.ts';
import { openApi } from './reference.ts';

const root = join(import.meta.dirname, '..');
/** What the generator reads. */
const staged = join(root, 'dist/website');
const built = join(root, 'dist/docs');
const address = (process.env.DOCS_URL ?? '').replace(/\/+$/, '');
const sourceUrl = (process.env.SOURCE_URL ?? '').replace(/\/+$/, '');

function write(folder: string, path: string, text: string): void {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

const pages = readPages(sourceUrl);
const english = new Map(pages.filter(({ language }) => language === 'en').map((page) => [page.path, page]));
const pagesOf = (language: Language, of: readonly string[]): SitePage[] =>
  of.map((path) => pages.find((page) => page.path === (language === 'zh' ? `zh/${path}` : path))!);

/** The menu in a language; pages without a translation say so. */
const sidebar = (language: Language) =>
  menu.map((group, index) => ({
    text: group.title[language],
    collapsed: index > 1,
    items: pagesOf(language, group.pages).map(({ title, path, isWritten }) => ({
      text: isWritten ? title : `${title}（英文）`,
      link: isWritten ? `/${path}` : `/${path.slice('zh/'.length)}`,
    })),
  }));

/** Stages one page: anchors, and no entry in the search for a page without content. */
function stage({ path, text, isWritten, language }: SitePage): void {
  const model = language === 'zh' ? english.get(path.slice('zh/'.length))! : { text };
  const head = isWritten ? '' : '---\nsearch: false\n---\n\n';
  write(staged, `pages/${path}.md`, head + withAnchors(text, anchorsOf(model.text)));
}

/** The list of pages for programs that read Markdown (llmstxt.org). */
function listForModels(): string {
  const lines = (['en', 'zh'] as const).flatMap((language) =>
    menu.flatMap((group) => {
      const shown = pagesOf(language, group.pages).filter(({ isWritten }) => isWritten);
      const links = shown.map(({ title, path }) => `- [${title}](${address}/${path}.md)`);
      return shown.length === 0 ? [] : [`## ${group.title[language]}\n\n${links.join('\n')}\n`];
    }),
  );
  const about = 'A self-hosted gateway to AI models with exact billing and a console.';
  const whole = `All pages in one file: [English](${address}/llms-full.txt), [中文](${address}/zh/llms-full.txt).`;
  return [`# ${product.name}\n`, `> ${about}\n`, `${whole}\n`, ...lines].join('\n');
}

rmSync(staged, { recursive: true, force: true });
rmSync(built, { recursive: true, force: true });
for (const page of pages) stage(page);
cpSync(join(root, 'docs/images'), join(staged, 'pages/images'), { recursive: true });
write(
  staged,
  'site.json',
  JSON.stringify({
    name: product.name,
    base: address === '' ? '/' : `${new URL(address).pathname.replace(/\/$/, '')}/`,
    menus: { en: sidebar('en'), zh: sidebar('zh') },
  }),
);

const generator = join(import.meta.dirname, 'node_modules/vitepress/bin/vitepress.js');
const done = spawnSync(process.execPath, [generator, 'build', import.meta.dirname], {
  cwd: root,
  stdio: ['ignore', 'inherit', 'inherit'],
});
if (done.status !== 0) process.exit(done.status ?? 1);

for (const { path, text } of pages) write(built, `${path}.md`, text);
cpSync(join(root, 'docs/images'), join(built, 'images'), { recursive: true });
write(built, 'llms.txt', listForModels());
for (const language of ['en', 'zh'] as const) {
  const folder = language === 'zh' ? join(built, 'zh') : built;
  const written = pages.filter((page) => page.language === language && page.isWritten);
  write(folder, 'llms-full.txt', written.map(({ text }) => text.trim()).join('\n\n---\n\n'));
  write(folder, 'openapi.json', JSON.stringify(openApi(language)));
}
console.log(`${pages.length} pages are in ${built}`);
