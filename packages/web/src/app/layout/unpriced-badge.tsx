import { VisuallyHidden } from '@mantine/core';
import { unpricedApi } from '@tollgate/contract';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../lib/api/api-client.ts';
import { useTranslate } from '../../lib/i18n.ts';
import { text } from '../text.ts';
import classes from './sidebar.module.css';

const staleMs = 5 * 60_000;

/** How many models are on offer without a price, so that calls to them are refused; nothing where all have one. */
export function UnpricedBadge() {
  const t = useTranslate();
  const { data } = useQuery({
    queryKey: ['unpriced-models'],
    queryFn: ({ signal }) => call(unpricedApi.count, {}, { signal }),
    staleTime: staleMs,
    meta: { quiet: true },
  });
  if (data === undefined || data.count === 0) return null;
  const words = t(text.unpricedModels, { count: data.count });
  return (
    <span className={classes.badge} title={words}>
      {data.count}
      <VisuallyHidden> {words}</VisuallyHidden>
    </span>
  );
}
