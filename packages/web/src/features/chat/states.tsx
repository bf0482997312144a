import { Button, Loader } from '@mantine/core';
import { Link, useNavigate } from '@tanstack/react-router';
import { KeyRound, Link2Off, MessagesSquare } from 'lucide-react';
import { useEffect } from 'react';
import { useTranslate } from '../../lib/i18n.ts';
import { SecretField } from '../../shared/copy/secret-field.tsx';
import { LoadError } from '../../shared/state/load-error.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import classes from './chat.module.css';
import type { ChatLink } from './links.ts';
import { text } from './text.ts';
import type { ChatState } from './use-chat-target.ts';

/** All states other than a valid link, with the reason and the next step. */
export function ChatEmptyState({ state }: { state: Exclude<ChatState, { kind: 'open' }> }) {
  const t = useTranslate();
  switch (state.kind) {
    case 'loading':
      return <Waiting />;
    case 'error':
      return <LoadError error={state.error} onRetry={state.retry} />;
    case 'choose':
      return <Choices links={state.links} />;
    case 'no-links':
      return (
        <EmptyState
          icon={<MessagesSquare size={20} />}
          title={t(text.noLinks)}
          hint={t(text.noLinksHint)}
          action={
            <Button component={Link} to="/playground">
              {t(text.toPlayground)}
            </Button>
          }
        />
      );
    case 'no-such-link':
      return <BadLink title={t(text.noSuchLink)} />;
    case 'no-token':
      return <NoToken />;
    case 'hash-only':
      return (
        <EmptyState icon={<KeyRound size={20} />} title={t(text.hashOnly)} hint={t(text.hashOnlyHint)} />
      );
  }
}

/** Time to read the reason before the tokens are shown, in ms. */
const readMs = 1500;

/** Without a usable token the link opens the tokens. */
function NoToken() {
  const t = useTranslate();
  const navigate = useNavigate();
  useEffect(() => {
    const timer = setTimeout(() => void navigate({ to: '/token', replace: true }), readMs);
    return () => clearTimeout(timer);
  }, [navigate]);
  return <EmptyState icon={<KeyRound size={20} />} title={t(text.noToken)} hint={t(text.noTokenHint)} />;
}

/** While links and key load. */
export function Waiting() {
  const t = useTranslate();
  return (
    <div className={classes.waiting} role="status">
      <Loader size="sm" />
      {t(text.loading)}
    </div>
  );
}

/** An invalid link. */
export function BadLink({ title, hint }: { title: string; hint?: string }) {
  const t = useTranslate();
  return (
    <EmptyState
      icon={<Link2Off size={20} />}
      title={title}
      hint={hint}
      action={
        <Button component={Link} to="/chat" variant="default">
          {t(text.allLinks)}
        </Button>
      }
    />
  );
}

/** Values to enter in a program on the device. */
export function AppLink({ name, address, apiKey }: { name: string; address: string; apiKey: string }) {
  const t = useTranslate();
  return (
    <div className={classes.app}>
      <EmptyState
        icon={<MessagesSquare size={20} />}
        title={t(text.appLink)}
        hint={t(text.appLinkHint, { name })}
      />
      <SecretField label={t(text.address)} value={address} open />
      <SecretField label={t(text.key)} value={apiKey} />
    </div>
  );
}

function Choices({ links }: { links: readonly ChatLink[] }) {
  const t = useTranslate();
  return (
    <div className={classes.choices}>
      <p className={classes.hint}>{t(text.chooseHint)}</p>
      <ul className={classes.list}>
        {links.map(({ index, name, template }) => (
          <li key={index}>
            <Link to={`/chat/${index}`} className={classes.choice}>
              <MessagesSquare size={18} aria-hidden="true" />
              <span>
                <span className={classes.name}>{name}</span>
                <span className={classes.host}>{hostOf(template)}</span>
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** The target of a link, shown to the user before the key is sent there. */
const hostOf = (template: string): string =>
  /^https?:\/\/([^/?#]+)/i.exec(template)?.[1] ?? /^\w+:/.exec(template)?.[0] ?? '';
