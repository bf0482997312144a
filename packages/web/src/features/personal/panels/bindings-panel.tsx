import { Button } from '@mantine/core';
import type { UserData } from '@tollgate/contract';
import { Mail } from 'lucide-react';
import { useStatus } from '../../../lib/api/status.ts';
import { useTranslate } from '../../../lib/i18n.ts';
import { openLazyDialog } from '../../../shared/dialog/open-lazy-dialog.ts';
import { Dot } from '../../../ui/dot.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { SiteMark } from '../../../ui/site-mark.tsx';
import classes from '../base/personal.module.css';
import { text } from '../base/text.ts';
import { type Binding, bindingsOf } from '../rules/bindings.ts';
import { asksPassword } from '../rules/password.ts';
import { SiteButton } from './site-button.tsx';

/** Bindings of the account, and sites to bind. */
export function BindingsPanel({ self }: { self: UserData }) {
  const t = useTranslate();
  const status = useStatus();
  return (
    <Panel title={t(text.bindings)}>
      <ul className={classes.list}>
        {bindingsOf(self, status).map((binding) => (
          <BindingRow
            key={binding.id}
            binding={binding}
            self={self}
            isOpen={status === undefined || binding.isOffered(status)}
          />
        ))}
      </ul>
    </Panel>
  );
}

interface BindingRowProps {
  binding: Binding;
  self: UserData;
  /** False for a bound provider that the site no longer offers. */
  isOpen: boolean;
}

function BindingRow({ binding: { id, name, logo, subject }, self, isOpen }: BindingRowProps) {
  const t = useTranslate();
  const words = typeof name === 'string' ? name : t(name);
  const bound = subject(self);
  return (
    <li className={classes.item}>
      <span className={classes.mark}>
        {id === 'email' ? <Mail size={18} aria-hidden="true" /> : <SiteMark id={id} logo={logo} />}
      </span>
      <div className={classes.itemMain}>
        <div className={classes.itemName}>{words}</div>
        {bound !== '' && bound !== id && <p className={classes.quiet}>{bound}</p>}
        {!isOpen && <p className={classes.quiet}>{t(text.siteClosed)}</p>}
      </div>
      {bound === '' ? (
        <span className={classes.unbound}>
          <Dot tone="idle">{t(text.notBound)}</Dot>
        </span>
      ) : (
        <Dot tone={isOpen ? 'good' : 'warn'}>{t(text.bound)}</Dot>
      )}
      {id === 'email' ? (
        <EmailButton self={self} />
      ) : (
        <SiteButton id={id} name={words} isBound={bound !== ''} hasPassword={asksPassword(self)} />
      )}
    </li>
  );
}

function EmailButton({ self }: { self: UserData }) {
  const t = useTranslate();
  const name = t(self.email === '' ? text.bindEmail : text.changeEmail);
  const open = () =>
    openLazyDialog({
      title: name,
      body: async (close) => {
        const { BindEmail } = await import('./bind-by-code.tsx');
        return <BindEmail hasPassword={asksPassword(self)} onClose={close} />;
      },
    });
  return (
    <Button size="xs" variant="default" onClick={() => void open()}>
      {name}
    </Button>
  );
}
