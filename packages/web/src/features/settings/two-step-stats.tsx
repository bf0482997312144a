import { Skeleton } from '@mantine/core';
import { type RoleFactors, secondFactorApi } from '@tollgate/contract';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { call } from '../../lib/api/api-client.ts';
import { errorMessage } from '../../lib/api/api-error.ts';
import { texts, useLanguage, useTranslate } from '../../lib/i18n.ts';
import { roleWords } from '../../shared/role-tag.tsx';
import { DescriptionList } from '../../ui/description-list.tsx';
import { Notice } from '../../ui/notice.tsx';
import classes from './page.module.css';

const text = texts({
  title: { zh: '已启用两步验证的账户', en: 'Accounts with two-step sign-in' },
  share: { zh: '{users} 人中有 {count} 人', en: '{count} of {users}' },
  factors: { zh: '验证器 {app}，通行密钥 {keys}', en: 'authenticator app {app}, passkey {keys}' },
});

const statsQuery = queryOptions({
  queryKey: ['second-factor-stats'],
  queryFn: ({ signal }) => call(secondFactorApi.stats, {}, { signal }),
  meta: { quiet: true },
});

/** Accounts with a second factor by role, shown before the second factor becomes mandatory. */
export function TwoStepStats() {
  const t = useTranslate();
  const language = useLanguage();
  const { data, error } = useQuery(statsQuery);
  if (error) return <Notice tone="warn">{errorMessage(error, language)}</Notice>;
  if (!data) return <Skeleton height={60} />;
  return (
    <section aria-label={t(text.title)}>
      <p className={classes.label}>{t(text.title)}</p>
      <DescriptionList
        rows={data.map((each) => [t(roleWords(each.role)), <Share key={each.role} of={each} />])}
      />
    </section>
  );
}

function Share({ of: { users, protected: count, authenticator: app, passkey: keys } }: { of: RoleFactors }) {
  const t = useTranslate();
  const factors = count > 0 ? ` · ${t(text.factors, { app, keys })}` : '';
  return t(text.share, { users, count }) + factors;
}
