import { useQuery } from '@tanstack/react-query';
import { useLanguage, useTranslate } from '../../lib/i18n.ts';
import { formatNumber } from '../../lib/format/number-format.ts';
import { Money } from '../../shared/money/money.tsx';
import { Spent } from '../../shared/money/spent.tsx';
import { selfQuery } from '../../shared/self/queries.ts';
import { Figure, Figures } from '../../ui/figure.tsx';
import { text } from './text.ts';

/** What the account that pays for all tokens has and has spent. */
export function AccountFigures() {
  const t = useTranslate();
  const language = useLanguage();
  const { data } = useQuery(selfQuery);
  return (
    <Figures>
      <Figure label={t(text.balance)} value={data && <Money quota={data.quota} />} />
      <Spent label={t(text.used)} user={data} />
      <Figure label={t(text.requests)} value={data && formatNumber(data.request_count, language)} />
    </Figures>
  );
}
