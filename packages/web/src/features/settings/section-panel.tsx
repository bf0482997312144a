import { declarationOf, type SettingKey } from '@tollgate/contract';
import { Fragment, type ReactNode } from 'react';
import { useTranslate } from '../../lib/i18n.ts';
import { lazy } from '../../lib/lazy.ts';
import { LazyInView } from '../../shared/lazy/lazy-in-view.tsx';
import { ChevronRight } from 'lucide-react';
import { Tag } from '../../ui/tag.tsx';
import type { Draft } from './draft/draft.ts';
import { priceKeys } from './editors/pricing/price-keys.ts';
import { Field } from './field.tsx';
import classes from './page.module.css';
import type { Section } from './sections.ts';
import { Button, Group } from '@mantine/core';
import { useConfirm } from '../../shared/confirm/use-confirm.tsx';
import { toast } from '../../shared/feedback/toast.ts';
import { useResetRatios } from './draft/queries.ts';
import { text } from './text.ts';

/** Resets all model ratios to their defaults. */
function RatioReset() {
  const t = useTranslate();
  const confirm = useConfirm();
  const reset = useResetRatios();
  const run = async () => {
    const action = t(text.resetRatios);
    if (await confirm({ title: action, body: t(text.resetRatiosBody), action, danger: true }))
      reset.mutate(undefined, { onSuccess: () => toast.good(t(text.resetDone)) });
  };
  return (
    <Group>
      <Button variant="default" loading={reset.isPending} onClick={() => void run()}>
        {t(text.resetRatios)}
      </Button>
    </Group>
  );
}

/** Prices are far down on the page, and few visits change one; their code loads when they are nearly visible. */
const PricingTabs = lazy(async () => ({
  default: (await import('./editors/pricing/pricing-tabs.tsx')).PricingTabs,
}));

/** Few sites have further providers, and they rarely change. */
const ProviderList = lazy(async () => ({
  default: (await import('./providers/provider-list.tsx')).ProviderList,
}));

/** At the end of the last part of the page. */
const VersionFacts = lazy(async () => ({
  default: (await import('./version/version-facts.tsx')).VersionFacts,
}));

/** Only users who open this section need it. */
const TwoStepStats = lazy(async () => ({
  default: (await import('./two-step-stats.tsx')).TwoStepStats,
}));

/** The calendar is the largest part of the page and far down in it. */
const LogCleaner = lazy(async () => ({
  default: (await import('./logs/log-cleaner.tsx')).LogCleaner,
}));

/** Few visits use alarms. */
const AlarmFacts = lazy(async () => ({
  default: (await import('./alarm-facts.tsx')).AlarmFacts,
}));

const RetentionPreview = lazy(async () => ({
  default: (await import('./logs/retention-preview.tsx')).RetentionPreview,
}));

interface SectionPanelProps {
  section: Section;
  draft: Draft;
  secretsSet: ReadonlySet<string>;
  isOpen: boolean;
  /** Absent if all are expanded, as in search results. */
  onToggle?: ((isOpen: boolean) => void) | undefined;
}

/** Extra parts of a section, by a key it contains. */
const actions: Partial<Record<SettingKey, (draft: Draft) => ReactNode>> = {
  ModelRatio: () => <RatioReset />,
  LogConsumeEnabled: () => (
    <LazyInView height={60} width="100%" ahead={100}>
      <LogCleaner />
    </LazyInView>
  ),
  // Absent if all rows are kept: its place would be empty under a line.
  LogRetentionDays: (draft) =>
    Number(draft.textOf('LogRetentionDays')) > 0 && (
      <LazyInView height={20} width="100%" ahead={100}>
        <RetentionPreview days={Number(draft.textOf('LogRetentionDays'))} />
      </LazyInView>
    ),
  AlarmMail: () => (
    <LazyInView height={40} width="100%" ahead={100}>
      <AlarmFacts />
    </LazyInView>
  ),
  'oidc.enabled': () => (
    <LazyInView height={150} width="100%">
      <ProviderList />
    </LazyInView>
  ),
  AdminSecondFactorRequired: () => (
    <LazyInView height={100} width="100%">
      <TwoStepStats />
    </LazyInView>
  ),
  VersionCheckEnabled: () => (
    <LazyInView height={420} width="100%">
      <VersionFacts />
    </LazyInView>
  ),
};

/**
 * The section of model prices has its own views of its tables; a search that matches only some of them shows those as
 * fields.
 */
const isPricing = (keys: readonly SettingKey[]) => priceKeys.every((key) => keys.includes(key));

/** A section of a page. Folded, it lists its settings. Only one is expanded, so that a page stays short. */
export function SectionPanel({ section, draft, secretsSet, isOpen, onToggle }: SectionPanelProps) {
  const t = useTranslate();
  const title = t(section.title);
  const changed = section.keys.filter((key) => draft.isChanged(key)).length;
  const head = (
    <>
      <span className={classes.sectionTitle}>{title}</span>
      {changed > 0 && !isOpen && <Tag tone="warn">{t(text.changes, { count: changed })}</Tag>}
      {!isOpen && (
        <span className={classes.holds}>
          {section.keys.map((key) => t(declarationOf(key).label)).join(' · ')}
        </span>
      )}
    </>
  );
  return (
    <section className={classes.section}>
      <h2 className={classes.sectionHead}>
        {onToggle ? (
          <button type="button" aria-expanded={isOpen} onClick={() => onToggle(!isOpen)}>
            <ChevronRight size={15} className={classes.sectionChevron} aria-hidden="true" />
            {head}
          </button>
        ) : (
          head
        )}
      </h2>
      {isOpen && (
        <div className={classes.sectionBody}>
          <Fields section={section} draft={draft} secretsSet={secretsSet} />
        </div>
      )}
    </section>
  );
}

function Fields({ section, draft, secretsSet }: Pick<SectionPanelProps, 'section' | 'draft' | 'secretsSet'>) {
  const fields = (
    <div className={classes.fields}>
      {section.keys.map((key) => (
        <Field key={key} settingKey={key} draft={draft} isSet={secretsSet.has(key)} />
      ))}
      {section.keys.map((key) => {
        const action = actions[key];
        return action && <Fragment key={`${key}-action`}>{action(draft)}</Fragment>;
      })}
    </div>
  );
  if (!isPricing(section.keys)) return fields;
  return (
    <LazyInView height={540} width="100%">
      <PricingTabs draft={draft}>{fields}</PricingTabs>
    </LazyInView>
  );
}
