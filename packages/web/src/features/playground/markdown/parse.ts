import { Marked, type Token, type TokensList } from 'marked';

const escapes: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (mark) => escapes[mark] ?? mark);

/**
 * Markdown of models. HTML is shown as text, because a model must not write markup here, and a remote image becomes a
 * link: fetching it could send parts of the answer to its host.
 */
const markdown = new Marked({
  gfm: true,
  breaks: true,
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
