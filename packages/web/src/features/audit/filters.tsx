import { Select } from '@mantine/core';
import { auditKinds } from '@tollgate/contract';
import { useMemo } from 'react';
import { useSay, type Say } from '../../lib/i18n.ts';
import { kindWords } from '../../shared/audit/kind-tag.tsx';
import { FilterBar } from '../../shared/filter-bar/filter-bar.tsx';
import { SearchField } from '../../shared/filter-bar/search-field.tsx';
import { TimeRange } from '../../shared/time-range/time-range.tsx';
import { useUrlState } from '../../shared/url-state/use-url-state.ts';
import { auditSearch } from './search.ts';
import { text } from './text.ts';

const kindChoices = (say: Say) => [
  { value: '', label: say(text.allKinds) },
  ...Object.keys(auditKinds).map((kind) => ({ value: kind, label: kindWords(kind, say) })),
];

const none = { range: '7d', start: 0, end: 0, actor: '', target: '', kind: '', text: '' } as const;
const typing = { replace: true };

/** When, what, by whom, to whom, and any words. */
export function Filters() {
  const say = useSay();
  const [search, setSearch] = useUrlState(auditSearch);
  const isFiltered = JSON.stringify(search) !== JSON.stringify(none);
  return (
    <FilterBar
      first={<TimeRange value={search} onChange={(change) => setSearch(change)} />}
      usual={
        <>
          <KindField kind={search.kind} onChange={(kind) => setSearch({ kind })} />
          <SearchField
            label={say(text.words)}
            value={search.text}
            width={230}
            onChange={(words) => setSearch({ text: words }, typing)}
          />
          <SearchField
            label={say(text.actorFilter)}
            value={search.actor}
            width={150}
            icon={false}
            onChange={(actor) => setSearch({ actor }, typing)}
          />
          <SearchField
            label={say(text.targetFilter)}
            value={search.target}
            width={150}
            icon={false}
            onChange={(target) => setSearch({ target }, typing)}
          />
        </>
      }
      onReset={isFiltered ? () => setSearch(none) : undefined}
    />
  );
}

function KindField({ kind, onChange }: { kind: string; onChange: (kind: string) => void }) {
  const say = useSay();
  const choices = useMemo(() => kindChoices(say), [say]);
  return (
    <Select
      aria-label={say(text.kind)}
      w={190}
      searchable
      data={choices}
      value={kind}
      allowDeselect={false}
      onChange={(value) => onChange(value ?? '')}
    />
  );
}
