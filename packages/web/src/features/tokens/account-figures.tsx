import { useQuery } from '@tanstack/react-query';
import { useLanguage, useTranslate } from '../../lib/i18n.ts';
import { formatNumber } from '../../lib/format/number-format.ts';
import { Money } from '../../shared/money/money.tsx';
import { Spent } from '../../shared/money/spent.tsx';
import { selfQuery } from '../../shared/self/queries.ts';
import { Figure, Figures, figureValue } from '../../ui/figure.tsx';
import { text } from './text.ts';

/** What the account that pays for all tokens has and has spent. */
export function AccountFigures() {
  const t = useTranslate();
  const language = useLanguage();
  const self = useQuery(selfQuery);
  return (
    <Figures>
      <Figure
        label={t(text.balance)}
        value={figureValue(self, ({ quota }) => (
          <Money quota={quota} />
        ))}
      />
      <Spent label={t(text.used)} user={self.data} isError={self.isError} />
      <Figure
        label={t(text.requests)}
        value={figureValue(self, (user) => formatNumber(user.request_count, language))}
      />
    </Figures>
  );
}
