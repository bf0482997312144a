import { Button, Skeleton } from '@mantine/core';
import { referenceApi } from '@tollgate/contract';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { Download, SearchX } from 'lucide-react';
import { useDeferredValue, useMemo } from 'react';
import { useLanguage, useTranslate } from '../../lib/i18n.ts';
import { ChoiceField } from '../../shared/filter-bar/choice-field.tsx';
import { FilterBar } from '../../shared/filter-bar/filter-bar.tsx';
import { SearchField } from '../../shared/filter-bar/search-field.tsx';
import { LoadError } from '../../shared/state/load-error.tsx';
import { useUrlState } from '../../shared/url-state/use-url-state.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { PageHead } from '../../ui/page-head.tsx';
import classes from './page.module.css';
import { PartSection } from './part-section.tsx';
import { matchingParts, type Part, readReference, type ReferenceDocument } from './read-reference.ts';
import { text } from './text.ts';
import { textParam } from '../../shared/url-state/params.ts';
import { call } from '../../lib/api/api-client.ts';
import type { Language } from '../../lib/i18n.ts';

/** The reference in a language. It changes only with the server's version. */
const referenceQuery = (language: Language) =>
  queryOptions({
    queryKey: ['reference', language],
    queryFn: async ({ signal }) =>
      readReference((await call(referenceApi.read, {}, { signal })) as ReferenceDocument),
    staleTime: Infinity,
  });

/** URL parameters of the reference. */
const referenceSearch = {
  q: textParam(),
  /** A part of it; '' for all. */
  part: textParam(),
  /** The expanded call. */
  call: textParam(),
};

/** Every call of the server, for programmers. */
export function Page() {
  const t = useTranslate();
  const { data: loaded, error, refetch } = useQuery(referenceQuery(useLanguage()));
  // The parts are rendered in slices, between which the browser answers the user.
  const data = useDeferredValue(loaded);
  return (
    <div className={classes.page}>
      <PageHead
        title={t(text.title)}
        hint={t(text.hint)}
        actions={
          <Button
            component="a"
            href={referenceApi.read.path}
            target="_blank"
            rel="noreferrer"
            variant="default"
            leftSection={<Download size={15} />}
          >
            {t(text.download)}
          </Button>
        }
      />
      {data && <Reference parts={data} />}
      {!data && (error ? <LoadError error={error} onRetry={refetch} /> : <Skeleton height={480} />)}
    </div>
  );
}

function Reference({ parts }: { parts: Part[] }) {
  const t = useTranslate();
  const [{ q, part, call: open }, setSearch] = useUrlState(referenceSearch);
  const isNarrowed = q !== '' || part !== '';
  const shown = useMemo(() => matchingParts(parts, { words: q, part }), [parts, q, part]);
  return (
    <div className={classes.stack}>
      <Filters parts={parts} />
      {shown.length === 0 && <EmptyState icon={<SearchX size={20} />} title={t(text.noMatch)} />}
      {shown.map((each) => (
        <PartSection
          key={`${each.id} ${isNarrowed}`}
          part={each}
          startsOpen={isNarrowed || each.calls.some(({ id }) => id === open)}
          openCall={open}
          onCall={(call) => setSearch({ call }, { replace: true })}
        />
      ))}
    </div>
  );
}

function Filters({ parts }: { parts: Part[] }) {
  const t = useTranslate();
  const [{ q, part }, setSearch] = useUrlState(referenceSearch);
  return (
    <FilterBar
      first={
        <SearchField
          label={t(text.search)}
          value={q}
          width={300}
          onChange={(next) => setSearch({ q: next }, { typed: true })}
        />
      }
      usual={
        <ChoiceField
          aria-label={t(text.part)}
          w={220}
          data={[
            { value: '', label: t(text.everyPart) },
            ...parts.map(({ id, title }) => ({ value: id, label: title })),
          ]}
          value={part}
          onChange={(next) => setSearch({ part: next })}
        />
      }
    />
  );
}
