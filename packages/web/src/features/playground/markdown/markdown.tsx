import type { Token, Tokens } from 'marked';
import { memo, useMemo } from 'react';
import { texts, useTranslate } from '../../../lib/i18n.ts';
import { RichHtml } from '../../../shared/rich-html/rich-html.tsx';
import { CodeFence } from './code-fence.tsx';
import classes from './markdown.module.css';
import { blocksOf, hasFormula, htmlOf } from './parse.ts';
import { useOnDemand } from './use-on-demand.ts';

const text = texts({ table: { zh: '表格', en: 'Table' } });

/**
 * A growing answer. It is rendered block by block, and an unchanged block is not rendered again: there is no flicker,
 * selections stay, and long answers stay fast.
 */
export const Markdown = memo(function Markdown({ source }: { source: string }) {
  const blocks = useMemo(() => blocksOf(source), [source]);
  // A later link definition may change the text above it.
  const links = Object.keys(blocks.links).length;
  return (
    <div className={classes.text}>
      <Blocks tokens={blocks} links={links} />
    </div>
  );
});

interface BlockProps {
  token: Token;
  /** Number of link definitions in the text. */
  links: number;
}

function Blocks({ tokens, links }: { tokens: readonly Token[]; links: number }) {
  // Blocks are only appended, so their index is their key.
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
    return <Html token={token} />;
  },
  (one, two) =>
    one.token.raw === two.token.raw && one.token.type === two.token.type && one.links === two.links,
);

const loadFormulas = async () => (await import('./formulas.ts')).htmlWithFormulas;

/** A block without nested blocks. Without the library formulas stay as text. */
function Html({ token }: { token: Token }) {
  const t = useTranslate();
  const drawn = useOnDemand(loadFormulas, hasFormula(token.raw));
  const html = <RichHtml html={(drawn ?? htmlOf)(token)} math={drawn !== null} />;
  if (token.type !== 'table') return html;
  return (
    // Wide tables scroll, so the frame must be focusable for the arrow keys.
    <div className={classes.wide} tabIndex={0} role="group" aria-label={t(text.table)}>
      {html}
    </div>
  );
}

function List({ list, links }: { list: Tokens.List; links: number }) {
  const items = list.items.map((item, index) => (
    <li key={index} data-task={item.task || undefined}>
      <Blocks tokens={item.tokens} links={links} />
    </li>
  ));
  return list.ordered ? <ol start={list.start === '' ? 1 : list.start}>{items}</ol> : <ul>{items}</ul>;
}
