import { auditKinds } from '@tollgate/contract';
import { useMemo } from 'react';
import { useTranslate, type Translate } from '../../lib/i18n.ts';
import { kindLabel } from '../../shared/audit/kind-tag.tsx';
import { ChoiceField } from '../../shared/filter-bar/choice-field.tsx';
import { FilterBar } from '../../shared/filter-bar/filter-bar.tsx';
import { SearchField } from '../../shared/filter-bar/search-field.tsx';
import { TimeRange } from '../../shared/time-range/time-range.tsx';
import { useUrlState } from '../../shared/url-state/use-url-state.ts';
import { auditSearch } from './search.ts';
import { text } from './text.ts';

const kindChoices = (t: Translate) => [
  { value: '', label: t(text.allKinds) },
  ...Object.keys(auditKinds).map((kind) => ({ value: kind, label: kindLabel(kind, t) })),
];

const none = { range: '7d', start: 0, end: 0, actor: '', target: '', kind: '', text: '' } as const;
const typing = { typed: true };

/** Time range, kind, actor, target and text. */
export function Filters() {
  const t = useTranslate();
  const [search, setSearch] = useUrlState(auditSearch);
  const isFiltered = JSON.stringify(search) !== JSON.stringify(none);
  return (
    <FilterBar
      first={<TimeRange value={search} onChange={(change) => setSearch(change)} />}
      usual={
        <>
          <KindField kind={search.kind} onChange={(kind) => setSearch({ kind })} />
          <SearchField
            label={t(text.words)}
            value={search.text}
            width={290}
            onChange={(words) => setSearch({ text: words }, typing)}
          />
          <SearchField
            label={t(text.actorFilter)}
            value={search.actor}
            width={150}
            icon={false}
            onChange={(actor) => setSearch({ actor }, typing)}
          />
          <SearchField
            label={t(text.targetFilter)}
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
  const t = useTranslate();
  const choices = useMemo(() => kindChoices(t), [t]);
  return <ChoiceField aria-label={t(text.kind)} w={190} data={choices} value={kind} onChange={onChange} />;
}
