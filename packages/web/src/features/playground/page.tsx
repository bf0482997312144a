import { useCurrentUser } from '../../lib/session.ts';
import { useDisclosure, useMediaQuery } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { modelKindOf } from '@tollgate/contract';
import { Suspense, useEffect, useState, type ReactNode } from 'react';
import { useTranslate } from '../../lib/i18n.ts';
import { lazy } from '../../lib/lazy.ts';
import type { StoredUser } from '../../lib/storage.ts';
import { useConfirm } from '../../shared/confirm/use-confirm.tsx';
import { selfQuery } from '../../shared/self.ts';
import { chatOf, type Chat } from './conversation/chat.ts';
import { Composer } from './composer/composer.tsx';
import { costOf } from './conversation/conversation.ts';
import { Head } from './head.tsx';
import classes from './playground.module.css';
import { SidePanel } from './settings/side-panel.tsx';
import { text } from './base/text.ts';
import { Thread } from './thread/thread.tsx';
import { type Offer, useChoice } from './settings/use-choice.ts';
import { LazyMount } from '../../shared/lazy/lazy-mount.tsx';

const PanelSheet = lazy(async () => ({ default: (await import('./panel-sheet.tsx')).PanelSheet }));
const RawDrawer = lazy(async () => ({ default: (await import('./raw-drawer.tsx')).RawDrawer }));

/** Users who only chat do not need it. */
const Studio = lazy(async () => ({ default: (await import('./studio/studio.tsx')).Studio }));

/** Below this width the panel is above the conversation instead of beside it. */
const narrowQuery = '(width < 900px)';

export function Playground({ user }: { user: StoredUser }) {
  const t = useTranslate();
  const chat = chatOf(user.id);
  const messages = chat.messages.use();
  const running = chat.running.use();
  const offer = useChoice(user);
  const balance = useBalance(costOf(messages));
  const isNarrow = useMediaQuery(narrowQuery, undefined, { getInitialValueInEffect: false });
  const [panelShown, panel] = useDisclosure(!isNarrow);
  const [raw, setRaw] = useState<number | null>(null);
  useEscape(running !== null, chat.stop);

  const startOver = useStartOver(chat);
  const isChat = modelKindOf(offer.choice.model) === 'chat';

  return (
    <div className={classes.page} data-panel={(panelShown && !isNarrow) || undefined}>
      <section className={classes.chat} aria-label={t(text.title)}>
        <Head
          model={offer.choice.model}
          balance={balance}
          spent={costOf(messages)}
          isEmpty={messages.length === 0}
          isBusy={running !== null}
          isChat={isChat}
          panelShown={panelShown}
          onPanel={panel.toggle}
          onClear={chat.clearContext}
          onStartOver={() => void startOver()}
        />
        {isChat ? (
          <Conversation chat={chat} offer={offer} onRaw={setRaw} />
        ) : (
          <Suspense fallback={<div className={classes.gap} />}>
            <Studio userId={user.id} offer={offer} />
          </Suspense>
        )}
      </section>
      <PanelPlace isNarrow={isNarrow} opened={panelShown} onClose={panel.close}>
        <SidePanel offer={offer} ownGroup={user.group} isChat={isChat} />
      </PanelPlace>
      <LazyMount when={raw !== null}>
        <RawDrawer
          answer={messages.find((message) => message.id === raw)}
          exchange={raw === null ? undefined : chat.exchangeOf(raw)}
          onClose={() => setRaw(null)}
        />
      </LazyMount>
    </div>
  );
}

interface ConversationProps {
  chat: Chat;
  offer: Offer;
  onRaw: (id: number) => void;
}

/** The messages, and the composer below them. */
function Conversation({ chat, offer, onRaw }: ConversationProps) {
  const messages = chat.messages.use();
  const running = chat.running.use();
  const { choice } = offer;
  const ready = choice.model !== '';
  return (
    <>
      <Thread
        messages={messages}
        running={running}
        ready={ready}
        onIdea={(idea) => chat.send(idea, [], choice)}
        onRegenerate={(id) => chat.regenerate(id, choice)}
        onResend={(id, content, images) => chat.send(content, images, choice, id)}
        onRaw={onRaw}
      />
      <Composer
        ready={ready}
        isBusy={running !== null}
        onSend={(content, images) => chat.send(content, images, choice)}
        onStop={chat.stop}
      />
    </>
  );
}

/** Deletes the conversation after a confirmation. */
function useStartOver(chat: Chat): () => Promise<void> {
  const t = useTranslate();
  const confirm = useConfirm();
  return async () => {
    const sure = await confirm({
      title: t(text.startOverTitle),
      body: t(text.startOverBody),
      action: t(text.startOver),
      danger: true,
      keeps: true,
    });
    if (sure) chat.startOver();
  };
}

interface PanelPlaceProps {
  isNarrow: boolean;
  opened: boolean;
  onClose: () => void;
  children: ReactNode;
}

/** Beside the conversation, or above it on a narrow screen. */
function PanelPlace({ isNarrow, opened, onClose, children }: PanelPlaceProps) {
  const t = useTranslate();
  if (isNarrow)
    return (
      <LazyMount when={opened}>
        <PanelSheet opened={opened} onClose={onClose}>
          {children}
        </PanelSheet>
      </LazyMount>
    );
  return (
    opened && (
      <aside className={classes.side} aria-label={t(text.panel)}>
        {children}
      </aside>
    )
  );
}

/** The balance in quota units, refetched whenever the conversation cost more. */
function useBalance(spent: number): number | undefined {
  const client = useQueryClient();
  const { data } = useQuery(selfQuery);
  useEffect(() => {
    if (spent > 0) void client.invalidateQueries({ queryKey: selfQuery.queryKey, exact: true });
  }, [client, spent]);
  return data?.quota;
}

/** Esc stops the answer, wherever the focus is; an open dialog uses the key for itself. */
function useEscape(active: boolean, stop: () => void): void {
  useEffect(() => {
    if (!active) return;
    const listen = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || event.isComposing || event.defaultPrevented) return;
      // Closed lists stay in the document.
      const above = [...document.querySelectorAll('[role="dialog"], [role="listbox"], [role="menu"]')];
      if (!above.some((layer) => layer.checkVisibility())) stop();
    };
    window.addEventListener('keydown', listen);
    return () => window.removeEventListener('keydown', listen);
  }, [active, stop]);
}

/** The playground; only logged-in users can open it. */
export function Page() {
  const user = useCurrentUser();
  return user && <Playground key={user.id} user={user} />;
}
