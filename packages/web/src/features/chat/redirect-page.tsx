import { useEffect } from 'react';
import { useTranslate } from '../../lib/i18n.ts';
import classes from './chat.module.css';
import type { ChatLink } from './links.ts';
import { BadLink, ChatEmptyState, Waiting } from './states.tsx';
import { text } from './text.ts';
import { useChatTarget } from './use-chat-target.ts';

/** The first link that a browser can follow. */
const firstWebLink = (links: readonly ChatLink[]): ChatLink | undefined =>
  links.find(({ template }) => /^(?:https?:\/\/|\{address\})/i.test(template));

/** Redirects the browser to the first chat application of this site. */
export function Page() {
  const t = useTranslate();
  const state = useChatTarget(firstWebLink);
  const url = state.kind === 'open' && state.target.kind === 'web' ? state.target.url : null;
  useEffect(() => {
    // The Back button must not return to this page, which would redirect again.
    if (url !== null) window.location.replace(url);
  }, [url]);
  return (
    <div className={classes.page}>
      <h1 className={classes.title}>{t(text.title)}</h1>
      {state.kind !== 'open' ? (
        <ChatEmptyState state={state} />
      ) : url === null ? (
        <BadLink title={t(text.badLink)} hint={t(text.badLinkHint)} />
      ) : (
        <Waiting />
      )}
    </div>
  );
}
