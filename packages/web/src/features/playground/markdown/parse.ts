import { Marked, type Token, type TokensList } from 'marked';

const escapes: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (mark) => escapes[mark] ?? mark);

/** A formula in LaTeX delimiters. A dollar sign between digits or before a blank is money. */
const formula = /\\\([\s\S]+?\\\)|\\\[[\s\S]+?\\\]|\$\$[^$]+\$\$|\$(?![\s\d])[^$\n]*[^$\s]\$(?!\d)/;
const formulaHere = new RegExp(`^(?:${formula.source})`);
/** A formula that begins and ends a line: lists or headings inside it are part of the formula. */
const formulaBlock = /^(?:\\\[[\s\S]+?\\\]|\$\$[^$]+\$\$)[ \t]*(?:\n+|$)/;

/** Whether a text may contain formulas. */
export const hasFormula = (raw: string): boolean => formula.test(raw);

/** HTML of a formula from its TeX; as a block with `display`. */
export type DrawFormula = (tex: string, display: boolean) => string;

/** A formula without its delimiters. */
function drawn(raw: string, draw: DrawFormula): string {
  const written = raw.trim();
  const marks = /^(?:\$\$|\\)/.test(written) ? 2 : 1;
  return draw(written.slice(marks, -marks), /^(?:\$\$|\\\[)/.test(written));
}

/**
 * Markdown of models. Formulas are parsed first, because Markdown would remove their backslashes. HTML is shown as text,
 * because a model must not write markup here. A remote image becomes a link: a fetch could send parts of the answer to
 * its host. Without `draw` formulas are shown as text.
 */
const markdownOf = (draw?: DrawFormula) =>
  new Marked({
    gfm: true,
    breaks: true,
    extensions: [
      {
        name: 'formula',
        level: 'inline',
        start: (text) => /\\[([]|\$/.exec(text)?.index,
        tokenizer(text) {
          const raw = formulaHere.exec(text)?.[0];
          return raw === undefined ? undefined : { type: 'formula', raw };
        },
        renderer: ({ raw }) => (draw ? drawn(raw, draw) : escapeHtml(raw)),
      },
      {
        name: 'formulaBlock',
        level: 'block',
        start: (text) => /^(?:\\\[|\$\$)/m.exec(text)?.index,
        tokenizer(text) {
          const raw = formulaBlock.exec(text)?.[0];
          return raw === undefined ? undefined : { type: 'formulaBlock', raw };
        },
        renderer: ({ raw }) => `<p>${draw ? drawn(raw, draw) : escapeHtml(raw.trim())}</p>`,
      },
    ],
    renderer: {
      html: ({ text }) => escapeHtml(text),
      checkbox: ({ checked }) => (checked ? '☑ ' : '☐ '),
      image: ({ href, text }) =>
        href.startsWith('data:image/')
          ? `<img src="${escapeHtml(href)}" alt="${escapeHtml(text)}">`
          : `<a href="${escapeHtml(href)}">${escapeHtml(text || href)}</a>`,
    },
  });

const markdown = markdownOf();

/** The blocks of a text; incomplete text is parsed as far as possible. */
export const blocksOf = (source: string): TokensList => markdown.lexer(source);

/** One block as HTML, not yet sanitised. */
export const htmlOf = (token: Token): string => markdown.parser([token]);

/** `htmlOf` with drawn formulas. */
export function withFormulas(draw: DrawFormula): typeof htmlOf {
  const drawing = markdownOf(draw);
  return (token) => drawing.parser([token]);
}
