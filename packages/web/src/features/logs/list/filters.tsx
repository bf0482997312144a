import { useQuery } from '@tanstack/react-query';
import { runTag, writeTag } from '@tollgate/contract';
import { useTranslate } from '../../../lib/i18n.ts';
import { runListQuery } from '../../../shared/budgets/queries.ts';
import { ChoiceField } from '../../../shared/filter-bar/choice-field.tsx';
import { FilterBar } from '../../../shared/filter-bar/filter-bar.tsx';
import { SearchField } from '../../../shared/filter-bar/search-field.tsx';
import type { RangeState } from '../../../shared/time-range/range.ts';
import { TimeRange } from '../../../shared/time-range/time-range.tsx';
import { text } from '../base/text.ts';
import { logTypes } from '../base/types.ts';

export interface LogFilterState extends RangeState {
  type: number;
  token: string;
  model: string;
  group: string;
  request: string;
  tag: string;
  by: string;
  payer: string;
  username: string;
  channel: number;
}

interface FiltersProps {
  value: LogFilterState;
  isAdmin: boolean;
  /** `typed` while the user types: Back then undoes the whole word, not a letter. */
  onChange: (change: Partial<LogFilterState>, options?: { typed: boolean }) => void;
}

const rare = ['group', 'request', 'tag', 'by', 'channel', 'payer'] as const;
const noFilters: LogFilterState = {
  range: 'today',
  start: 0,
  end: 0,
  type: 0,
  token: '',
  model: '',
  group: '',
  request: '',
  tag: '',
  by: '',
  payer: '',
  username: '',
  channel: 0,
};

const typing = { typed: true };

/** Common filters are visible, rare ones one click away. */
export function Filters({ value, isAdmin, onChange }: FiltersProps) {
  const isFiltered = JSON.stringify(value) !== JSON.stringify(noFilters);
  return (
    <FilterBar
      first={<TimeRange value={value} onChange={onChange} />}
      usual={<UsualFilters value={value} isAdmin={isAdmin} onChange={onChange} />}
      rare={<RareFilters value={value} isAdmin={isAdmin} onChange={onChange} />}
      rareInUse={rare.some((name) => value[name] !== noFilters[name])}
      onReset={isFiltered ? () => onChange(noFilters) : undefined}
    />
  );
}

function UsualFilters({ value, isAdmin, onChange }: FiltersProps) {
  const t = useTranslate();
  return (
    <>
      <ChoiceField
        aria-label={t(text.type)}
        w={150}
        data={[
          { value: '0', label: t(text.typeAll) },
          ...Object.entries(logTypes).map(([type, { word }]) => ({ value: type, label: t(word) })),
        ]}
        value={String(value.type)}
        onChange={(type) => onChange({ type: Number(type) })}
      />
      <SearchField
        label={t(text.model)}
        value={value.model}
        width={170}
        onChange={(model) => onChange({ model }, typing)}
      />
      <SearchField
        label={t(text.token)}
        value={value.token}
        width={140}
        icon={false}
        onChange={(token) => onChange({ token }, typing)}
      />
      {isAdmin && (
        <SearchField
          label={t(text.user)}
          value={value.username}
          width={130}
          icon={false}
          onChange={(username) => onChange({ username }, typing)}
        />
      )}
    </>
  );
}

function RareFilters({ value, isAdmin, onChange }: FiltersProps) {
  const t = useTranslate();
  const { username } = value;
  // The newest runs, so that one finds the page of a run without knowing its name.
  const { data: runs = [] } = useQuery(runListQuery(isAdmin && username !== '' ? { username } : {}));
  return (
    <>
      <SearchField
        label={t(text.group)}
        value={value.group}
        width={140}
        icon={false}
        onChange={(group) => onChange({ group }, typing)}
      />
      {isAdmin && (
        <SearchField
          label={t(text.channelId)}
          value={value.channel === 0 ? '' : String(value.channel)}
          width={120}
          icon={false}
          onChange={(channel) => onChange({ channel: Math.max(0, Math.trunc(Number(channel)) || 0) }, typing)}
        />
      )}
      <SearchField
        label={t(text.tag)}
        value={value.tag}
        width={220}
        icon={false}
        offers={runs.map(({ run }) => writeTag(runTag(1), run))}
        onChange={(tag) => onChange({ tag }, typing)}
      />
      <SearchField
        label={t(text.by)}
        value={value.by}
        width={220}
        icon={false}
        onChange={(by) => onChange({ by: by.trim() }, typing)}
      />
      <PayerField value={value.payer} onChange={(payer) => onChange({ payer })} />
      <SearchField
        label={t(text.requestId)}
        value={value.request}
        width={260}
        icon={false}
        onChange={(request) => onChange({ request: request.trim() }, typing)}
      />
    </>
  );
}

/** The paying wallet. A single team is only in the address, after a click on its tag. */
function PayerField({ value, onChange }: { value: string; onChange: (payer: string) => void }) {
  const t = useTranslate();
  const one = /^\d+$/.test(value) ? [{ value, label: t(text.payerOneTeam, { id: value }) }] : [];
  return (
    <ChoiceField
      aria-label={t(text.payer)}
      w={150}
      data={[
        { value: '', label: t(text.payerAll) },
        { value: 'user', label: t(text.payerUser) },
        { value: 'team', label: t(text.payerTeam) },
        ...one,
      ]}
      value={value}
      onChange={onChange}
    />
  );
}
