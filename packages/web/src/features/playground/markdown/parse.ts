import { Marked, type Token, type TokensList } from 'marked';

const escapes: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (mark) => escapes[mark] ?? mark);

/** A formula, in the marks of LaTeX. A dollar between digits or before a blank is money. */
const formula = /^(?:\\\([\s\S]+?\\\)|\\\[[\s\S]+?\\\]|\$\$[^$]+\$\$|\$(?![\s\d])[^$\n]*[^$\s]\$(?!\d))/;

/**
 * Markdown of models. Formulas are shown as they were written: Markdown would remove their backslashes. HTML is shown as
 * text, because a model must not write markup here, and a remote image becomes a link: fetching it could send parts of
 * the answer to its host.
 */
const markdown = new Marked({
  gfm: true,
  breaks: true,
  extensions: [
    {
      name: 'formula',
      level: 'inline',
      start: (text) => /\\[([]|\$/.exec(text)?.index,
      tokenizer(text) {
        const raw = formula.exec(text)?.[0];
        return raw === undefined ? undefined : { type: 'formula', raw };
      },
      renderer: ({ raw }) => escapeHtml(raw),
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

/** The blocks of a text; what is still being written parses as far as it goes. */
export const blocksOf = (source: string): TokensList => markdown.lexer(source);

/** One block as HTML, not yet cleaned. */
export const htmlOf = (token: Token): string => markdown.parser([token]);
