import type { Tokens } from 'marked';
import { createElement, memo, type ReactNode, useEffect, useMemo, useState } from 'react';
import { RichHtml } from '../../../shared/rich-html/rich-html.tsx';
import classes from './markdown.module.css';
import { Marked, type Token, type TokensList } from 'marked';
import { texts, useTranslate } from '../../../lib/i18n.ts';
import { CopyButton } from '../../../shared/copy/copy-button.tsx';
import type { HighlightedCode } from './highlighted-code.tsx';

/** Above this many characters colours cost more than they help. */
const maxLength = 40_000;

let arrived: typeof HighlightedCode | null = null;
let arriving: Promise<typeof HighlightedCode> | null = null;

/** Fetches the highlighter with the first code that wants it. */
async function fetchColours(): Promise<typeof HighlightedCode> {
  arriving ??= import('./highlighted-code.tsx').then((module) => module.HighlightedCode);
  arrived = await arriving;
  return arrived;
}

/** The code with colours; null while the highlighter comes, and for code without a language. */
function useHighlightedCode(code: string, language: string): ReactNode {
  const [loaded, setLoaded] = useState(() => arrived);
  const wanted = language !== '' && code.length <= maxLength;
  useEffect(() => {
    if (!wanted || loaded) return;
    let gone = false;
    // Without the highlighter code stays plain.
    fetchColours().then(
      (component) => !gone && setLoaded(() => component),
      () => undefined,
    );
    return () => {
      gone = true;
    };
  }, [wanted, loaded]);
  return wanted && loaded ? createElement(loaded, { code, language }) : null;
}

const text = texts({
  copyCode: { zh: '代码', en: 'code' },
  codeOf: { zh: '代码', en: 'Code' },
});

interface CodeFenceProps {
  code: string;
  /** What stood behind the fence; '' for nothing. */
  language: string;
}

/** Code with its language, a button to copy it, and colours once they are there. */
function CodeFence({ code, language }: CodeFenceProps) {
  const t = useTranslate();
  const name = language.split(/[\s,{]/)[0] ?? '';
  const coloured = useHighlightedCode(code, name);
  return (
    <div className={classes.fence}>
      <div className={classes.fenceHead}>
        <span>{name || t(text.codeOf)}</span>
        <CopyButton value={code} what={t(text.copyCode)} size="xs" />
      </div>
      {/* Long lines scroll, so the frame must take the focus for the arrow keys. */}
      <div className={classes.fenceBody} tabIndex={0} role="group" aria-label={name || t(text.codeOf)}>
        {coloured ?? <code>{code}</code>}
      </div>
    </div>
  );
}

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

/**
 * An answer as it grows. It is rendered block by block, and a block that did not change is left alone: nothing flickers,
 * what is selected stays selected, and long answers stay quick.
 */
export const Markdown = memo(function Markdown({ source }: { source: string }) {
  const blocks = useMemo(() => blocksOf(source), [source]);
  // A link definition further down may change the text above.
  const links = Object.keys(blocks.links).length;
  return (
    <div className={classes.text}>
      <Blocks tokens={blocks} links={links} />
    </div>
  );
});

interface BlockProps {
  token: Token;
  /** How many link definitions the text has. */
  links: number;
}

function Blocks({ tokens, links }: { tokens: readonly Token[]; links: number }) {
  // Blocks are only ever added at the end, so their place is their name.
  return tokens.map((token, index) => <Block key={index} token={token} links={links} />);
}

const isList = (token: Token): token is Tokens.List => token.type === 'list';
const isQuote = (token: Token): token is Tokens.Blockquote => token.type === 'blockquote';
const isCode = (token: Token): token is Tokens.Code => token.type === 'code';

const Block = memo(
  function Block({ token, links }: BlockProps) {
    if (token.type === 'space' || token.type === 'def') return null;
    if (isCode(token)) return <CodeFence code={token.text} language={token.lang ?? ''} />;
    if (isList(token)) return <List list={token} links={links} />;
    if (isQuote(token))
      return (
        <blockquote>
          <Blocks tokens={token.tokens} links={links} />
        </blockquote>
      );
    const html = <RichHtml html={htmlOf(token)} />;
    return token.type === 'table' ? <div className={classes.wide}>{html}</div> : html;
  },
  (one, two) =>
    one.token.raw === two.token.raw && one.token.type === two.token.type && one.links === two.links,
);

function List({ list, links }: { list: Tokens.List; links: number }) {
  const items = list.items.map((item, index) => (
    <li key={index} data-task={item.task || undefined}>
      <Blocks tokens={item.tokens} links={links} />
    </li>
  ));
  return list.ordered ? <ol start={list.start === '' ? 1 : list.start}>{items}</ol> : <ul>{items}</ul>;
}
