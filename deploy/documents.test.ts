import { spawnSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { menu, readPages } from '../website/read-pages.ts';

const root = join(import.meta.dirname, '..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');
const pages = readPages('');
const files = globSync(['*.md', 'docs/**/*.md'], { cwd: root }).map((file) => file.replaceAll('\\', '/'));

it('every document is a page of the site, and in its menu once', () => {
  const listed = menu.flatMap((group) => group.pages);
  expect(listed.filter((page, index) => listed.indexOf(page) !== index)).toEqual([]);
  const sources = new Set(pages.map(({ source }) => source));
  expect(files.filter((file) => !sources.has(file) && !file.includes('decisions/0000-'))).toEqual([]);
});

it('the generator has the Vite of the console: one version to keep up to date', () => {
  const ofSite = JSON.parse(read('website/package.json')) as { overrides: { vite: string } };
  const ofConsole = JSON.parse(read('packages/web/package.json')) as { dependencies: { vite: string } };
  expect(ofSite.overrides.vite).toBe(ofConsole.dependencies.vite);
});

/** Levels of headings, code blocks, and columns of each row of a table, in their order. */
function shapeOf(text: string): string[] {
  const shape = text.matchAll(/^ *```[\s\S]*?^ *```$|^#+(?= )|^\|.*$/gm);
  return Array.from(shape, ([part]) =>
    part.startsWith('|') ? `row of ${part.replaceAll('\\|', '').split('|').length - 2}` : part,
  );
}

/** Names that both languages have: inline code, without the punctuation of its language. */
const namesIn = (text: string): string[] =>
  Array.from(text.replaceAll(/^ *```[\s\S]*?^ *```$/gm, '').matchAll(/`([^`]+)`/g), ([, name]) => name!)
    .toSorted()
    .filter((name, index, all) => name !== all[index - 1]);

const chinese = files.filter((file) => file.startsWith('docs/zh/'));
const englishOf = (file: string) =>
  file === 'docs/zh/README.md' ? 'README.md' : file.replace('docs/zh/', 'docs/');

describe.each(chinese)('%s', (file) => {
  const english = englishOf(file);

  it('has the headings, code blocks, tables and names of the English page', () => {
    expect(existsSync(join(root, english)), english).toBe(true);
    expect(shapeOf(read(file))).toEqual(shapeOf(read(english)));
    expect(namesIn(read(file))).toEqual(namesIn(read(english)));
  });

  it('links to the Chinese page where there is one', () => {
    const links = Array.from(read(file).matchAll(/\]\(([^)#\s]+\.md)/g), ([, link]) => link!);
    const inEnglish = links
      .map((link) => posix.join(posix.dirname(file), link))
      .filter((target) => target.startsWith('docs/') && !target.startsWith('docs/zh/'));
    expect(inEnglish.filter((target) => chinese.includes(target.replace('docs/', 'docs/zh/')))).toEqual([]);
  });
});

/** Text outside code, as a reader sees it. */
const proseOf = (text: string): string =>
  text.replaceAll(/^ *```[\s\S]*?^ *```$|<!--[^>]*-->|`[^`]*`|\]\([^)]*\)/gm, ' ');

it.each(chinese)('%s: uses the words and marks of the console', (file) => {
  const found = proseOf(read(file)).match(
    /你(?!好)|[「」]|通道|帐户|\p{Script=Han}[A-Za-z0-9]|[A-Za-z0-9]\p{Script=Han}/gu,
  );
  expect(found ?? []).toEqual([]);
});

const scripts = Object.keys((JSON.parse(read('package.json')) as { scripts: object }).scripts);
const shells = files.flatMap((file) =>
  Array.from(read(file).matchAll(/^( *)```sh\n([\s\S]*?)^\1```$/gm), ([, , code]) => [file, code!] as const),
);

it.each(shells)('%s: a shell reads %j, and it names scripts that exist', (_file, code) => {
  // A place for a word of the reader, such as <folder>, is one word.
  const checked = spawnSync('bash', ['-n'], { input: code.replaceAll(/<[a-z ]+>/g, 'x'), encoding: 'utf8' });
  expect(checked).toMatchObject({ status: 0, stderr: '' });
  const named = Array.from(code.matchAll(/npm run (?:--\S+ )*([a-z:-]+)/g), ([, name]) => name!);
  expect(named.filter((name) => !scripts.includes(name))).toEqual([]);
});
