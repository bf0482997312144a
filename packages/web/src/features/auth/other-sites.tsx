import { Button, Divider, Stack } from '@mantine/core';
import type { SignInOutcome } from '@tollgate/contract';
import { errorMessage } from '../../lib/api/api-error.ts';
import { useStatus } from '../../lib/api/status.ts';
import { useLanguage, useTranslate } from '../../lib/i18n.ts';
import { openLazyDialog } from '../../shared/dialog/open-lazy-dialog.ts';
import { Notice } from '../../ui/notice.tsx';
import { SiteMark } from '../../ui/site-mark.tsx';
import classes from './auth-card.module.css';
import { safeNext, useAfterSignIn } from './after-sign-in.ts';
import { useStartSignIn } from './queries.ts';
import { type SignInMethod, signInMethods } from './sign-in-methods.ts';
import { text } from './text.ts';
import { saveReturnPath } from './return-path.ts';

interface OtherSitesProps {
  /** The invitation code of a new user; '' for none. */
  aff: string;
  /** The requested page; '' for none. */
  next: string;
}

/** Asks for the code of the official account in a dialog that closes by itself. */
const openWechat = (title: string, aff: string, goOn: (outcome: SignInOutcome) => void): Promise<void> =>
  openLazyDialog({
    title,
    body: async (close) => {
      const { WechatForm } = await import('./wechat-form.tsx');
      const onDone = (outcome: SignInOutcome) => {
        close();
        goOn(outcome);
      };
      return <WechatForm aff={aff} onDone={onDone} />;
    },
  });

/** More sites than this are shown in two columns, by name only. */
const manySites = 3;

/** A button for each external sign-in; hidden without any. */
export function OtherSites({ aff, next }: OtherSitesProps) {
  const t = useTranslate();
  const language = useLanguage();
  const status = useStatus();
  const goOn = useAfterSignIn();
  const start = useStartSignIn();
  const sites = status ? signInMethods(status, language) : [];
  if (sites.length === 0) return null;
  const open = ({ id }: SignInMethod) => {
    if (id === 'wechat') {
      void openWechat(t(text.wechatTitle), aff, (outcome) => goOn(outcome, safeNext(next, '/')));
      return;
    }
    saveReturnPath(next);
    start.mutate({ provider: id, aff });
  };
  return (
    <Stack gap="xs" mt="md">
      <Divider label={t(text.otherWays)} />
      {start.isError && (
        <Notice tone="bad" role="alert">
          {errorMessage(start.error, language)}
        </Notice>
      )}
      <div className={classes.sites} data-many={sites.length > manySites || undefined}>
        {sites.map((each) => (
          <Button
            key={each.id}
            variant="default"
            classNames={{ label: classes.siteName }}
            leftSection={<SiteMark id={each.id} logo={each.logo} />}
            aria-label={t(text.continueWith, { name: each.name })}
            title={each.name}
            loading={start.isPending && start.variables.provider === each.id}
            onClick={() => open(each)}
          >
            {sites.length > manySites ? each.name : t(text.continueWith, { name: each.name })}
          </Button>
        ))}
      </div>
    </Stack>
  );
}
