import { Button } from '@mantine/core';
import type { UserData } from '@tollgate/contract';
import { useStatus, type Status } from '../../../lib/api/status.ts';
import { useSay, type Text } from '../../../lib/i18n.ts';
import { openLate } from '../../../shared/dialog/open-late.ts';
import { Dot } from '../../../ui/dot.tsx';
import { Panel } from '../../../ui/panel.tsx';
import classes from '../base/personal.module.css';
import { text } from '../base/text.ts';
import { SiteButton } from './site-button.tsx';

interface Binding {
  id: string;
  name: Text | string;
  /** What the account is called there; '' when it is not bound. */
  subject: (self: UserData) => string;
  /** Whether this site offers it. */
  isOffered: (status: Status) => boolean;
}

/** A site whose subject has no field of its own is known by its id alone. */
const isBound = (id: string) => (self: UserData) => (self.bindings.includes(id) ? id : '');

const bindings: readonly Binding[] = [
  { id: 'email', name: text.email, subject: (self) => self.email, isOffered: () => true },
  { id: 'github', name: 'GitHub', subject: (self) => self.github_id, isOffered: (site) => site.github_oauth },
  { id: 'oidc', name: 'OIDC', subject: (self) => self.oidc_id, isOffered: (site) => site.oidc_enabled },
  {
    id: 'linuxdo',
    name: 'LinuxDO',
    subject: (self) => self.linux_do_id,
    isOffered: (site) => site.linuxdo_oauth,
  },
  { id: 'discord', name: 'Discord', subject: isBound('discord'), isOffered: (site) => site.discord_oauth },
  {
    id: 'wechat',
    name: text.wechat,
    subject: (self) => self.wechat_id,
    isOffered: (site) => site.wechat_login,
  },
  {
    id: 'telegram',
    name: 'Telegram',
    subject: (self) => self.telegram_id,
    isOffered: (site) => site.telegram_oauth,
  },
];

/** What the account is bound to; what this site does not offer is told of only where it is bound all the same. */
export function BindingsPanel({ self }: { self: UserData }) {
  const say = useSay();
  const status = useStatus();
  const shown = bindings.filter(
    ({ subject, isOffered }) => subject(self) !== '' || (status !== undefined && isOffered(status)),
  );
  return (
    <Panel title={say(text.bindings)}>
      <ul className={classes.list}>
        {shown.map(({ id, name, subject }) => (
          <li key={id} className={classes.item}>
            <div className={classes.itemMain}>
              <div className={classes.itemName}>{typeof name === 'string' ? name : say(name)}</div>
              {subject(self) !== '' && subject(self) !== id && (
                <p className={classes.quiet}>{subject(self)}</p>
              )}
            </div>
            {subject(self) === '' ? (
              <Dot tone="idle">{say(text.notBound)}</Dot>
            ) : (
              <Dot tone="good">{say(text.bound)}</Dot>
            )}
            {id === 'email' ? (
              <EmailButton self={self} />
            ) : (
              <SiteButton
                id={id}
                name={typeof name === 'string' ? name : say(name)}
                isBound={subject(self) !== ''}
                hasPassword={self.has_password}
              />
            )}
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function EmailButton({ self }: { self: UserData }) {
  const say = useSay();
  const name = say(self.email === '' ? text.bindEmail : text.changeEmail);
  const open = () =>
    openLate({
      title: name,
      body: async (close) => {
        const { BindEmail } = await import('./bind-email.tsx');
        return <BindEmail hasPassword={self.has_password} onClose={close} />;
      },
    });
  return (
    <Button size="xs" variant="default" onClick={() => void open()}>
      {name}
    </Button>
  );
}
