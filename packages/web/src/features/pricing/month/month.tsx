import { Button, Group, SegmentedControl } from '@mantine/core';
import { moneyDigits, type MoneyDigits } from '@tollgate/contract';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useQuotaDisplay } from '../../../lib/api/status.ts';
import { formatNumber } from '../../../lib/format/number-format.ts';
import { useLanguage, useTranslate } from '../../../lib/i18n.ts';
import { mayAccess, useCurrentUser } from '../../../lib/session.ts';
import { Money } from '../../../shared/money/money.tsx';
import { LoadError } from '../../../shared/state/load-error.tsx';
import { Figure, Figures } from '../../../ui/figure.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { monthText as text } from './month-text.ts';
import { monthQuery, type MonthOf } from './use-month.ts';

/** Cost of this month with a model: the user's own, for administrators also the site's. Loads on a click. */
export function Month({ model }: { model: string }) {
  const t = useTranslate();
  const isAdmin = mayAccess(useCurrentUser(), 'admin');
  const [of, setOf] = useState<MonthOf>('own');
  const [asked, setAsked] = useState(false);
  return (
    <Panel
      title={t(text.title)}
      hint={t(text.hint)}
      actions={
        <Group gap="xs">
          {isAdmin && (
            <SegmentedControl
              aria-label={t(text.title)}
              value={of}
              onChange={setOf}
              data={[
                { value: 'own', label: t(text.own) },
                { value: 'site', label: t(text.site) },
              ]}
            />
          )}
          {!asked && <Button onClick={() => setAsked(true)}>{t(text.ask)}</Button>}
        </Group>
      }
    >
      {asked && <Sums model={model} of={of} />}
    </Panel>
  );
}

/** Relative difference of a sum, with its sign. */
function Difference({ before, after, digits }: { before: number; after: number; digits: MoneyDigits }) {
  return (
    <>
      {after > before && '+'}
      <Money quota={after - before} digits={digits} />
    </>
  );
}

function percentOf(before: number, after: number): string {
  const percent = (after / before - 1) * 100;
  return `${percent > 0 ? '+' : ''}${percent.toFixed(1)}%`;
}

function Sums({ model, of }: { model: string; of: MonthOf }) {
  const t = useTranslate();
  const language = useLanguage();
  const { perUnit } = useQuotaDisplay();
  const { data, error, refetch } = useQuery(monthQuery(model, of));
  if (error) return <LoadError error={error} onRetry={refetch} />;
  const digits = moneyDigits(data ? [data.before, data.after] : [], perUnit);
  const notes = data && [
    data.left_out.rows > 0 && t(text.leftOut, { count: formatNumber(data.left_out.rows, language) }),
    !data.complete && t(text.incomplete),
  ];
  return (
    <>
      <Figures>
        <Figure
          label={t(text.charged)}
          value={data && <Money quota={data.before} digits={digits} />}
          note={data && t(text.calls, { count: formatNumber(data.rows, language) })}
        />
        <Figure label={t(text.wouldBe)} value={data && <Money quota={data.after} digits={digits} />} />
        <Figure
          label={t(text.difference)}
          value={data && <Difference before={data.before} after={data.after} digits={digits} />}
          note={data && data.before > 0 ? percentOf(data.before, data.after) : undefined}
        />
      </Figures>
      {notes?.filter(Boolean).map((note) => (
        <p key={String(note)} className="footnote">
          {note}
        </p>
      ))}
    </>
  );
}
