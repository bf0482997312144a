import { statusApi } from '@tollgate/contract';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { Suspense } from 'react';
import { call } from '../../lib/api/api-client.ts';
import { useStatus } from '../../lib/api/status.ts';
import { useTranslate } from '../../lib/i18n.ts';
import { lazy } from '../../lib/lazy.ts';
import { Landing } from './landing.tsx';
import { text } from './text.ts';

const homeQuery = queryOptions({
  queryKey: ['home-page-content'],
  queryFn: ({ signal }) => call(statusApi.homePageContent, {}, { signal }),
  staleTime: 300_000,
});

const RichText = lazy(async () => ({
  default: (await import('../../shared/rich-html/rich-text.tsx')).RichText,
}));

/** The operator's home page, or the default one. */
export function Page() {
  const t = useTranslate();
  const hasOwn = useStatus()?.has_home_page ?? false;
  const { data, isPending } = useQuery({ ...homeQuery, enabled: hasOwn });
  if (!hasOwn) return <Landing />;
  if (isPending) return null;
  if (!data) return <Landing />;
  return (
    <Suspense fallback={null}>
      <div
        style={{ maxWidth: 1120, margin: '0 auto', padding: /^https:\/\/\S+$/.test(data.trim()) ? 0 : 24 }}
      >
        <RichText source={data} label={t(text.page)} />
      </div>
    </Suspense>
  );
}
