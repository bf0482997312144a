import { Button } from '@mantine/core';
import type { UserData } from '@tollgate/contract';
import { useStatus, type Status } from '../../../lib/api/status.ts';
import { useSay, type Text } from '../../../lib/i18n.ts';
import { openLate } from '../../../shared/dialog/open-late.ts';
import { Dot } from '../../../ui/dot.tsx';
import { Panel } from '../../../ui/panel.tsx';
import classes from '../base/personal.module.css';
import { text } from '../base/text.ts';

interface Binding {
  name: Text | string;
  field: 'email' | 'github_id' | 'oidc_id' | 'linux_do_id' | 'wechat_id' | 'telegram_id';
  /** Whether this site offers it. */
  isOffered: (status: Status) => boolean;
}

const bindings: readonly Binding[] = [
  { name: text.email, field: 'email', isOffered: () => true },
  { name: 'GitHub', field: 'github_id', isOffered: (status) => status.github_oauth },
  { name: 'OIDC', field: 'oidc_id', isOffered: (status) => status.oidc_enabled },
  { name: 'LinuxDO', field: 'linux_do_id', isOffered: (status) => status.linuxdo_oauth },
  { name: text.wechat, field: 'wechat_id', isOffered: (status) => status.wechat_login },
  { name: 'Telegram', field: 'telegram_id', isOffered: (status) => status.telegram_oauth },
];

/** What the account is bound to; what this site does not offer is told of only where it is bound all the same. */
export function BindingsPanel({ self }: { self: UserData }) {
  const say = useSay();
  const status = useStatus();
  const shown = bindings.filter(
    ({ field, isOffered }) => self[field] !== '' || (status !== undefined && isOffered(status)),
  );
  return (
    <Panel title={say(text.bindings)}>
      <ul className={classes.list}>
        {shown.map(({ name, field }) => (
          <li key={field} className={classes.item}>
            <div className={classes.itemMain}>
              <div className={classes.itemName}>{typeof name === 'string' ? name : say(name)}</div>
              {self[field] !== '' && <p className={classes.quiet}>{self[field]}</p>}
            </div>
            {self[field] === '' ? (
              <Dot tone="idle">{say(text.notBound)}</Dot>
            ) : (
              <Dot tone="good">{say(text.bound)}</Dot>
            )}
            {field === 'email' && <EmailButton isBound={self.email !== ''} />}
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function EmailButton({ isBound }: { isBound: boolean }) {
  const say = useSay();
  const name = say(isBound ? text.changeEmail : text.bindEmail);
  const open = () =>
    openLate({
      title: name,
      body: async (close) => {
        const { BindEmail } = await import('./bind-email.tsx');
        return <BindEmail onClose={close} />;
      },
    });
  return (
    <Button size="xs" variant="default" onClick={() => void open()}>
      {name}
    </Button>
  );
}
