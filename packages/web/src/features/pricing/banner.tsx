import { type PricingItem, role } from '@tollgate/contract';
import { Link } from '@tanstack/react-router';
import { useLanguage, useTranslate } from '../../lib/i18n.ts';
import { formatNumber } from '../../lib/format/number-format.ts';
import { useQuotaDisplay } from '../../lib/api/status.ts';
import { Notice } from '../../ui/notice.tsx';
import classes from './base/page.module.css';
import { text } from './base/text.ts';
import { Button, Skeleton } from '@mantine/core';
import { CircleQuestionMark } from 'lucide-react';
import { Suspense, useState } from 'react';
import { lazy } from '../../lib/lazy.ts';
import { openDialog } from '../../shared/dialog/dialog.ts';
import { openReplacement } from '../../shared/replace-model/open-replacement.ts';
import { useCurrentUser } from '../../lib/session.ts';

const RatioExplanation = lazy(async () => ({
  default: (await import('./ratio-explanation.tsx')).RatioExplanation,
}));

/** Opens the explanation of ratios, which loads on request. */
function RatioHelp() {
  const t = useTranslate();
  const body = (
    <Suspense fallback={<Skeleton height={280} />}>
      <RatioExplanation />
    </Suspense>
  );
  return (
    <Button
      size="compact-xs"
      variant="subtle"
      leftSection={<CircleQuestionMark size={14} />}
      onClick={() => openDialog({ title: t(text.explain), body })}
    >
      {t(text.explain)}
    </Button>
  );
}

interface BannerProps {
  /** The user's default group for prices. */
  group: string;
  ratio: number;
  isGuest: boolean;
}

/** The group of the shown prices. */
export function GroupBanner({ group, ratio, isGuest }: BannerProps) {
  const t = useTranslate();
  if (!isGuest) return <Notice tone="good">{t(text.yourGroup, { group, ratio })}</Notice>;
  return (
    <Notice tone="warn">
      <div className={classes.banner}>
        {t(text.guest, { group })}
        <Link to="/login" search={{ next: '/pricing' }} className={classes.bannerLink}>
          {t(text.login)}
        </Link>
      </div>
    </Notice>
  );
}

const monthMs = 30 * 86_400_000;
/** The other models are in the list, with their dates. */
const mostNamed = 5;

const dayAt = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
const nextMonth = () => ({ from: dayAt(Date.now()), to: dayAt(Date.now() + monthMs) });

/** The models that their vendors shut down within 30 days. Operators may replace them. */
export function RetiringBanner({ items }: { items: readonly PricingItem[] }) {
  const t = useTranslate();
  const [{ from, to }] = useState(nextMonth);
  const isAdmin = (useCurrentUser()?.role ?? role.guest) >= role.admin;
  const retiring = items.flatMap(({ model_name: model, facts }) =>
    facts?.ends !== undefined && facts.ends >= from && facts.ends <= to ? [{ model, day: facts.ends }] : [],
  );
  if (retiring.length === 0) return null;
  const sorted = retiring.toSorted((a, b) => a.day.localeCompare(b.day));
  const first = sorted.slice(0, mostNamed);
  const models = first.map(({ model, day }) => `${model} (${day})`).join(', ');
  const more = retiring.length - first.length;
  const replace = isAdmin && (
    <Button
      size="compact-sm"
      variant="default"
      onClick={() =>
        void openReplacement(
          t(text.replaceTitle),
          sorted.map(({ model }) => model),
        )
      }
    >
      {t(text.replace)}
    </Button>
  );
  return (
    <Notice tone="warn" actions={replace}>
      {t(text.retiring, { models })} {more > 0 && t(text.retiringMore, { count: more })}
    </Notice>
  );
}

/** The charging of calls. */
export function FormulaBanner() {
  const t = useTranslate();
  const language = useLanguage();
  const { perUnit } = useQuotaDisplay();
  return (
    <Notice tone="info">
      <div className={classes.banner}>
        {t(text.formula, { perUnit: formatNumber(perUnit, language) })}
        <RatioHelp />
      </div>
    </Notice>
  );
}
