import { Button } from '@mantine/core';
import { useTranslate } from '../../../lib/i18n.ts';
import { openLazyDialog } from '../../../shared/dialog/open-lazy-dialog.ts';
import { toast } from '../../../shared/feedback/toast.ts';
import { startBind, useUnbind } from '../base/queries.ts';
import { text } from '../base/text.ts';

interface SiteButtonProps {
  /** The sign-in method, as in addresses. */
  id: string;
  /** Display name of the site. */
  name: string;
  isBound: boolean;
  hasPassword: boolean;
}

/** Binds another site to the account or unbinds it; both ask for the password. */
export function SiteButton(props: SiteButtonProps) {
  return props.isBound ? <UnbindButton {...props} /> : <BindButton {...props} />;
}

function BindButton({ id, name, hasPassword }: SiteButtonProps) {
  const t = useTranslate();
  const title = t(text.bindSite, { name });
  const open = () =>
    openLazyDialog({
      title,
      body: async (close) => {
        if (id === 'wechat') {
          const { BindWechat } = await import('./bind-by-code.tsx');
          return <BindWechat hasPassword={hasPassword} onClose={close} />;
        }
        const { AskPassword } = await import('./ask-password.tsx');
        return (
          <AskPassword
            body={t(text.bindSiteBody, { name })}
            action={t(text.bind)}
            hasPassword={hasPassword}
            run={(password) => startBind(id, password)}
            onClose={close}
          />
        );
      },
    });
  return (
    <Button size="xs" variant="default" aria-label={title} onClick={() => void open()}>
      {t(text.bind)}
    </Button>
  );
}

function UnbindButton({ id, name, hasPassword }: SiteButtonProps) {
  const t = useTranslate();
  const title = t(text.unbindSite, { name });
  const unbind = useUnbind(() => toast.good(t(text.unboundDone)));
  const open = () =>
    openLazyDialog({
      title,
      body: async (close) => {
        const { AskPassword } = await import('./ask-password.tsx');
        return (
          <AskPassword
            body={t(text.unbindBody, { name })}
            action={t(text.unbind)}
            danger
            hasPassword={hasPassword}
            run={(password) => unbind.mutateAsync({ provider: id, password })}
            onClose={close}
          />
        );
      },
    });
  return (
    <Button size="xs" variant="default" aria-label={title} onClick={() => void open()}>
      {t(text.unbind)}
    </Button>
  );
}
