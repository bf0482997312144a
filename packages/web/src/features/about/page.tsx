import { Button, Skeleton } from '@mantine/core';
import { product, statusApi } from '@tollgate/contract';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Suspense } from 'react';
import { siteAddress } from '../../lib/address.ts';
import { call } from '../../lib/api/api-client.ts';
import { texts, useTranslate } from '../../lib/i18n.ts';
import { lazy } from '../../lib/lazy.ts';
import { useCurrentUser } from '../../lib/session.ts';
import { useStatus } from '../../lib/api/status.ts';
import { CopyButton } from '../../shared/copy/copy-button.tsx';
import { Time } from '../../shared/date-time/time.tsx';
import { DescriptionList } from '../../ui/description-list.tsx';
import { Stripes } from '../../ui/stripes.tsx';
import classes from './page.module.css';

const text = texts({
  page: { zh: '关于', en: 'About' },
  title: { zh: '关于 {name}', en: 'About {name}' },
  lead: {
    zh: '这是一个大模型接口网关：一个地址、一把令牌，按 Token 计费，账目精确到单次调用。',
    en: 'An AI model gateway: one address, one key, billing by the token, and exact records of every call.',
  },
  version: { zh: '版本', en: 'Version' },
  running: { zh: '启动于', en: 'Running since' },
  address: { zh: '接口地址', en: 'Base URL' },
  models: { zh: '查看模型价格', en: 'See models and prices' },
  start: { zh: '打开控制台', en: 'Open the console' },
});

const aboutQuery = queryOptions({
  queryKey: ['about'],
  queryFn: ({ signal }) => call(statusApi.about, {}, { signal }),
  staleTime: 300_000,
});

const RichText = lazy(async () => ({
  default: (await import('../../shared/rich-html/rich-text.tsx')).RichText,
}));

/** The operator's text about the site, or an embedded page; without either, facts about the site. */
export function Page() {
  const t = useTranslate();
  const { data, isPending } = useQuery(aboutQuery);
  if (isPending)
    return (
      <div className={classes.page}>
        <Skeleton height={220} maw={640} />
      </div>
    );
  if (!data) return <SiteFacts />;
  return (
    <div className={classes.embed}>
      <h1>{t(text.page)}</h1>
      <Suspense fallback={null}>
        <div className={/^https:\/\/\S+$/.test(data.trim()) ? undefined : classes.page}>
          <RichText source={data} label={t(text.page)} />
        </div>
      </Suspense>
    </div>
  );
}

function SiteFacts() {
  const t = useTranslate();
  const status = useStatus();
  const user = useCurrentUser();
  const address = siteAddress(status);
  return (
    <div className={classes.page}>
      <div className={classes.card}>
        <Stripes />
        <h1>{t(text.title, { name: status?.system_name || product.name })}</h1>
        <p>{t(text.lead)}</p>
        <DescriptionList
          rows={[
            [
              t(text.address),
              <span key="address">
                <code>{address}</code> <CopyButton value={address} what={t(text.address)} />
              </span>,
            ],
            [t(text.version), status?.version ?? ''],
            [t(text.running), status ? <Time key="started" at={status.start_time} /> : null],
          ]}
        />
        <div className={classes.buttons}>
          {status && !status.self_use_mode_enabled && (
            <Button component={Link} to="/pricing">
              {t(text.models)}
            </Button>
          )}
          {user && (
            <Button component={Link} to="/token" variant="default">
              {t(text.start)}
            </Button>
          )}
        </div>
      </div>
    </div>
  );
}
