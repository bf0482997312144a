import { Button, Skeleton, Stack } from '@mantine/core';
import { type AccessTokenData, role, type UserData } from '@tollgate/contract';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslate } from '../../../lib/i18n.ts';
import { useConfirm } from '../../../shared/confirm/use-confirm.tsx';
import { SecretField } from '../../../shared/copy/secret-field.tsx';
import { Time } from '../../../shared/date-time/time.tsx';
import { MutationButton } from '../../../shared/demo/mutation-button.tsx';
import { openLazyDialog } from '../../../shared/dialog/open-lazy-dialog.ts';
import { toast } from '../../../shared/feedback/toast.ts';
import { LazyInView } from '../../../shared/lazy/lazy-in-view.tsx';
import { LoadError } from '../../../shared/state/load-error.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { Tag } from '../../../ui/tag.tsx';
import classes from '../base/personal.module.css';
import { accessTokensQuery, useEndAccessToken, useMakeAccessToken } from '../base/queries.ts';
import { text } from '../base/text.ts';
import { asksPassword } from '../rules/password.ts';
import { scopeNames } from './scope-names.ts';

/** The tokens for the management API. A new token is not stored, so it is shown until the user leaves the page. */
export function AccessTokenPanel({ self }: { self: UserData }) {
  const t = useTranslate();
  const [token, setToken] = useState('');
  const make = useMakeAccessToken();
  const ask = () =>
    openLazyDialog({
      title: t(text.makeToken),
      body: async (close) => {
        const { NewAccessToken } = await import('./new-access-token.tsx');
        return (
          <NewAccessToken
            run={async (made, password) => setToken((await make.mutateAsync({ made, password })).token)}
            hasPassword={asksPassword(self)}
            isRoot={self.role >= role.root}
            onClose={close}
          />
        );
      },
    });
  return (
    <Panel
      title={t(text.accessToken)}
      actions={
        <Button size="xs" variant="default" onClick={() => void ask()}>
          {t(text.makeToken)}
        </Button>
      }
    >
      <Stack gap="md">
        <p className={classes.quiet}>{t(text.tokenHint)}</p>
        {token !== '' && (
          <>
            <Notice tone="good" role="status">
              {t(text.tokenMade, { id: self.id })}
            </Notice>
            <SecretField label={t(text.accessToken)} value={token} />
          </>
        )}
        <LazyInView height={listHeight} width="100%" ahead={0}>
          <TokenRows />
        </LazyInView>
      </Stack>
    </Panel>
  );
}

/** The height of one token, in px. */
const listHeight = 60;

function TokenRows() {
  const { data: tokens, error, refetch } = useQuery(accessTokensQuery);
  if (error) return <LoadError error={error} onRetry={refetch} />;
  if (tokens === undefined) return <Skeleton height={listHeight} />;
  return (
    <ul className={classes.list}>
      {tokens.map((each) => (
        <TokenRow key={each.id} token={each} />
      ))}
    </ul>
  );
}

function TokenRow({ token }: { token: AccessTokenData }) {
  const t = useTranslate();
  const confirm = useConfirm();
  const end = useEndAccessToken(() => toast.good(t(text.tokenEnded)));
  const name = token.name || t(text.tokenUnnamed);
  const revoke = async () => {
    const agreed = await confirm({
      title: t(text.endTokenTitle, { name }),
      body: t(text.endTokenBody),
      action: t(text.endToken),
      danger: true,
    });
    if (agreed) end.mutate(token.id);
  };
  return (
    <li className={classes.item}>
      <div className={classes.itemMain}>
        <div className={classes.itemName}>
          {name}
          <Tag tone={token.scope === 'all' ? 'warn' : 'neutral'}>{t(scopeNames[token.scope])}</Tag>
        </div>
        <p className={classes.quiet}>
          {token.id !== 0 && (
            <>
              {token.used_time === 0 ? (
                t(text.tokenUnused)
              ) : (
                <>
                  {t(text.tokenUsed)} <Time at={token.used_time} relative />
                </>
              )}{' '}
              ·{' '}
            </>
          )}
          {t(text.tokenExpires)}{' '}
          {token.expires_time === 0 ? t(text.tokenNever) : <Time at={token.expires_time} />}
        </p>
      </div>
      <MutationButton
        size="xs"
        variant="default"
        loading={end.isPending}
        aria-label={t(text.endTokenOf, { name })}
        onClick={() => void revoke()}
      >
        {t(text.endToken)}
      </MutationButton>
    </li>
  );
}
