import { Button, Skeleton, Tabs } from '@mantine/core';
import { settingTabs } from '@tollgate/contract';
import { useQuery } from '@tanstack/react-query';
import { type BlockerFn, type RouterHistory, useRouter } from '@tanstack/react-router';
import { SearchX } from 'lucide-react';
import { lazy, Suspense, useEffect, useMemo, useState } from 'react';
import { useTranslate } from '../../lib/i18n.ts';
import { useConfirm } from '../../shared/confirm/use-confirm.tsx';
import { SearchField } from '../../shared/filter-bar/search-field.tsx';
import { LoadError } from '../../shared/state/load-error.tsx';
import { TabStrip } from '../../shared/tab-strip.tsx';
import { choiceParam, textParam } from '../../shared/url-state/params.ts';
import { useUrlState } from '../../shared/url-state/use-url-state.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { PageHead } from '../../ui/page-head.tsx';
import { type Draft, useDraft } from './draft/draft.ts';
import classes from './page.module.css';
import { settingsQuery, type StoredSettings } from './draft/queries.ts';
import { SectionPanel } from './section-panel.tsx';
import { searchSections, sections } from './sections.ts';
import { text } from './text.ts';
import { useHotkeys } from '@mantine/hooks';
import { MutationButton } from '../../shared/demo/mutation-button.tsx';
import { useSave } from './use-save.ts';

const PriceRehearsal = lazy(async () => ({
  default: (await import('../../shared/price-rehearsal/price-rehearsal.tsx')).PriceRehearsal,
}));

/** With unsaved settings, leaving the page asks first; changing its tab does not. Only the question's text loads late. */
function useLeaveQuestion(hasChanges: boolean): void {
  const t = useTranslate();
  const confirm = useConfirm();
  const { history } = useRouter();
  useEffect(() => {
    if (!hasChanges) return undefined;
    const blockerFn: BlockerFn = async ({ currentLocation, nextLocation }) => {
      if (currentLocation.pathname === nextLocation.pathname) return false;
      const { leaveQuestion } = await import('./leave-question.ts');
      const { title, body, action } = leaveQuestion;
      return !(await confirm({ ...leaveQuestion, title: t(title), body: t(body), action: t(action) }));
    };
    return (history as RouterHistory).block({ blockerFn, enableBeforeUnload: true });
  }, [hasChanges, history, confirm, t]);
}

/** Sticks to the end of the window while there are changes; saves only those. ⌘S or Ctrl-S saves as well. */
function SaveBar({ draft }: { draft: Draft }) {
  const t = useTranslate();
  const { save, isPending } = useSave(draft);
  useHotkeys([['mod+S', save]], [], true);
  const count = draft.changes.length;
  if (count === 0) return null;
  return (
    <div className={classes.saveBar} role="status">
      <strong>{t(text.changes, { count })}</strong>
      <Button variant="default" ms="auto" onClick={() => draft.forget()}>
        {t(text.discard)}
      </Button>
      <Suspense fallback={null}>
        <PriceRehearsal changes={draft.changes} />
      </Suspense>
      <MutationButton loading={isPending} aria-keyshortcuts="Control+S Meta+S" onClick={save}>
        {t(text.save)}
      </MutationButton>
    </div>
  );
}

/** `open` names a setting: its section expands, and the page scrolls to the setting. */
const search = { tab: choiceParam(settingTabs), open: textParam(), q: textParam() };

export function Page() {
  const t = useTranslate();
  const { data, error, refetch } = useQuery(settingsQuery);
  return (
    <>
      <PageHead title={t(text.title)} hint={t(text.hint)} />
      {error && data === undefined ? (
        <LoadError error={error} onRetry={refetch} />
      ) : data === undefined ? (
        <Skeleton height={420} />
      ) : (
        <Settings stored={data} />
      )}
    </>
  );
}

function Settings({ stored }: { stored: StoredSettings }) {
  const t = useTranslate();
  const [{ tab, open, q }, setSearch] = useUrlState(search);
  const draft = useDraft(stored);
  useLeaveQuestion(draft.changes.length > 0);
  const named = sections.find(({ keys }) => keys.some((key) => key === open));
  const page = named?.tab ?? tab;
  const shown = useMemo(
    () => (q === '' ? sections.filter((section) => section.tab === page) : searchSections(q)),
    [q, page],
  );
  const [closed, setClosed] = useState('');
  const unfolded = named ?? shown[0];
  useEffect(() => {
    // The first setting of a section is beside the clicked header.
    if (named && open !== named.keys[0])
      document.getElementById(`setting-${open}`)?.scrollIntoView({ block: 'center' });
  }, [named, open]);

  return (
    <>
      <div className={classes.top}>
        <Tabs
          value={q === '' ? page : null}
          onChange={(next) => {
            const chosen = settingTabs.find((name) => name === next);
            if (chosen) setSearch({ tab: chosen, open: '', q: '' });
          }}
        >
          <TabStrip label={t(text.title)} chosen={q === '' ? page : null}>
            {settingTabs.map((name) => (
              <Tabs.Tab key={name} value={name}>
                {t(text[name])}
              </Tabs.Tab>
            ))}
          </TabStrip>
        </Tabs>
        <SearchField
          label={t(text.search)}
          value={q}
          width={260}
          onChange={(value) => setSearch({ q: value, open: '' }, { typed: true })}
        />
      </div>
      <div className={classes.sections}>
        {shown.map((section) => (
          <SectionPanel
            key={section.id}
            section={section}
            draft={draft}
            secretsSet={stored.secretsSet}
            isOpen={q !== '' || (section.id === unfolded?.id && section.id !== closed)}
            onToggle={
              q === ''
                ? (isOpen) => {
                    setClosed(isOpen ? '' : section.id);
                    if (isOpen) setSearch({ tab: section.tab, open: section.keys[0] ?? '' });
                  }
                : undefined
            }
          />
        ))}
        {shown.length === 0 && <EmptyState icon={<SearchX size={20} />} title={t(text.nothingFound)} />}
      </div>
      <SaveBar draft={draft} />
    </>
  );
}
