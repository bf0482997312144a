import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import type { Language } from '../packages/contract/src/words.ts';
import { groups, otherPages, type PageGroup, referencePage } from './pages.ts';
import { referenceText } from './reference.ts';

const root = join(import.meta.dirname, '..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');

/** A page of the site in one language. */
export interface SitePage {
  /** Path on the site without `.md`: `how-to/deploy`, `zh/how-to/deploy`. */
  path: string;
  language: Language;
  title: string;
  /** File of the repository; undefined for pages that the build makes. */
  source: string | undefined;
  /** Text of its Markdown twin, with links of the site. */
  text: string;
  /** False for a Chinese page that only names its English page. */
  isWritten: boolean;
}

/** The groups of the menu; the last has every decision. */
export const menu: readonly PageGroup[] = [
  ...groups,
  {
    title: { en: 'Decisions', zh: '决策' },
    pages: globSync('docs/decisions/*.md', { cwd: root })
      .filter((file) => !file.includes('0000-'))
      .map((file) => normalize(file).replaceAll('\\', '/').slice('docs/'.length, -'.md'.length))
      .toSorted((one, other) => one.localeCompare(other)),
  },
];

const prefixOf = (language: Language) => (language === 'zh' ? 'zh/' : '');

/** File of a page's text, whether it is there or not; undefined for the reference. */
function sourceOf(page: string, language: Language): string | undefined {
  if (page === referencePage) return undefined;
  if (language === 'en') return otherPages[page] ?? `docs/${page}.md`;
  return `docs/zh/${page === 'index' ? 'README' : page}.md`;
}

/** File of the repository → path of its page. */
const placeOfFile = new Map(
  (['en', 'zh'] as const).flatMap((language) =>
    menu
      .flatMap(({ pages }) => pages)
      .map((page) => [sourceOf(page, language), prefixOf(language) + page] as const),
  ),
);

/** Applies a change to the text outside code blocks. */
const changeProse = (text: string, change: (prose: string) => string): string =>
  text
    .split(/(^ *```[^\n]*\n[\s\S]*?^ *```$)/m)
    .map((part, index) => (index % 2 === 0 ? change(part) : part))
    .join('');

const titleOf = (text: string): string => /^# (.+)$/m.exec(text)![1]!;

/** Path of a file as seen from a page. */
function linkFrom(page: string, target: string): string {
  const path = relative(dirname(page), target).replaceAll('\\', '/');
  return path.startsWith('.') ? path : `./${path}`;
}

/**
 * Rewrites the links of a file to those of its page. Links to other files of the repository lead to `sourceUrl`; without it
 * only their text remains. Throws for a link to a file that is not there.
 */
function resolveLinks(text: string, source: string, place: string, sourceUrl: string): string {
  return changeProse(text, (prose) =>
    prose.replace(/(!?\[(?:[^\][]|\[[^\]]*\])*\])\(([^)\s]+)\)/g, (whole, label: string, target: string) => {
      if (/^(?:[a-z]+:|#)/.test(target)) return whole;
      const [path = '', hash = ''] = target.split(/(?=#)/);
      const file = normalize(join(dirname(source), path)).replaceAll('\\', '/');
      const page = placeOfFile.get(file);
      if (page !== undefined) {
        const isForeign = place.startsWith('zh/') && !page.startsWith('zh/');
        return `${label}(${linkFrom(place, `${page}.md`)}${hash})${isForeign ? '（英文）' : ''}`;
      }
      if (!existsSync(join(root, file))) throw new Error(`${source}: links to ${target}, which is not there`);
      if (file.startsWith('docs/images/')) return `${label}(${linkFrom(place, file.slice('docs/'.length))})`;
      return sourceUrl === '' ? label.slice(1, -1) : `${label}(${sourceUrl}/${file}${hash})`;
    }),
  );
}

/** The text that stands in for a page that is not translated. */
const stub = (page: string, title: string) =>
  `# ${title}\n\n本页还没有中文版，请看[英文版](${linkFrom(`zh/${page}`, `${page}.md`)})。\n`;

function readPage(page: string, language: Language, sourceUrl: string): SitePage {
  const path = prefixOf(language) + page;
  const source = sourceOf(page, language);
  if (source === undefined) {
    const text = referenceText(language);
    return { path, language, title: titleOf(text), source, text, isWritten: true };
  }
  if (!existsSync(join(root, source)) && language === 'zh') {
    const title = titleOf(read(sourceOf(page, 'en')!));
    return { path, language, title, source: undefined, text: stub(page, title), isWritten: false };
  }
  const text = read(source);
  return {
    path,
    language,
    title: titleOf(text),
    source,
    text: resolveLinks(text, source, path, sourceUrl),
    isWritten: true,
  };
}

/**
 * All pages, in the order of the menu.
 *
 * @param sourceUrl - address of the repository's files, without a trailing slash; '' if it has none
 */
export const readPages = (sourceUrl: string): SitePage[] =>
  (['en', 'zh'] as const).flatMap((language) =>
    menu.flatMap(({ pages }) => pages.map((page) => readPage(page, language, sourceUrl))),
  );

/** Anchors of the headings of a text, as code hosts derive them. */
export function anchorsOf(text: string): string[] {
  const seen = new Map<string, number>();
  const anchors: string[] = [];
  changeProse(text, (prose) => {
    for (const [, words = ''] of prose.matchAll(/^#+ (.+)$/gm)) {
      const anchor = words
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-');
      const count = seen.get(anchor) ?? 0;
      seen.set(anchor, count + 1);
      anchors.push(count === 0 ? anchor : `${anchor}-${count}`);
    }
    return prose;
  });
  return anchors;
}

/** The text for the generator: headings have the given anchors, which are those of the English page in both languages. */
export function withAnchors(text: string, anchors: readonly string[]): string {
  const waiting = anchors.values();
  return changeProse(text, (prose) =>
    prose.replaceAll(/^#+ .+$/gm, (heading) => {
      const { value, done } = waiting.next();
      return done ? heading : `${heading} {#${value}}`;
    }),
  );
}
