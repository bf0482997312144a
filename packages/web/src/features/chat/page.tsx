import { Button } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { ExternalLink } from 'lucide-react';
import { useCallback } from 'react';
import { useTranslate } from '../../lib/i18n.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import classes from './chat.module.css';
import { AppLink, BadLink, ChatEmptyState } from './states.tsx';
import { text } from './text.ts';
import { useChatTarget, type ChatState, type ChooseLink } from './use-chat-target.ts';

/**
 * A chat application of this site in a frame, with address and key filled in. Without a number in the address the only
 * application opens, or the user chooses.
 */
export function Page() {
  const t = useTranslate();
  const { id }: { id?: string } = useParams({ strict: false });
  const choose: ChooseLink = useCallback(
    (links) =>
      id === undefined
        ? links.length === 1
          ? links[0]
          : 'ask'
        : links.find((link) => String(link.index) === id),
    [id],
  );
  const state = useChatTarget(choose);
  if (state.kind === 'open') return <Opened state={state} />;
  return (
    <div className={classes.page}>
      <h1 className={classes.title}>{t(text.title)}</h1>
      <ChatEmptyState state={state} />
    </div>
  );
}

function Opened({ state }: { state: Extract<ChatState, { kind: 'open' }> }) {
  const t = useTranslate();
  const { link, target, address, key } = state;
  if (target.kind === 'web' && target.embeds) return <Framed name={link.name} url={target.url} />;
  return (
    <div className={classes.page}>
      <h1 className={classes.title}>{link.name}</h1>
      {target.kind === 'web' && (
        <EmptyState title={link.name} hint={t(text.ownTabHint)} action={<OwnTab url={target.url} />} />
      )}
      {target.kind === 'app' && <AppLink name={link.name} address={address} apiKey={key} />}
      {target.kind === 'bad' && <BadLink title={t(text.badLink)} hint={t(text.badLinkHint)} />}
    </div>
  );
}

function Framed({ name, url }: { name: string; url: string }) {
  const t = useTranslate();
  return (
    <div className={classes.whole}>
      <div className={classes.bar}>
        <h1 className={classes.title}>{name}</h1>
        <span className={classes.note}>{t(text.embedded)}</span>
        <OwnTab url={url} />
      </div>
      <iframe
        className={classes.frame}
        title={name}
        src={url}
        referrerPolicy="no-referrer"
        allow="clipboard-write; microphone; camera"
        // All permissions that a chat needs, without navigation of this page.
        sandbox="allow-scripts allow-same-origin allow-forms allow-modals allow-downloads allow-popups allow-popups-to-escape-sandbox"
      />
    </div>
  );
}

function OwnTab({ url }: { url: string }) {
  const t = useTranslate();
  return (
    <Button
      component="a"
      href={url}
      target="_blank"
      rel="noopener noreferrer"
      size="xs"
      variant="default"
      leftSection={<ExternalLink size={14} />}
    >
      {t(text.ownTab)}
    </Button>
  );
}
