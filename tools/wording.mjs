// Wording rules of the console: one dash for a missing value, one kind of quotation mark, plurals for counts, and in
// Chinese one form of address and one word for each thing; the line under a title is a sentence. Read by check-shape.mjs.

/** Only this file names the dash for a missing value. */
const homeOfNothing = 'packages/web/src/lib/format/nothing.ts';

/** A dash as the entire displayed text: `?? '—'`, `return '-'`, `>–<`, or a line of markup. */
const loneDash = /(?:\?|\s:|return|\|\|)\s*'[-－]'(?!\s*:)|'[–—]'|>\s*[-–—]\s*<|^\s*[–—]\s*$/m;

/** [fault in a text of this language, correction]. */
const rules = {
  zh: [
    [/你(?!好|是一个)/, '您'],
    [/[「」]/, '“…”'],
    [/通道/, '渠道'],
    [/[\p{Script=Han}][A-Za-z0-9]|[A-Za-z0-9][\p{Script=Han}]/u, 'a space between the scripts'],
    [/(?<![\w_<#.-])(?:tokens|token|Tokens)(?![\w_:=-])/, 'Token'],
  ],
  en: [
    [/"/, '“…”'],
    [/\{count\} (?:[a-z]+ )?[a-z]+s\b(?!\/)/, '{ one, other }'],
  ],
};

const literal = /\b(zh|en):\s+(?:'((?:\\.|[^'\\\n])*)'|`((?:\\.|[^`\\])*)`|"((?:\\.|[^"\\\n])*)")/g;

/** The line under the title of a page, of a part or of an empty list. */
const underTitle =
  /^\s+(?:hint|hintAll|hintOwn|emptyHint):\s*\{\s*zh:\s*'((?:\\.|[^'])*)',\s*en:\s*'((?:\\.|[^'])*)'/gm;

function openEnded(file, source) {
  const lines = [...source.matchAll(underTitle)].flatMap(([, zh, en]) => [zh, en]);
  return lines
    .filter((words) => !/[.?!…。？！]$/.test(words))
    .map((words) => `${file}: "${words}" stands under a title and ends without a full stop`);
}

/** Wording faults of one source file of the console, one line for each. */
export function wordingProblems(file, source) {
  const problems = openEnded(file, source);
  if (file !== homeOfNothing && loneDash.test(source))
    problems.push(
      `${file}: shows a dash of its own (${loneDash.exec(source)[0].trim()}); use nothing of lib/format`,
    );
  for (const [, language, ...quoted] of source.matchAll(literal)) {
    const words = quoted.find((each) => each !== undefined) ?? '';
    for (const [wrong, better] of rules[language]) {
      const found = wrong.exec(words)?.[0];
      if (found) problems.push(`${file}: says "${found}" in "${words}" (better: ${better})`);
    }
  }
  return problems;
}
